// The declaration of a registered route as JSON.
#pragma once

#include <fairway/router.hpp>

#include <nlohmann/json.hpp>

namespace fw::detail {

/// Method, path and all declared options, including documentation, in the form of
/// schema/fingerprint.hpp.
nlohmann::ordered_json declaration_of(const RouteRecord& record);

}  // namespace fw::detail
