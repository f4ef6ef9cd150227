#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <optional>

#include "base/strings.hpp"
#include "cli/report_findings.hpp"
#include "diagnostics/repairs.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

bool lies_below(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path relative = path.lexically_relative(fs::canonical(folder, error));
  return !error && !relative.empty() && *relative.begin() != "..";
}

/// Empty for files that must not be changed: system headers, and files outside of the project that
/// a symbolic link refers to.
std::optional<std::string> read_own(const std::string& name, const fs::path& source_dir) {
  std::error_code error;
  const fs::path path = fs::canonical(name, error);
  if (error || (!lies_below(path, fs::current_path()) && !lies_below(path, source_dir))) {
    return std::nullopt;
  }
  return files::read_file(path);
}

std::string location_of(const model::Diagnostic& finding) {
  return fmt::format("{}:{}:{}", finding.range.file, finding.range.line, finding.range.column);
}

}  // namespace

bool make_repairs(const model::Diagnostics& findings, const fs::path& source_dir) {
  const diagnostics::RepairPlan plan = diagnostics::plan_repairs(
      findings, [&](const std::string& name) { return read_own(name, source_dir); });
  for (const auto& [name, content] : plan.files) files::replace_file(name, content);
  for (const model::Diagnostic& finding : plan.repaired) {
    std::cerr << fmt::format("{}: repaired: {} [{}]\n", location_of(finding), finding.message,
                             finding.id);
  }
  for (const diagnostics::SkippedRepair& skipped : plan.skipped) {
    std::cerr << fmt::format("{}: not repaired, {}: {} [{}]\n", location_of(skipped.finding),
                             skipped.reason, skipped.finding.message, skipped.finding.id);
  }
  if (plan.files.empty()) {
    std::cerr << "nothing to repair\n";
  } else {
    std::cerr << fmt::format("{} in {}\n", fw::base::counted(plan.repaired.size(), "repair"),
                             fw::base::counted(plan.files.size(), "file"));
  }
  return !plan.files.empty();
}

}  // namespace fairway::cli
