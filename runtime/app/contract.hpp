// What a registered route declares, as JSON.
#pragma once

#include <fairway/router.hpp>

#include <nlohmann/json.hpp>

namespace fw::detail {

/// Method, path and every option that says something, documentation included, spelled as
/// schema/fingerprint.hpp describes.
nlohmann::ordered_json declaration_of(const RouteRecord& record);

/// The same without documentation: the contract of the route.
nlohmann::ordered_json contract_of(const RouteRecord& record);

}  // namespace fw::detail
