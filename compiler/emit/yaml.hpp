// Writes JSON values as YAML.
#pragma once

#include <string>

#include "model/application.hpp"

namespace fairway::emit {

/// Block style with an indentation of two spaces and members in the order of `value`. A string is
/// written without quotes only if every parser of YAML 1.1 or 1.2 is known to read it as the same
/// string. A string of several lines is a literal block if it is printable ASCII and such a block
/// preserves its white space. Ends with a line end. Deterministic.
std::string to_yaml(const model::Json& value);

}  // namespace fairway::emit
