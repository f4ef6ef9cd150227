#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "base/parse_number.hpp"
#include "dev/cmake_project.hpp"
#include "files/whole_file.hpp"
#include "process/processes.hpp"

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kOldestClang = 14;
constexpr std::string_view kClang = "clang++";

/// Some versions of Clang cannot read the headers of a newer libstdc++, of which these are the
/// hardest; and Clang is often installed without the files of a standard library.
constexpr std::string_view kProgram = R"(#if !defined(__clang__) || __clang_major__ < OLDEST_CLANG
#error "not this version of Clang"
#endif
#include <algorithm>
#include <chrono>
#include <string>
#ifndef __GLIBCXX__
#error "not the standard library of GCC"
#endif
int main() {
  std::string text = "cba";
  std::ranges::sort(text);
  return text == "abc" && std::chrono::hours(1) > std::chrono::minutes(1) ? 0 : 1;
}
)";

/// 19 for "clang++-19".
std::optional<unsigned> version_in(std::string_view name) {
  if (!name.starts_with(kClang)) return std::nullopt;
  name.remove_prefix(kClang.size());
  if (!name.starts_with('-')) return std::nullopt;
  return fw::base::parse_number<unsigned>(name.substr(1));
}

}  // namespace

bool has_compiler_in_environment() {
  constexpr std::array<const char*, 3> kVariables = {"CXX", "CC", "CMAKE_TOOLCHAIN_FILE"};
  return std::ranges::any_of(kVariables, [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  });
}

std::string CompilerCandidate::c_compiler() const {
  constexpr std::string_view kCxx = "++";
  std::string result = name;
  const auto cxx = result.find(kCxx);
  return cxx == result.npos ? result : result.erase(cxx, kCxx.size());
}

std::vector<CompilerCandidate> compiler_candidates() {
  std::set<unsigned, std::greater<>> versions;
  for (const fs::path& folder : process::search_path()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const auto version = version_in(entry.path().filename().string());
      if (version && *version >= kOldestClang) versions.insert(*version);
    }
  }
  // The version of `clang++` is not in its name: first it is taken if it is newer than the others.
  const std::string plain(kClang);
  std::vector<CompilerCandidate> candidates = {{"c++", kOldestClang, true}};
  if (!versions.empty()) candidates.push_back({plain, *versions.begin() + 1});
  for (const unsigned version : versions) {
    candidates.push_back({plain + '-' + std::to_string(version), kOldestClang});
  }
  candidates.push_back({plain, kOldestClang});
  std::erase_if(candidates,
                [](const CompilerCandidate& each) { return !process::is_in_path(each.name); });
  return candidates;
}

std::vector<std::string> check_command(const CompilerCandidate& candidate, const fs::path& folder) {
  const fs::path source = folder / "check.cpp";
  files::replace_file(source, kProgram);
  return {candidate.name,
          "-std=c++20",
          "-DOLDEST_CLANG=" + std::to_string(candidate.oldest_clang),
          "-Wfatal-errors",
          source.string(),
          "-o",
          (folder / "check").string()};
}

}  // namespace fairway::dev
