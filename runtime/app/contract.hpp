// The part of a registered route that generated code depends on.
#pragma once

#include <fairway/router.hpp>

#include <nlohmann/json.hpp>

namespace fw::detail {

/// The contract that schema/fingerprint.hpp describes.
nlohmann::ordered_json contract_of(const RouteRecord& record);

}  // namespace fw::detail
