// The schema of a C++ type in responses.
#pragma once

#include "model/application.hpp"

namespace fairway::model {

/// Like the schema of the type in requests, but members with a default are required: they are
/// always written. Several types are an `anyOf`. Throws std::invalid_argument for other schemas
/// than C++ types have.
TypeSchema type_in_responses(Json schema);

}  // namespace fairway::model
