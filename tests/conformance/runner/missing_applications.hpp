// Whether every group that the case files describe has its application, with all its routes.
#pragma once

#include <string>
#include <vector>

#include "placeholders.hpp"

namespace conformance {

/// What is missing although `left_out()` does not name it, and what that names although it is
/// there. One line each.
std::vector<std::string> missing_applications(const std::vector<Json>& areas);

}  // namespace conformance
