// Cases about applications that must not come up, and about what the compiler infers.
#pragma once

#include <fairway/json.hpp>

#include <string>
#include <vector>

#include "group.hpp"
#include "placeholders.hpp"

namespace conformance {

/// The build of a group without a table must fail, the start of another one, with a message that
/// contains the strings that the case mentions.
std::vector<std::string> check_rejected(const Group& group, const fw::Json& config,
                                        const Json& expect);

/// The inferred operationIds of the cases' methods and paths, from the route compiler's document of
/// route files made for them. What differs, for each case.
std::vector<std::vector<std::string>> check_operation_ids(const std::vector<Json>& cases);

}  // namespace conformance
