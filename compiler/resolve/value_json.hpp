// Converts resolved values to JSON: members of type Json, and all options of a route for the
// manifest.
#pragma once

#include <string_view>

#include "model/application.hpp"
#include "model/value.hpp"

namespace fairway::resolve {

/// The JSON value that nested braces describe, by the rule of nlohmann::json: a list is an object
/// if every item is an array of two whose first element is a string, and an array otherwise.
model::Json json_value(const model::Value& value);

/// The value in the source at a JSON pointer into `json_value(value)`, or else the nearest
/// enclosing value that the source contains.
const model::Value& written_at(const model::Value& value, std::string_view pointer);

// option_json.cpp: Converts the options of a route to the JSON of the manifest, whose names and
// structure are the same as in configuration files.

/// The members of an options record, by their rows in options/option_members.hpp. Values of the
/// wrong type and entries of `responses` without a valid selector are omitted, because other checks
/// report them.
model::Json option_json(const model::Value& record);

/// A field of a schema in the format of schema/fingerprint.hpp. The value is a string, a field
/// builder, an object, `array_of` or `optional`; the result is null for anything else.
model::Json schema_json(const model::Value& field);

}  // namespace fairway::resolve
