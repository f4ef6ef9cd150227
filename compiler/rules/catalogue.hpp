// The list of all diagnostics. `doctor --list-rules`, `--explain`, SARIF, docs/diagnostics.md and a
// test of each rule use it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/diagnostic.hpp"

namespace fairway::rules {

/// All rules: errors first, then lints.
std::span<const model::Rule> catalogue();

/// The id of the rule that a retired id means now; any other id itself. Settings and comments of
/// projects keep their meaning.
std::string_view current_id(std::string_view id);

/// The rule with an id, also a retired one, or null.
const model::Rule* find_rule(std::string_view id);

/// Its id, level, explanation and example, as `doctor --explain` and `fairway dev` show them.
std::string explanation_of(const model::Rule& rule);

/// "; did you mean 'duplicate-route'?" for an id that no rule has; empty if none is similar.
std::string near_rule(std::string_view id);

/// Whether an id belongs to a lint.
bool is_lint(std::string_view id);

}  // namespace fairway::rules
