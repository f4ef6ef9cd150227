#include "cli/repair.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <unistd.h>

#include "diagnostics/repairs.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

bool lies_below(const fs::path& path, const fs::path& folder) {
  std::error_code fault;
  const fs::path relative = path.lexically_relative(fs::canonical(folder, fault));
  return !fault && !relative.empty() && *relative.begin() != "..";
}

/// Nothing for files of other people: headers of the system, sources that a link leads to.
std::optional<std::string> read_own(const std::string& name, const fs::path& source_dir) {
  std::error_code fault;
  const fs::path path = fs::canonical(name, fault);
  if (fault || (!lies_below(path, fs::current_path()) && !lies_below(path, source_dir))) {
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

[[noreturn]] void fail(const std::string& name, const std::error_code& reason) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", name, reason.message()));
}

void replace_source(const std::string& name, const std::string& content) {
  std::error_code fault;
  const fs::path path = fs::canonical(name, fault);
  if (fault) fail(name, fault);
  const fs::path temporary = fmt::format("{}.{}.tmp", path.string(), getpid());
  fs::copy_file(path, temporary, fault);  // with the permissions
  if (fault) fail(name, fault);
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file) {
    fault = {errno, std::generic_category()};
  } else {
    fs::rename(temporary, path, fault);
  }
  if (fault || !file) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    fail(name, fault);
  }
}

std::string place_of(const model::Diagnostic& finding) {
  return fmt::format("{}:{}:{}", finding.range.file, finding.range.line, finding.range.column);
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

bool make_repairs(const model::Diagnostics& findings, const Arguments& arguments) {
  const fs::path source_dir = arguments.get("--source-dir", "src");
  const diagnostics::RepairPlan plan = diagnostics::plan_repairs(
      findings, [&](const std::string& name) { return read_own(name, source_dir); });
  for (const auto& [name, content] : plan.files) replace_source(name, content);
  for (const model::Diagnostic& finding : plan.repaired) {
    std::cerr << fmt::format("{}: repaired: {} [{}]\n", place_of(finding), finding.message,
                             finding.id);
  }
  for (const diagnostics::SkippedRepair& skipped : plan.skipped) {
    std::cerr << fmt::format("{}: not repaired, {}: {} [{}]\n", place_of(skipped.finding),
                             skipped.reason, skipped.finding.message, skipped.finding.id);
  }
  if (plan.files.empty()) {
    std::cerr << "nothing to repair\n";
  } else {
    std::cerr << fmt::format("{} in {}\n", counted(plan.repaired.size(), "repair"),
                             counted(plan.files.size(), "file"));
  }
  return !plan.files.empty();
}

}  // namespace fairway::cli
