// The settings files that commands read.
#pragma once

#include <filesystem>

#include "check/lint_settings.hpp"
#include "emit/openapi.hpp"

namespace fairway::cli {

// The settings of a project: `.fairway.json` in the source directory or above it.

/// The settings in `file`, or if that is empty, in the nearest file at or above the source
/// directory; defaults if there is none. Throws check::SettingsError.
check::LintSettings read_settings(const std::filesystem::path& file,
                                  const std::filesystem::path& source_dir);

// app_config.cpp: The options of documents that come from the configuration of the application.

/// Applies a JSON or YAML layer such as config/default.json to the options: `response.wrap`, the
/// members of `openapi` that describe the document, and which protections are enabled. Other
/// members concern only the runtime. Throws UserError with the file, the JSON pointer and the
/// expected value.
void apply_app_config(const std::filesystem::path& file, emit::OpenApiOptions& options);

}  // namespace fairway::cli
