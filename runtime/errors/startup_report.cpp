#include "errors/startup_report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

namespace fw::detail {

void report_startup_errors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) {
    fmt::print(stderr, "{}: error: {}\n", program_invocation_short_name, error);
  }
}

}  // namespace fw::detail
