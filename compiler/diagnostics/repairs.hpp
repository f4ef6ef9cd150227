// Plans the fixes of `doctor --fix`.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"

namespace fairway::diagnostics {

struct SkippedRepair {
  model::Diagnostic finding;
  std::string reason;     ///< "it overlaps with another fix"
  bool overlaps = false;  ///< whether it may be possible after the fixes of the plan
};

struct RepairPlan {
  std::map<std::string, std::string> files;  ///< new content by path; only files that change
  model::Diagnostics repaired;               ///< findings whose fixes are part of `files`
  std::vector<SkippedRepair> skipped;
};

/// The content of a file; empty if the file must not be changed.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

/// Plans the fixes in order. The replacements of a finding are applied together, or not at all if
/// one of them overlaps with a previous fix. Inserted text gets the line ends of the file.
RepairPlan plan_repairs(const model::Diagnostics& findings, const ReadFile& read);

}  // namespace fairway::diagnostics
