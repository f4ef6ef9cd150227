// Every diagnostic there is: the one list from which `doctor --list-rules`, `--explain`, SARIF, the
// documentation page and the test that each rule is reported are made.
#pragma once

#include <span>
#include <string_view>

#include "model/diagnostic.hpp"

namespace fairway::check {

/// All rules: errors first, then lints.
std::span<const model::Rule> catalogue();

/// The rule of an id, or null.
const model::Rule* find_rule(std::string_view id);

/// Whether an id is that of a lint.
bool is_lint(std::string_view id);

}  // namespace fairway::check
