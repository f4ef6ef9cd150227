// Resolved values of members that have the type Json.
#pragma once

#include <string_view>

#include "model/application.hpp"
#include "model/value.hpp"

namespace fairway::check {

/// The JSON value that the braces stand for, by nlohmann's rule: a list whose items all are arrays
/// of two that begin with a string, however they were written, is an object, and any other list an
/// array.
model::Json json_value(const model::Value& value);

/// Where the part of `json_value(value)` is written that a JSON pointer leads to; the nearest part
/// around it that is written on its own.
const model::Value& written_at(const model::Value& value, std::string_view pointer);

}  // namespace fairway::check
