// Schemas in the OpenAPI document.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/application.hpp"

namespace fairway::emit {

/// JSON Schema of a node, with members in a fixed order and properties in declaration order.
model::Json schema_json(const fw::schema::Node& node);

/// `components.schemas`: those that operations refer to, in order of their names.
class Components {
 public:
  /// A reference to the body of an error answer.
  model::Json error();
  /// A reference to the body of a failed validation.
  model::Json validation_error();
  /// A declared schema. A JSON Schema that refers to parts of itself becomes a component of that
  /// name, so that its references still find them.
  model::Json declared(const model::Schema& schema, const std::string& name);

  /// Null when nothing was referred to.
  model::Json schemas() const;

 private:
  model::Json reference(const std::string& name, const model::Json& schema);

  std::map<std::string, model::Json> schemas_;
};

/// The envelope of a success answer around the schema of its data.
model::Json envelope_schema(model::Json data);

/// Whether a schema is one of `envelope_schema`.
bool is_envelope(const model::Json& schema);

/// The envelope around an example of the data.
model::Json envelope_example(const model::Json& data);

}  // namespace fairway::emit
