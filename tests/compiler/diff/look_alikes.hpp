// Pairs that look like a change of the catalogue, and are none or another one.
#pragma once

#include <span>
#include <string_view>

namespace fairway::testing {

struct LookAlike {
  std::string_view id;  ///< of a row; "*-type-narrowed" stands for requests and responses
  std::string_view before;
  std::string_view after;
};

std::span<const LookAlike> look_alikes();

}  // namespace fairway::testing
