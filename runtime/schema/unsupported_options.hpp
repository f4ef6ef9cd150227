// The options of a route that RouteOptions declares and the runtime does not implement yet. Asking
// for one is an error of the route compiler and of the application's start; asking that nothing
// happen (`.cache = false`) is allowed. An option that is implemented loses its row here, and the
// row of the same name in compiler/check/unsupported_option.cpp and
// runtime/app/declaration_check.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace fw::schema {

inline constexpr std::array<std::string_view, 1> kUnsupportedOptions = {"frontend"};

/// Whether `rows` are these options in this order, for a static_assert next to each table.
template <class Rows>
constexpr bool names_unsupported_options(const Rows& rows) {
  return std::ranges::equal(rows, kUnsupportedOptions, {},
                            [](const auto& row) { return row.name; });
}

}  // namespace fw::schema
