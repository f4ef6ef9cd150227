// The result of `fairway diff`, as passed to its renderers, and the approvals that change it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diff/change.hpp"
#include "diff/document.hpp"

namespace fairway::diff {

// Approvals of intended changes, read from a file:
//
//   {"version": 1, "approvals": [{"id": "operation-removed", "operation": "GET /legacy",
//                                 "location": "", "reason": "unused since May"}]}

struct Approval {
  std::string id;
  std::string operation;  ///< the result of Change::operation
  std::string location;
  std::string reason;  ///< may be empty
};
using Approvals = std::vector<Approval>;

/// Throws BadDocument if the file is invalid; the message contains the entry.
Approvals parse_approvals(const std::string& name, const std::string& text);

/// Marks the approved changes. Returns the approvals that match no change.
Approvals apply_approvals(const Approvals& approvals, Changes& changes);

/// A file that approves every breaking change, with the existing reasons, and a line end.
std::string write_approvals(const Changes& changes);

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
