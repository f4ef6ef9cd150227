// Startup errors as the operator sees them.
#pragma once

#include <string>
#include <vector>

namespace fw::detail {

/// One line an error on standard error: "my-api: error: …".
void report_startup_errors(const std::vector<std::string>& errors);

}  // namespace fw::detail
