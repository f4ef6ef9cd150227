// [bad-schema] A schema is a text of the schema language with a known type; every form of
// SchemaField is read here.
#pragma once

#include "check/reporter.hpp"
#include "model/application.hpp"
#include "schema/schema.hpp"

namespace fairway::check {

/// A declared schema: what it means, and how the route's contract spells it (see
/// schema/fingerprint.hpp).
struct DeclaredSchema {
  fw::schema::Node node;
  model::Json contract;
};

/// One field: a string, a field builder, a nested object, `array_of` or `optional`. What is no
/// schema is reported and stands for any value.
DeclaredSchema declared_field(const model::Value& value, Reporter& reporter);

enum class FieldNames { exact, header };  ///< names of header fields have no case (RFC 9110, 5.1)

/// The fields of a SchemaMap, as an object.
DeclaredSchema declared_fields(const model::Value& fields, Reporter& reporter,
                               FieldNames names = FieldNames::exact);

}  // namespace fairway::check
