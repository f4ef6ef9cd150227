// Changes that are meant, listed in a file:
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
  std::string operation;  ///< as Change::operation has it
  std::string location;
  std::string reason;  ///< may be empty
};
using Approvals = std::vector<Approval>;

/// Throws BadDocument for anything but such a file; the message names the entry.
Approvals parse_approvals(const std::string& name, const std::string& text);

/// Marks the changes that are approved. Returns the approvals that no change needs.
Approvals apply_approvals(const Approvals& approvals, Changes& changes);

/// A file that approves every breaking change, reasons kept, ended by a line end.
std::string write_approvals(const Changes& changes);

}  // namespace fairway::diff
