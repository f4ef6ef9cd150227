// The parts of an OpenAPI document, each built in its own source file.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emit/openapi_components.hpp"
#include "model/application.hpp"
#include "model/openapi_options.hpp"

namespace fairway::emit {

// openapi.cpp: Paths in the OpenAPI document.

/// A route's path in the document.
struct DocumentedPath {
  std::string path;  ///< "/users/{id}"
  /// Parameters in order: the name in the route ("*" for a bare wildcard) and in the document.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string wildcard;  ///< the document's name of the wildcard, if there is one
};

/// Paths that differ only in the names or kinds of their parameters share one path item in OpenAPI,
/// which uses the names of the first route.
class DocumentedPaths {
 public:
  DocumentedPath add(const model::Route& route);

 private:
  std::map<std::string, std::vector<std::string>> names_by_shape_;
};

// openapi_operation.cpp: One operation of the OpenAPI document.

/// The operation of a route at its documented path. `file` is the route file.
model::Json operation_json(const std::string& file, const model::Route& route,
                           const DocumentedPath& path, const model::OpenApiOptions& options,
                           Components& components);

/// A summary from the words of an operation id: "getUsersById" gives "Get users by id".
std::string inferred_summary(const std::string& operation_id);

// openapi_responses.cpp: `responses` of an operation: the declared ones and the framework's.

/// The responses of a route, in the order of their keys.
model::Json operation_responses(const std::string& file, const model::Route& route,
                                const model::OpenApiOptions& options, Components& components);

// openapi_schemas.cpp: Schemas in the OpenAPI document.

/// JSON Schema of a node, with members in a fixed order and properties in declaration order.
model::Json schema_json(const fw::schema::Node& node);

/// The schema of bytes, for files of forms and downloads. It has a `format`, because many tools
/// still rely on it.
model::Json binary_schema();

/// The envelope of a success response around the schema of its data.
model::Json envelope_schema(model::Json data);

/// Whether a schema is one of `envelope_schema`.
bool is_envelope(const model::Json& schema);

/// The envelope around an example of the data.
model::Json envelope_example(const model::Json& data);

// openapi_errors.cpp: Bodies of error responses.

const model::Json& error_schema();
const model::Json& validation_error_schema();

/// The body of an error with a code, which is a string or an integer.
model::Json error_schema_with_code(const model::Json& code);

/// The code in the schema of the body of such an error; null for other schemas.
model::Json code_of_error(const model::Json& schema);

/// The name of the errors with a code: "ProductNotFound" for "PRODUCT_NOT_FOUND" and
/// "product.notFound", "Error40401" for 40401.
std::string name_of_error(const model::Json& code);

// openapi_component_names.cpp: Names of components, derived from the operation ids that use them.

/// The common noun of operations: the common first words of their ids without the verb. "Order" for
/// "createOrder" and "listOrdersById"; empty if there is none.
std::string common_noun(const std::vector<SchemaUse>& uses);

/// The name of a schema after one use: "CreateOrderBody".
std::string name_of_use(const SchemaUse& use);

/// The name of a schema with several uses: "Order" or "OrderBody", after the noun of all of them,
/// or of those that declare it. Otherwise the name of its first use that is not an item.
std::string name_of_uses(const std::vector<SchemaUse>& uses);

// openapi_versions.cpp: Converts OpenAPI 3.1 to other versions.

/// Converts a generated document to OpenAPI 3.0.3. Keywords without an equivalent in 3.0 are
/// omitted, so that schemas may allow more.
void convert_to_3_0(model::Json& document);

/// Converts a generated document to OpenAPI 3.2.0, which describes the items of streams.
void convert_to_3_2(model::Json& document);

}  // namespace fairway::emit
