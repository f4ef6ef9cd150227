#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "base/counted.hpp"
#include "cli/report_findings.hpp"
#include "diagnostics/repairs.hpp"
#include "files/whole_file.hpp"
#include "model/source_rules.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

/// More than a statement has syntax errors that can be repaired.
constexpr int kMaxRounds = 50;

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

void make_repairs(diagnostics::Report& report, const fs::path& source_dir,
                  const std::function<diagnostics::Report()>& inspect) {
  std::size_t repaired = 0;
  std::set<std::string> files;
  int rounds = 0;
  bool is_complete = false;
  std::ptrdiff_t overlaps_before = std::numeric_limits<std::ptrdiff_t>::max();
  while (!is_complete) {
    const diagnostics::RepairPlan plan = diagnostics::plan_repairs(
        report.diagnostics, [&](const std::string& name) { return read_own(name, source_dir); });
    for (const auto& [name, content] : plan.files) {
      files::replace_file(name, content);
      files.insert(name);
    }
    for (const model::Diagnostic& finding : plan.repaired) {
      std::cerr << fmt::format("{}: repaired: {} [{}]\n", location_of(finding), finding.message,
                               finding.id);
    }
    repaired += plan.repaired.size();
    // They become fewer with each round, so that no fix is repeated without end.
    const auto overlaps =
        std::ranges::count_if(plan.skipped, &diagnostics::SkippedRepair::overlaps);
    const bool has_overlaps = overlaps > 0 && overlaps < overlaps_before;
    // Clang reports the first syntax error of a statement only.
    const bool hides_errors =
        ++rounds < kMaxRounds && std::ranges::any_of(
                                     plan.repaired,
                                     [](const model::Diagnostic& each) {
                                       return each.id == model::rules::does_not_parse.id;
                                     });
    is_complete = plan.files.empty() || (!has_overlaps && !hides_errors);
    overlaps_before = overlaps;
    if (!plan.files.empty()) report = inspect();
    if (!is_complete) continue;
    for (const diagnostics::SkippedRepair& skipped : plan.skipped) {
      std::cerr << fmt::format("{}: not repaired, {}: {} [{}]\n", location_of(skipped.finding),
                               skipped.reason, skipped.finding.message, skipped.finding.id);
    }
  }
  if (files.empty()) {
    std::cerr << "nothing to repair\n";
  } else {
    std::cerr << fmt::format("{} in {}\n", fw::base::counted(repaired, "repair"),
                             fw::base::counted(files.size(), "file"));
  }
}

}  // namespace fairway::cli
