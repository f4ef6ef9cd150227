// Prints the findings of a run in the format of --diagnostics-format.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "cli/report_options.hpp"
#include "diagnostics/report.hpp"
#include "model/diagnostic.hpp"

namespace fairway::cli {

/// The findings as text with a summary, coloured if standard error is. Stores them for `fairway
/// dev` if it runs the build.
std::string findings_text(const diagnostics::Report& report, const ReportOptions& options);

/// Text goes to standard error with a summary, the other formats to `machine`: commands whose
/// product is on standard output pass standard error. Returns the exit status.
int report_findings(const diagnostics::Report& report, const ReportOptions& options,
                    std::ostream& machine);

// repair.cpp: `doctor --fix`, which applies the safe fixes to the sources.

/// Applies the fixes of the findings to files below the working directory or the source directory,
/// and reports on standard error which were applied and which were not. Each file is replaced
/// atomically and keeps its permissions. Returns whether a file was changed. Throws UserError if a
/// file cannot be written.
bool make_repairs(const model::Diagnostics& findings, const std::filesystem::path& source_dir);

}  // namespace fairway::cli
