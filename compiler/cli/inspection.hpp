// What `fairway doctor` finds.
#pragma once

#include "cli/common_options.hpp"
#include "cli/settings.hpp"
#include "diagnostics/report.hpp"
#include "rules/lint_settings.hpp"

namespace fairway::cli {

/// The findings in all route files and in the files of config/ and locales/, sorted, with the
/// severities of the settings. Throws UserError if the project cannot be read.
diagnostics::Report inspect(const ProjectOptions& project_options, const LintOptions& lints,
                            const rules::LintSettings& settings);

}  // namespace fairway::cli
