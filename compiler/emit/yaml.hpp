// JSON values as YAML text.
#pragma once

#include <string>

#include "model/application.hpp"

namespace fairway::emit {

/// Block style, two blanks a level, members in their order; strings in quotes unless no reader of
/// YAML 1.1 or 1.2 can take them for anything else, strings of several lines as literal blocks.
/// Ends with a line end; the same for the same value.
std::string to_yaml(const model::Json& value);

}  // namespace fairway::emit
