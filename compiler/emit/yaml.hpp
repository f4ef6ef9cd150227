// Writes JSON values as YAML.
#pragma once

#include <string>

#include "model/application.hpp"

namespace fairway::emit {

/// Block style with an indentation of two spaces and members in the order of `value`. Strings are
/// quoted unless they have only characters that every parser of YAML 1.1 or 1.2 reads as parts of a
/// string. Strings of several lines are literal blocks if they are printable ASCII and such a block
/// preserves their white space. Ends with a line end. Deterministic.
std::string to_yaml(const model::Json& value);

}  // namespace fairway::emit
