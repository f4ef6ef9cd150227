// [bad-schema] A schema is a string of the schema language with a known type; every form of
// SchemaField is read here.
#pragma once

#include <string_view>

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
/// schema is reported and taken for any value.
DeclaredSchema declared_field(const model::Value& value, Reporter& reporter);

/// The fields of a SchemaMap, as an object. `location`: where the route declares them, empty for
/// those of an object. The names of header fields are not case-sensitive (RFC 9110, 5.1).
DeclaredSchema declared_fields(const model::Value& fields, Reporter& reporter,
                               std::string_view location = {});

}  // namespace fairway::check
