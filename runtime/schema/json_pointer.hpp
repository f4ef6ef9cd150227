// JSON pointers (RFC 6901).
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace fw::schema {

/// A member's name as a step of a pointer: "/a~1b" of "a/b".
inline std::string pointer_step(std::string_view name) {
  nlohmann::json::json_pointer step;
  step.push_back(std::string(name));
  return step.to_string();
}

}  // namespace fw::schema
