// A string literal as a template argument, for fw::Field<"integer:1-"> and fw::Literal<"card">.
#pragma once

#include <cstddef>
#include <string_view>

namespace fw::detail {

template <std::size_t kSize>
struct FixedText {
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is a template argument without a name
  consteval FixedText(const char (&text)[kSize]) {
    for (std::size_t i = 0; i < kSize; ++i) characters[i] = text[i];
  }

  constexpr std::string_view view() const { return {characters, kSize - 1}; }

  char characters[kSize] = {};  // public, as template arguments require
};

}  // namespace fw::detail
