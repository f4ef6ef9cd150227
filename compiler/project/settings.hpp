// The settings files that commands read.
#pragma once

#include <fairway/config.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "command/option_group.hpp"
#include "files/input.hpp"
#include "model/diagnostic.hpp"
#include "model/openapi_options.hpp"
#include "rules/lint_settings.hpp"

namespace fairway::project {

// The settings of a project: `.fairway.json` in the source directory or above it.

/// What lints depend on besides the sources.
struct LintOptions {
  std::filesystem::path config;
  bool no_config = false;
  std::filesystem::path app_config;  ///< may be empty

  void declare(const command::OptionGroup& rules);
  /// The file of the settings; empty if there is none.
  std::filesystem::path file(const std::filesystem::path& source_dir) const;
  /// The settings in `config`, or if that is empty, in the nearest file at or above the source
  /// directory; defaults if there is none. Throws rules::SettingsError.
  rules::LintSettings settings(const std::filesystem::path& source_dir) const;
  /// The options in `app_config`. Throws like apply_app_config.
  model::OpenApiOptions document_options() const;
};

// app_config.cpp: The options of documents that come from the configuration of the application.

/// Applies a JSON or YAML layer such as config/default.json to the options: `response.wrap`, the
/// members of `openapi` that describe the document, which protections are enabled, and the errors
/// in the locale files. Other members concern only the runtime. Returns the files that it has
/// read. Throws UserError with the file, the JSON pointer and the expected value.
std::vector<std::filesystem::path> apply_app_config(const std::filesystem::path& file,
                                                    model::OpenApiOptions& options);

/// The files of the configuration: `app_config`, and the others of its folder if this is `config/`.
/// If `app_config` is empty, the files of the folder `config/` beside the source directory.
std::vector<std::filesystem::path> config_layers(const std::filesystem::path& app_config,
                                                 const std::filesystem::path& source_dir);

/// Whether one of these files has `openapi.enabled`.
bool enable_openapi(const std::vector<std::filesystem::path>& layers);

/// The directory that the application runs in: the one that contains `config/`.
std::filesystem::path working_directory_of(const std::filesystem::path& app_config);

// locale_files.cpp: The errors in the files of an application with messages in several languages.

/// The files of the supported languages, sorted.
std::vector<std::filesystem::path> locale_files(const fw::LocaleConfig& locale);

/// Adds the errors in the locale files to the settings and returns the files. Entries that are not
/// valid are left out: the application reports them when it starts.
std::vector<std::filesystem::path> read_locale_files(const fw::LocaleConfig& locale,
                                                     model::AppSettings& settings);

// settings_files.cpp: The errors in the files that the program of a project reads when it starts.

struct CheckedSettings {
  model::Diagnostics diagnostics;
  std::vector<std::filesystem::path> files;  ///< absolute paths of those that were read
  /// The names in `middlewares` of all layers, if there is a layer and none has errors.
  std::optional<std::set<std::string>> listed_middlewares;
};

/// Checks the layers of a configuration and the locale files, which are found from `app_config`, or
/// if that is empty, in the folder that contains the source directory. `middlewares` are the names
/// that a layer may list. `unsaved` may be null.
CheckedSettings check_settings_files(const std::filesystem::path& app_config,
                                     const std::filesystem::path& source_dir,
                                     const std::set<std::string>& middlewares,
                                     const files::UnsavedFiles* unsaved = nullptr);

}  // namespace fairway::project
