// The rules that look at all routes together. Each has a file of its own, named after its id.
#pragma once

#include <string>

#include "model/application.hpp"
#include "model/diagnostic.hpp"

namespace fairway::check {

/// [duplicate-route-file] Reports files that map to one prefix and removes all but the first, so
/// that nothing else is said about them.
void check_duplicate_route_files(model::Application& application, model::Diagnostics& diagnostics);

/// [duplicate-route] A method and path stand once; case and trailing slashes make no difference.
void check_duplicate_routes(const model::Application& application, model::Diagnostics& diagnostics);

/// [ambiguous-route] Two routes of a method differ in more than the names of parameters.
void check_ambiguous_routes(const model::Application& application, model::Diagnostics& diagnostics);

/// [duplicate-operation-id] Written and inferred ids are unique.
void check_duplicate_operation_ids(const model::Application& application,
                                   model::Diagnostics& diagnostics);

}  // namespace fairway::check
