// [bad-json-schema] The text of `fw::json_schema` is JSON and a schema.
#pragma once

#include "check/reporter.hpp"
#include "model/application.hpp"

namespace fairway::check {

/// The schema of a JSON Schema text; what is none is reported and stands for any value.
model::Json json_schema_of(const model::Value& text, Reporter& reporter);

}  // namespace fairway::check
