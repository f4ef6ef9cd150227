// The settings files that commands read.
#pragma once

#include <filesystem>

#include "cli/option_group.hpp"
#include "model/openapi_options.hpp"
#include "rules/lint_settings.hpp"

namespace fairway::cli {

// The settings of a project: `.fairway.json` in the source directory or above it.

/// What lints depend on besides the sources.
struct LintOptions {
  std::filesystem::path config;
  bool no_config = false;
  std::filesystem::path app_config;  ///< may be empty

  void declare(const OptionGroup& rules);
  /// The settings in `config`, or if that is empty, in the nearest file at or above the source
  /// directory; defaults if there is none. Throws rules::SettingsError.
  rules::LintSettings settings(const std::filesystem::path& source_dir) const;
  /// The options in `app_config`. Throws like apply_app_config.
  model::OpenApiOptions document_options() const;
};

// app_config.cpp: The options of documents that come from the configuration of the application.

/// Applies a JSON or YAML layer such as config/default.json to the options: `response.wrap`, the
/// members of `openapi` that describe the document, and which protections are enabled. Other
/// members concern only the runtime. Throws UserError with the file, the JSON pointer and the
/// expected value.
void apply_app_config(const std::filesystem::path& file, model::OpenApiOptions& options);

}  // namespace fairway::cli
