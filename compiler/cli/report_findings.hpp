// A run's findings in the format that the command line names.
#pragma once

#include "cli/arguments.hpp"
#include "diagnostics/report.hpp"

namespace fairway::cli {

/// Text goes to standard error with a summary, the other formats to standard output. Returns the
/// exit status.
int report_findings(const diagnostics::Report& report, const Arguments& arguments);

}  // namespace fairway::cli
