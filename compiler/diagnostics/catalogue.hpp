// Every diagnostic there is: the one list behind `doctor --list-rules`, `--explain`, the
// documentation page and the test that each row is exercised.
#pragma once

#include <span>
#include <string_view>

#include "model/diagnostic.hpp"

namespace fairway::diagnostics {

/// One row. Ids are never renamed.
struct Rule {
  std::string_view id;
  model::Severity severity;
  std::string_view rule;         ///< one line, lower case, no final period
  std::string_view explanation;  ///< why, and what to do instead; sentences
  std::string_view example;      ///< code that breaks the rule
};

/// All rows: errors first, then lints.
std::span<const Rule> catalogue();

/// The row of an id, or null.
const Rule* find_rule(std::string_view id);

}  // namespace fairway::diagnostics
