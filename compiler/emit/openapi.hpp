// The OpenAPI document of an application, and the AsyncAPI document of its sockets.
#pragma once

#include <string>
#include <vector>

#include "model/application.hpp"
#include "model/openapi_options.hpp"

namespace fairway::emit {

/// The document as a JSON value. Throws std::logic_error if it has one of `reference_errors`, which
/// the rule [openapi-invalid] excludes.
model::Json openapi_document(const model::Application& application,
                             const model::OpenApiOptions& options);

/// The same with default options.
model::Json default_openapi_document(const model::Application& application);

/// A reference in a document that leads to no schema of the document.
struct ReferenceError {
  std::string pointer;
  std::string reference;
};

/// The errors in all schemas of the document.
std::vector<ReferenceError> reference_errors(const model::Application& application,
                                             const model::OpenApiOptions& options);

/// A document as indented JSON text with a line end.
std::string openapi_text(const model::Json& document);

// asyncapi.cpp

/// The AsyncAPI 3.0.0 document of the sockets of an OpenAPI 3.1 document from `openapi_document`;
/// null if it has none. A socket is a channel with the id of its operation, with an operation
/// `<id>.receive` and `<id>.send` for each direction that has messages.
model::Json asyncapi_document(const model::Json& openapi);

}  // namespace fairway::emit
