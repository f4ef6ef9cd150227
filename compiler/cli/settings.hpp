// The settings of a project: `.fairway.json` in the source directory or above it.
#pragma once

#include "check/lint_settings.hpp"
#include "cli/arguments.hpp"

namespace fairway::cli {

/// The file that --config names, else the nearest one going up from the source directory; defaults
/// when there is none, and with --no-config. Throws UsageError and check::SettingsError.
check::LintSettings read_settings(const Arguments& arguments);

}  // namespace fairway::cli
