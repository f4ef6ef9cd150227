// The OpenAPI document of an application.
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

}  // namespace fairway::emit
