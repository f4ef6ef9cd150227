#pragma once

#include <string>

#include "model/application.hpp"

namespace fairway::emit {

/// A member of a schema that is a text, or an empty text.
inline std::string text(const model::Json& schema, const char* member) {
  const auto found = schema.find(member);
  return found != schema.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace fairway::emit
