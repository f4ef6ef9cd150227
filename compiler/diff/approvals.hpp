// Approvals of intended changes, read from a file:
//
//   {"version": 1, "approvals": [{"id": "operation-removed", "operation": "GET /legacy",
//                                 "location": "", "reason": "unused since May"}]}
#pragma once

#include <string>
#include <vector>

#include "diff/document.hpp"

namespace fairway::diff {

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

}  // namespace fairway::diff
