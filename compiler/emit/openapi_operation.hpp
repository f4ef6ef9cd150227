// One operation of the OpenAPI document.
#pragma once

#include "emit/openapi.hpp"
#include "emit/openapi_components.hpp"
#include "emit/openapi_paths.hpp"

namespace fairway::emit {

/// The operation of a route at its documented path. `file` is the route file.
model::Json operation_json(const std::string& file, const model::Route& route,
                           const DocumentedPath& path, const OpenApiOptions& options,
                           Components& components);

/// A summary made of the words of an operation id: "getUsersById" gives "Get users by id".
std::string inferred_summary(const std::string& operation_id);

}  // namespace fairway::emit
