#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "project/settings.hpp"
#include "project/source_tree.hpp"
#include "rules/settings_rules.hpp"

namespace fairway::project {
namespace {

namespace fs = std::filesystem;

class SettingsReader {
 public:
  explicit SettingsReader(const files::UnsavedFiles* unsaved) : unsaved_(unsaved) {}

  rules::SettingsFile read(const fs::path& path) {
    files.push_back(fs::absolute(path).lexically_normal());
    if (unsaved_ != nullptr) {
      const auto edited = unsaved_->find(files.back().string());
      if (edited != unsaved_->end()) return {display_path(path), edited->second};
    }
    auto [text, error] = fw::settings::read_text(path);
    return {display_path(path), std::move(text), std::move(error)};
  }

  std::vector<fs::path> files;

 private:
  const files::UnsavedFiles* unsaved_;
};

/// The layers beside the first one, sorted.
std::vector<fs::path> other_layers(const fs::path& first) {
  if (first.parent_path().filename() != "config") return {};
  std::vector<fs::path> layers = fw::settings::json_files_in(first.parent_path());
  std::erase(layers, first);
  return layers;
}

}  // namespace

CheckedSettings check_settings_files(const fs::path& app_config, const fs::path& source_dir,
                                     const std::set<std::string>& middlewares,
                                     const files::UnsavedFiles* unsaved) {
  SettingsReader reader(unsaved);
  const fs::path first =
      app_config.empty() ? fs::absolute(source_dir / "../config/default.json").lexically_normal()
                         : fs::absolute(app_config).lexically_normal();
  model::Diagnostics found;
  fw::Config config;
  rules::SettingsFile configuration;
  bool has_layer = false;  // other files may be the application's own
  std::set<std::string> listed;
  const auto note_middlewares = [&](const fw::Config& layer) {
    for (const fw::MiddlewareConfig& middleware : layer.middlewares) listed.insert(middleware.name);
  };
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(first, ignored)) && first.extension() == ".json") {
    configuration = reader.read(first);
    has_layer = true;
    rules::check_configuration(configuration, middlewares, config, found);
    note_middlewares(config);
  }
  for (const fs::path& layer : other_layers(first)) {
    const std::string name = layer.stem().string();
    fw::Config other;
    if (fw::settings::is_layer(name)) {
      has_layer = true;
      rules::check_configuration(reader.read(layer), middlewares, other, found);
    } else {
      rules::lint_broken_profile(reader.read(layer), name, middlewares, other, found);
    }
    note_middlewares(other);
  }
  const bool are_layers_known = has_layer && first.extension() == ".json" &&
                                std::ranges::none_of(found, [](const model::Diagnostic& error) {
                                  return error.id == rules::bad_configuration.id;
                                });
  fw::LocaleConfig locale = config.locale;
  locale.directory = (working_directory_of(first) / locale.directory).string();
  std::vector<rules::LocaleFile> locales;
  for (const fs::path& file : locale_files(locale)) {
    locales.push_back({file.stem().string(), reader.read(file)});
  }
  rules::check_locales(locales, config.locale, configuration, found);
  return {std::move(found), std::move(reader.files),
          are_layers_known ? std::optional(std::move(listed)) : std::nullopt};
}

}  // namespace fairway::project
