// Resolved values of members that have the type Json.
#pragma once

#include "model/application.hpp"
#include "model/value.hpp"

namespace fairway::check {

/// The JSON value that the braces stand for, by nlohmann's rule: a list whose items all are pairs
/// that begin with a text is an object, any other list an array, and empty braces are null.
model::Json json_value(const model::Value& value);

}  // namespace fairway::check
