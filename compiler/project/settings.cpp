#include "project/settings.hpp"

#include <fmt/format.h>

#include "files/whole_file.hpp"
#include "project/source_tree.hpp"

namespace fairway::project {
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

void LintOptions::declare(const command::OptionGroup& rules) {
  rules.path("--config", "FILE", config,
             "settings file; default: the nearest .fairway.json, in or above the source directory");
  rules.flag("--no-config", no_config, "use no settings file; every lint is a warning");
  rules.exclude("--config", "--no-config");
  rules.path("--app-config", "FILE", app_config,
             "configuration of the application as JSON or YAML, for lints that depend on it");
}

fs::path LintOptions::file(const fs::path& source_dir) const {
  if (no_config) return {};
  return config.empty() ? find_settings(source_dir) : fs::absolute(config);
}

rules::LintSettings LintOptions::settings(const fs::path& source_dir) const {
  const fs::path path = file(source_dir);
  if (path.empty()) return {};
  const auto text = files::read_file(path);
  if (!text) {
    throw rules::SettingsError(fmt::format("{}cannot read settings file '{}'",
                                           config.empty() ? "" : "--config: ", display_path(path)));
  }
  return {*text, display_path(path)};
}

model::OpenApiOptions LintOptions::document_options() const {
  model::OpenApiOptions options;
  if (!app_config.empty()) apply_app_config(app_config, options);
  return options;
}

}  // namespace fairway::project
