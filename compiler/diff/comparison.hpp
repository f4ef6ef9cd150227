// The result of `fairway diff`, as passed to its renderers.
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
  std::size_t approved() const;  ///< number of approved breaking changes
  /// Whether all breaking changes are approved.
  bool ok() const { return approved() == count(Level::breaking); }
};

/// Sorts operations with breaking changes first, then those with non-breaking changes, then those
/// with documentation changes only; within an operation by level. Stable otherwise.
void sort_changes(Changes& changes);

/// Human-readable text, grouped by operation, with a summary in the last line.
std::string render_text(const Comparison& comparison, bool color);

/// One JSON object, documented in docs/contract-changes.md.
std::string render_json(const Comparison& comparison);

}  // namespace fairway::diff
