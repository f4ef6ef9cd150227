// `responses` of an operation: declared answers, and those that the framework gives by itself.
#pragma once

#include "emit/openapi.hpp"
#include "emit/openapi_components.hpp"

namespace fairway::emit {

/// The responses of a route, in the order of their keys.
model::Json operation_responses(const std::string& file, const model::Route& route,
                                const OpenApiOptions& options, Components& components);

}  // namespace fairway::emit
