// A run's findings in the format that the command line names.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "cli/common_options.hpp"
#include "diagnostics/report.hpp"
#include "model/diagnostic.hpp"

namespace fairway::cli {

/// The findings as text with a summary, coloured when standard error is.
std::string findings_text(const diagnostics::Report& report, const ReportOptions& options);

/// Text goes to standard error with a summary, the other formats to `machine`: commands whose
/// product is on standard output pass standard error. Returns the exit status.
int report_findings(const diagnostics::Report& report, const ReportOptions& options,
                    std::ostream& machine);

// repair.cpp: `doctor --fix`: certain repairs, made in the sources.

/// Makes the repairs of the findings in files below the working directory or the source directory,
/// and says on standard error what was repaired and what was not. Each file is replaced whole, with
/// its permissions. Returns whether a file was changed. Throws UserError naming the file
/// that cannot be written.
bool make_repairs(const model::Diagnostics& findings, const std::filesystem::path& source_dir);

}  // namespace fairway::cli
