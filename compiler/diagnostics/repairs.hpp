// How `doctor --fix` applies the repairs of findings.
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
  std::string reason;  ///< "it overlaps with another repair"
};

struct RepairPlan {
  std::map<std::string, std::string> files;  ///< path to new content, only where it changes
  model::Diagnostics repaired;               ///< findings whose repair is part of `files`
  std::vector<SkippedRepair> skipped;
};

/// The content of a file, or nothing when it may not be changed.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

/// Repairs in order: a finding's replacements are made all or not at all, and not when one of them
/// touches a location that another repair has changed. Line ends of inserted text are the file's
/// own.
RepairPlan plan_repairs(const model::Diagnostics& findings, const ReadFile& read);

}  // namespace fairway::diagnostics
