#include "cli/settings.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/source_tree.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = ".fairway.json";

fs::path find_settings(const fs::path& source_dir) {
  std::error_code ignored;
  for (fs::path folder = fs::absolute(source_dir).lexically_normal();;
       folder = folder.parent_path()) {
    if (fs::exists(folder / kFileName, ignored)) return folder / kFileName;
    if (folder == folder.parent_path()) return {};
  }
}

}  // namespace

check::LintSettings read_settings(const fs::path& file, const fs::path& source_dir) {
  const fs::path path = file.empty() ? find_settings(source_dir) : fs::absolute(file);
  if (path.empty()) return {};
  const auto text = files::read_file(path);
  if (!text) {
    throw check::SettingsError(fmt::format("{}cannot read settings file '{}'",
                                           file.empty() ? "" : "--config: ", display_path(path)));
  }
  return {*text, display_path(path)};
}

}  // namespace fairway::cli
