// What one run of `fairway diff` found, as its renderers take it.
#pragma once

#include <cstddef>
#include <string>

#include "diff/approvals.hpp"
#include "diff/change.hpp"

namespace fairway::diff {

struct Comparison {
  std::string old_name;
  std::string new_name;
  Changes changes;   ///< in order of presentation, see `sort_changes`
  Approvals unused;  ///< approvals that match no change

  std::size_t count(Level level) const;
  std::size_t approved() const;  ///< breaking ones
  /// No breaking change that is not approved.
  bool ok() const { return approved() == count(Level::breaking); }
};

/// Operations with breaking changes first, then those with others, then documentation alone; within
/// an operation by level. Otherwise the order stays.
void sort_changes(Changes& changes);

/// For people, grouped by operation, with a summary in the last line.
std::string render_text(const Comparison& comparison, bool color);

/// One object, documented in docs/contract-changes.md.
std::string render_json(const Comparison& comparison);

}  // namespace fairway::diff
