// Cases about applications that must not come up, and about what the compiler infers.
#pragma once

#include <fairway/json.hpp>

#include <string>
#include <vector>

#include "group.hpp"
#include "placeholders.hpp"

namespace conformance {

/// Builds the group's route files with the route compiler, and starts the application when that
/// succeeds: one of the two must fail, with the texts that the case wants mentioned.
std::vector<std::string> check_refused(const RefusedGroup& group, const fw::Json& config,
                                       const Json& expect);

/// The inferred operationId of the case's method and path, from the route compiler's document of a
/// route file made for it.
std::vector<std::string> check_operation_id(const Json& test_case);

}  // namespace conformance
