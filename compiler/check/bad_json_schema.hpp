// [bad-json-schema] The text of `fw::json_schema` is JSON and a schema.
#pragma once

#include <optional>
#include <string>

#include "check/reporter.hpp"
#include "model/application.hpp"

namespace fairway::check {

/// What is wrong in a JSON value, and where: "must be a string" at a JSON pointer.
struct JsonError {
  std::string pointer;
  std::string message;
};

/// The first keyword of a JSON Schema 2020-12, by the order of members, that has a value of the
/// wrong kind. `pointer` is that of the schema itself.
std::optional<JsonError> find_schema_error(const model::Json& schema, const std::string& pointer);

/// Whether a value is a call of `fw::json_schema` with a string.
bool is_json_schema(const model::Value& value);

/// Reports a string of `fw::json_schema` that is not a JSON Schema.
void check_json_schema(const model::Value& text, Reporter& reporter);

}  // namespace fairway::check
