#include "project/installation.hpp"

#include <cstdlib>
#include <sstream>
#include <system_error>

namespace fairway::project {
namespace {

namespace fs = std::filesystem;

fs::path installed_include_directory() {
  return (own_path().parent_path() / FAIRWAY_INCLUDE_FROM_BIN).lexically_normal();
}

bool has_framework(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "fairway" / "fairway.hpp", ignored);
}

/// CMake looks in the system's prefixes, and in those whose bin/ is in PATH.
bool cmake_looks_in(const fs::path& prefix) {
  if (prefix == "/usr" || prefix == "/usr/local") return true;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && fs::path(folder).lexically_normal() == prefix / "bin") return true;
  }
  return false;
}

}  // namespace

fs::path own_path() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

std::optional<fs::path> framework_include_directory() {
  for (const fs::path& folder :
       {installed_include_directory(), fs::path(FAIRWAY_SOURCE_DIR) / "runtime" / "include"}) {
    if (has_framework(folder)) return folder;
  }
  return std::nullopt;
}

fs::path diagnostics_page() {
  std::error_code ignored;
  for (const fs::path& folder :
       {own_path().parent_path() / FAIRWAY_DOCS_FROM_BIN, fs::path(FAIRWAY_SOURCE_DIR) / "docs"}) {
    fs::path page = (folder / "diagnostics.md").lexically_normal();
    if (fs::exists(page, ignored)) return page;
  }
  return {};
}

std::vector<std::string> flags_to_find_fairway() {
  if (has_framework(installed_include_directory())) {
    const fs::path prefix = own_path().parent_path().parent_path();
    if (cmake_looks_in(prefix)) return {};
    return {"-DCMAKE_PREFIX_PATH=" + prefix.string()};
  }
  return {"-DFAIRWAY_SOURCE=" FAIRWAY_SOURCE_DIR,
          "-DFAIRWAY_COMPILER_EXECUTABLE=" + own_path().string()};
}

}  // namespace fairway::project
