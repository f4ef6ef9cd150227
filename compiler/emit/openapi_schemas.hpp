// Schemas in the OpenAPI document.
#pragma once

#include "model/application.hpp"

namespace fairway::emit {

/// JSON Schema of a node, with members in a fixed order and properties in declaration order.
model::Json schema_json(const fw::schema::Node& node);

/// Bytes: files of a form, downloads. `format` is what most tools of OpenAPI still look at.
model::Json binary_schema();

/// The envelope of a success answer around the schema of its data.
model::Json envelope_schema(model::Json data);

/// Whether a schema is one of `envelope_schema`.
bool is_envelope(const model::Json& schema);

/// The envelope around an example of the data.
model::Json envelope_example(const model::Json& data);

}  // namespace fairway::emit
