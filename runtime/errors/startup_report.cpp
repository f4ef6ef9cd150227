#include "errors/startup_report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

namespace fw::detail {

void report_startup_faults(const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) {
    fmt::print(stderr, "{}: error: {}\n", program_invocation_short_name, fault);
  }
}

}  // namespace fw::detail
