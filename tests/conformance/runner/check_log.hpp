// The log lines of a request compared with a case's `log`.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "placeholders.hpp"

namespace conformance {

void check_log(const Json& expected, const std::vector<std::string>& lines, Memory& memory,
               std::vector<std::string>& failures);

}  // namespace conformance
