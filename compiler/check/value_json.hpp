// Resolved values as JSON: members that have the type Json, and whole options as the manifest
// has them.
#pragma once

#include <string_view>

#include "model/application.hpp"
#include "model/value.hpp"

namespace fairway::check {

// json_value.cpp: Resolved values of members that have the type Json.

/// The JSON value that the braces describe, by nlohmann's rule: a list whose items all are arrays
/// of two that begin with a string, however they were written, is an object, and any other list an
/// array.
model::Json json_value(const model::Value& value);

/// Where the part of `json_value(value)` is written that a JSON pointer leads to; the nearest part
/// around it that is written on its own.
const model::Value& written_at(const model::Value& value, std::string_view pointer);

// option_json.cpp: The options that a route writes, as the manifest has them: the reference's
// names and shapes.

/// The members of an options record, by their rows in model/option_members.hpp. Values of the
/// wrong kind are left out: they are reported elsewhere.
model::Json option_json(const model::Value& record);

/// A field of a schema as schema/fingerprint.hpp spells it: a string, a field builder, an object,
/// `array_of` or `optional`. Null for anything else.
model::Json schema_json(const model::Value& field);

}  // namespace fairway::check
