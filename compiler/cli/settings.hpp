// The settings of a project: `.fairway.json` in the source directory or above it.
#pragma once

#include <filesystem>

#include "check/lint_settings.hpp"

namespace fairway::cli {

/// The settings in `file`, or if that is empty, in the nearest file at or above the source
/// directory; defaults if there is none. Throws check::SettingsError.
check::LintSettings read_settings(const std::filesystem::path& file,
                                  const std::filesystem::path& source_dir);

}  // namespace fairway::cli
