// One case: its request sent, its response compared with the expected one.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "placeholders.hpp"
#include "running_group.hpp"

namespace conformance {

/// Runs the case. Returns what differs, one text each; nothing when the case passes.
std::vector<std::string> run_case(const Json& test_case, RunningGroup& application, Memory& memory);

/// Brings a compact case (validation-types-*) into the ordinary form. `path` is the route's.
Json expanded(const Json& compact, const std::string& path);

}  // namespace conformance
