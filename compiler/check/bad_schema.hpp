// [bad-schema] A schema is a string of the schema language with a known type; every form of
// SchemaField is read here.
#pragma once

#include <string_view>

#include "check/reporter.hpp"
#include "schema/schema.hpp"

namespace fairway::check {

/// One field: a string, a field builder, a nested object, `array_of` or `optional`. What is not a
/// schema is reported and read as one that takes any value.
fw::schema::Node declared_field(const model::Value& value, Reporter& reporter);

/// The fields of a SchemaMap, as an object. `location`: where the route declares them, empty for
/// those of an object. The names of header fields are not case-sensitive (RFC 9110, 5.1).
fw::schema::Node declared_fields(const model::Value& fields, Reporter& reporter,
                                 std::string_view location = {});

}  // namespace fairway::check
