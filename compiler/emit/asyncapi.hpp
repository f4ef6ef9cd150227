// The AsyncAPI document of an application: its sockets.
#pragma once

#include "model/application.hpp"

namespace fairway::emit {

/// The AsyncAPI 3.0.0 document of the sockets of an OpenAPI 3.1 document from `openapi_document`;
/// null if it has none. A socket is a channel with the id of its operation, with an operation
/// `<id>.receive` and `<id>.send` for each direction that has messages.
model::Json asyncapi_document(const model::Json& openapi);

}  // namespace fairway::emit
