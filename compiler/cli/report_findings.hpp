// A run's findings in the format that the command line names.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/common_options.hpp"
#include "diagnostics/report.hpp"

namespace fairway::cli {

/// The findings as text with a summary, coloured when standard error is.
std::string findings_text(const diagnostics::Report& report, const ReportOptions& options);

/// Text goes to standard error with a summary, the other formats to `machine`: commands whose
/// product is on standard output pass standard error. Returns the exit status.
int report_findings(const diagnostics::Report& report, const ReportOptions& options,
                    std::ostream& machine);

}  // namespace fairway::cli
