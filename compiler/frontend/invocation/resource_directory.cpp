#include <clang/Basic/Version.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "frontend/invocation/flags.hpp"
#include "frontend/invocation/invocation.hpp"

namespace fairway::frontend {
namespace {

namespace fs = std::filesystem;

/// Clang names the folder after its version: '19', '19.1.7'.
std::optional<int> version_of(const fs::path& directory) {
  const std::string name = directory.filename().string();
  int version = 0;
  const auto end = std::from_chars(name.data(), name.data() + name.size(), version);
  if (end.ec != std::errc() || (*end.ptr != '\0' && *end.ptr != '.')) return std::nullopt;
  return version;
}

std::string remedy() {
  return fmt::format(
      "install the headers of Clang {0} (Debian: libclang-common-{0}-dev), or set "
      "FAIRWAY_RESOURCE_DIR to the output of 'clang-{0} -print-resource-dir'",
      CLANG_VERSION_MAJOR);
}

std::string find() {
  const char* named = std::getenv("FAIRWAY_RESOURCE_DIR");
  const bool is_named = named != nullptr && *named != '\0';
  fs::path directory = fs::path(is_named ? named : FAIRWAY_CLANG_RESOURCE_DIR);
  directory = fs::absolute(directory).lexically_normal();
  if (!directory.has_filename()) directory = directory.parent_path();
  std::error_code error;
  if (!fs::exists(directory / "include" / "stddef.h", error)) {
    throw EnvironmentError(
        fmt::format("no compiler headers in '{}': {}", (directory / "include").string(), remedy()));
  }
  const auto version = version_of(directory);
  if (version && *version != CLANG_VERSION_MAJOR) {
    throw EnvironmentError(
        fmt::format("the compiler headers in '{}' belong to Clang {}, this program to Clang {}: {}",
                    directory.string(), *version, CLANG_VERSION_MAJOR, remedy()));
  }
  return directory.string();
}

}  // namespace

const std::string& resource_directory() {
  static const std::string directory = find();
  return directory;
}

}  // namespace fairway::frontend
