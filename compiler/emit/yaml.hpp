// Writes JSON values as YAML.
#pragma once

#include <string>

#include "model/application.hpp"

namespace fairway::emit {

/// Block style with an indentation of two spaces and members in order. Strings are quoted unless
/// every parser of YAML 1.1 or 1.2 reads them as strings; strings of several lines are
/// literal blocks if they are printable ASCII and such a block preserves their white space. Ends
/// with a line end. Deterministic.
std::string to_yaml(const model::Json& value);

}  // namespace fairway::emit
