// A static value on one line, for expectations:
//
//   RouteOptions{validate: Validate{body: [["name", "string"]]}, auth: true}
//   compile_field("email").description("Mail")     list: […]   callable: function
#pragma once

#include <string>

#include "model/value.hpp"

namespace fairway::test {

std::string value_text(const model::Value& value);

}  // namespace fairway::test
