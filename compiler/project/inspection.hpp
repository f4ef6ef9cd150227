// What `fairway doctor` finds.
#pragma once

#include "diagnostics/report.hpp"
#include "project/project_options.hpp"
#include "project/settings.hpp"
#include "rules/lint_settings.hpp"

namespace fairway::project {

/// The findings in all route files and in the files of config/ and locales/, sorted, with the
/// severities of the settings. Throws UserError if the project cannot be read.
diagnostics::Report inspect(const ProjectOptions& project_options, const LintOptions& lints,
                            const rules::LintSettings& settings);

}  // namespace fairway::project
