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

/// The inferred operationIds of the cases' methods and paths, from the route compiler's document of
/// route files made for them. What differs, for each case.
std::vector<std::vector<std::string>> check_operation_ids(const std::vector<Json>& cases);

}  // namespace conformance
