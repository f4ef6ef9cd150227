// Enumerations in the database: a text for each value, in the order of the enumerators.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

template <std::size_t kCount>
using EnumTexts = std::array<std::string_view, kCount>;

template <class Enum, std::size_t kCount>
std::string text_of(const EnumTexts<kCount>& texts, Enum value) {
  return std::string(texts.at(static_cast<std::size_t>(value)));
}

/// Throws std::out_of_range for a text that is none of these.
template <class Enum, std::size_t kCount>
Enum value_of(const EnumTexts<kCount>& texts, std::string_view text) {
  const auto found = std::ranges::find(texts, text);
  if (found == texts.end()) throw std::out_of_range("unknown value: " + std::string(text));
  return static_cast<Enum>(found - texts.begin());
}
