// What tests ask of the responses of cached routes.
#pragma once

#include <fairway/testing.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace fw::support {

/// "MISS 1": the X-Cache field and the number of times that the handler has run.
inline std::string outcome(const testing::TestResponse& response) {
  return std::string(response.header("x-cache").value_or("-")) + " " +
         std::to_string(response.json().at("data").at("hits").get<int>());
}

/// The number of fields of that name, in lower case.
inline std::ptrdiff_t count(const testing::TestResponse& response, std::string_view name) {
  return std::count_if(response.headers.begin(), response.headers.end(),
                       [&](const auto& field) { return field.first == name; });
}

}  // namespace fw::support
