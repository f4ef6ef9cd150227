// The parts of an OpenAPI document, each built in a source file of its own.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emit/openapi.hpp"
#include "emit/openapi_components.hpp"
#include "model/application.hpp"

namespace fairway::emit {

// openapi_paths.cpp: Paths in the OpenAPI document.

/// A route's path in the document.
struct DocumentedPath {
  std::string path;  ///< "/users/{id}"
  /// Parameters in order: the name in the route ("*" for a bare wildcard) and in the document.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string wildcard;  ///< the document's name of the wildcard, if there is one
};

/// Paths that differ in their parameters only, by name or by one being a wildcard, are one path
/// item in OpenAPI: the names of the first route count.
class DocumentedPaths {
 public:
  DocumentedPath add(const model::Route& route);

 private:
  std::map<std::string, std::vector<std::string>> names_by_shape_;
};

// openapi_operation.cpp: One operation of the OpenAPI document.

/// The operation of a route at its documented path. `file` is the route file.
model::Json operation_json(const std::string& file, const model::Route& route,
                           const DocumentedPath& path, const OpenApiOptions& options,
                           Components& components);

/// A summary made of the words of an operation id: "getUsersById" gives "Get users by id".
std::string inferred_summary(const std::string& operation_id);

// openapi_responses.cpp: `responses` of an operation: declared ones, and those that the
// framework gives by itself.

/// The responses of a route, in the order of their keys.
model::Json operation_responses(const std::string& file, const model::Route& route,
                                const OpenApiOptions& options, Components& components);

// openapi_security.cpp: Security of operations in the OpenAPI document (reference: Documentation
// metadata, the inference order).

/// Whether the guard can respond with 401 and 403.
bool is_guarded(const model::Route& route);

/// The operation's `security`: `[]` for a public one.
model::Json operation_security(const model::Route& route,
                               const std::map<std::string, std::string>& guard_security);

/// Adds the schemes that a `security` member names. Routes name schemes without a type: those that
/// are not `described` by the configuration are HTTP bearer schemes.
void add_security_schemes(const model::Json& security, const model::Json& described,
                          model::Json& schemes);

// openapi_schemas.cpp: Schemas in the OpenAPI document.

/// JSON Schema of a node, with members in a fixed order and properties in declaration order.
model::Json schema_json(const fw::schema::Node& node);

/// Bytes: files of a form, downloads. `format` is what most tools of OpenAPI still look at.
model::Json binary_schema();

/// The envelope of a success response around the schema of its data.
model::Json envelope_schema(model::Json data);

/// Whether a schema is one of `envelope_schema`.
bool is_envelope(const model::Json& schema);

/// The envelope around an example of the data.
model::Json envelope_example(const model::Json& data);

// openapi_component_names.cpp: Names of components, made of the operation ids that use them.

/// What operations act on: the words that their ids begin with, the verb aside. "createOrder" and
/// "listOrdersById" have "Order" in common; nothing in common gives an empty text.
std::string common_noun(const std::vector<SchemaUse>& uses);

/// The name that its first use alone gives a schema: "CreateOrderBody".
std::string name_of_use(const SchemaUse& use);

/// The name of a schema with several uses: "Order", "OrderBody", else that of its first use that is
/// not an item.
std::string name_of_uses(const std::vector<SchemaUse>& uses);

// openapi_3_0.cpp: From OpenAPI 3.1 to 3.0.3.

/// Rewrites a document of this project, whatever JSON Schemas it has, in the words of OpenAPI
/// 3.0.3. Keywords that 3.0 has no word for are left out: the schema then allows more.
void convert_to_3_0(model::Json& document);

}  // namespace fairway::emit
