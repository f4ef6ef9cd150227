// The OpenAPI document of an application, the AsyncAPI document of its sockets, and their text.
#pragma once

#include <filesystem>
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

// yaml_writer.cpp

enum class DocumentFormat { json, yaml };

/// YAML for names that end in .yaml or .yml, otherwise JSON.
DocumentFormat format_of(const std::filesystem::path& file);

/// The content of a file.
std::string document_text(const model::Json& document, DocumentFormat format);

/// Block style with an indentation of two spaces and members in the order of `value`. A string is
/// written without quotes only if every parser of YAML 1.1 or 1.2 is known to read it as the same
/// string. A string of several lines is a literal block if it is printable ASCII and such a block
/// preserves its white space. Ends with a line end. Deterministic.
std::string to_yaml(const model::Json& value);

}  // namespace fairway::emit
