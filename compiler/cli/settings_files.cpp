#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/settings.hpp"
#include "cli/source_tree.hpp"
#include "files/whole_file.hpp"
#include "rules/settings_rules.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

/// Empty text if the file cannot be read.
rules::SettingsFile read_settings(const fs::path& path) {
  return {display_path(path), files::read_file(path).value_or("")};
}

/// The layers beside the first one, sorted.
std::vector<fs::path> other_layers(const fs::path& first) {
  std::vector<fs::path> layers;
  if (first.parent_path().filename() != "config") return layers;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(first.parent_path(), ignored)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && path.filename() != first.filename()) layers.push_back(path);
  }
  std::ranges::sort(layers);
  return layers;
}

}  // namespace

model::Diagnostics check_settings_files(const fs::path& app_config, const fs::path& source_dir) {
  const fs::path first =
      app_config.empty() ? fs::absolute(source_dir / "../config/default.json").lexically_normal()
                         : fs::absolute(app_config).lexically_normal();
  model::Diagnostics found;
  fw::Config config;
  rules::SettingsFile configuration;
  std::error_code ignored;
  if (fs::exists(first, ignored) && first.extension() == ".json") {
    configuration = read_settings(first);
    rules::check_configuration(configuration, config, found);
  }
  for (const fs::path& layer : other_layers(first)) {
    fw::Config other;
    rules::check_configuration(read_settings(layer), other, found);
  }
  fw::LocaleConfig locale = config.locale;
  locale.directory = (working_directory_of(first) / locale.directory).string();
  std::vector<rules::LocaleFile> locales;
  for (const fs::path& file : locale_files(locale)) {
    locales.push_back({file.stem().string(), read_settings(file)});
  }
  rules::check_locales(locales, config.locale, configuration, found);
  return found;
}

}  // namespace fairway::cli
