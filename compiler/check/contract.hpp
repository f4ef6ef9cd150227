// The contract of a route as schema/fingerprint.hpp defines it: built in this one place.
#pragma once

#include "model/application.hpp"

namespace fairway::check {

/// `validate` and `responses` are the declared schemas as the contract spells them.
model::Json route_contract(const model::Route& route, const model::Json& validate,
                           const model::Json& responses);

}  // namespace fairway::check
