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

// app_config.cpp: What documents take from the application's own configuration.

/// Applies a JSON or YAML layer such as config/default.json to the options: `response.wrap` and,
/// below `openapi`, `info`, `servers`, `guardSecurityMap` and `securitySchemes`. Everything else is
/// the runtime's. Throws UserError naming the file, the JSON pointer and what must be there.
void apply_app_config(const std::filesystem::path& file, emit::OpenApiOptions& options);

}  // namespace fairway::cli
