// Comments that suppress lints: `// NOLINT(ID)` and `// NOLINTNEXTLINE(ID)`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/source_text.hpp"
#include "model/diagnostic.hpp"
#include "model/range.hpp"

namespace fairway::rules {

// `// NOLINT(ID, …)` and `// NOLINTNEXTLINE(ID, …)`, as clang-tidy reads them.

/// One NOLINT of a comment.
struct Nolint {
  struct Name {
    std::string id;
    model::Range range;
    model::Range removal;  ///< the text to delete to remove the name from the list; empty file name
                           ///< if unknown
  };
  bool suppresses_all = false;  ///< no list of rules
  unsigned target_line = 0;     ///< the line whose lints it suppresses
  std::vector<Name> names;
};

/// All NOLINT comments of a source text. `file` is the file name of their ranges.
std::vector<Nolint> find_nolints(std::string_view source, const std::string& file);

// unused_suppression.cpp: [unused-suppression] Applies NOLINT comments, and reports those that
// suppress nothing.

/// Removes the lints that comments in their files suppress.
void remove_suppressed(model::Diagnostics& diagnostics, diagnostics::SourceText& sources);

/// Removes the lints that comments of `files` suppress, and adds a warning for each named rule that
/// suppresses nothing or cannot be suppressed. Ids of other tools are ignored. If `lints_ran` is
/// false, because errors prevented the lints, no comment is reported as unused.
void apply_suppressions(model::Diagnostics& diagnostics, const std::vector<std::string>& files,
                        diagnostics::SourceText& sources, bool lints_ran);

}  // namespace fairway::rules
