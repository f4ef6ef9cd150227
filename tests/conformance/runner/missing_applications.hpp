// Whether every group that the case files describe has its application, with all its routes.
#pragma once

#include <string>
#include <vector>

#include "placeholders.hpp"

namespace conformance {

/// What is missing: "area/group", or "area/group: GET /path in src/routes/index.cpp".
std::vector<std::string> missing_applications(const std::vector<Json>& areas);

}  // namespace conformance
