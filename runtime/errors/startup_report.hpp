// Startup faults as the operator sees them.
#pragma once

#include <string>
#include <vector>

namespace fw::detail {

/// One line a fault on standard error: "my-api: error: …".
void report_startup_faults(const std::vector<std::string>& faults);

}  // namespace fw::detail
