#include "cli/settings.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/source_tree.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = ".fairway.json";

fs::path find_settings(const Arguments& arguments) {
  const fs::path source_dir = fs::absolute(arguments.get("--source-dir", "src")).lexically_normal();
  std::error_code ignored;
  for (fs::path folder = source_dir;; folder = folder.parent_path()) {
    if (fs::exists(folder / kFileName, ignored)) return folder / kFileName;
    if (folder == folder.parent_path()) return {};
  }
}

}  // namespace

check::LintSettings read_settings(const Arguments& arguments) {
  if (arguments.has("--no-config")) {
    if (arguments.has("--config")) {
      throw UsageError("--config and --no-config exclude each other");
    }
    return {};
  }
  const fs::path path = arguments.has("--config") ? fs::absolute(arguments.get("--config"))
                                                  : find_settings(arguments);
  if (path.empty()) return {};
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (!file || fs::is_directory(path, ignored)) {
    throw check::SettingsError(fmt::format("cannot read the settings '{}'", display_path(path)));
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return {text, display_path(path)};
}

}  // namespace fairway::cli
