// An application whose schemas are C++ types of every form (docs/types.md), as the manifest has it.
#pragma once

#include "model/application.hpp"

namespace fairway::testing {

model::Application typed_application();

/// A body of its operation 'placeOrder', which has every form of a schema.
model::Json typed_order();

}  // namespace fairway::testing
