// Runs a case against a server: its bytes at once, one by one, cut at arbitrary places, and with
// another request after them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire_case.hpp"

namespace wire {

struct CaseResult {
  std::string got;  ///< in short, of the bytes sent at once
  std::vector<std::string> failures;
};

CaseResult run_case(std::uint16_t port, const Case& wire_case);

}  // namespace wire
