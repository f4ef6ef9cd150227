// The list of all diagnostics. `doctor --list-rules`, `--explain`, SARIF, docs/diagnostics.md and a
// test of each rule use it.
#pragma once

#include <span>
#include <string_view>

#include "model/diagnostic.hpp"

namespace fairway::check {

/// All rules: errors first, then lints.
std::span<const model::Rule> catalogue();

/// The rule with an id, or null.
const model::Rule* find_rule(std::string_view id);

/// Whether an id belongs to a lint.
bool is_lint(std::string_view id);

}  // namespace fairway::check
