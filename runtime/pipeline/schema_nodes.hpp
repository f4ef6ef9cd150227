// From declared schemas to the nodes that validate.
#pragma once

#include <fairway/schema.hpp>

#include <string>
#include <vector>

#include "schema/schema.hpp"

namespace fw::detail {

/// The object node of a location's fields. Appends one text for each DSL text that is no schema.
schema::Node compile_fields(const SchemaMap& fields, std::vector<std::string>& faults);

/// The node of one field.
schema::Node compile_field(const SchemaField& field, std::vector<std::string>& faults);

}  // namespace fw::detail
