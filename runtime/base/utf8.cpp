#include "base/utf8.hpp"

#include <algorithm>

#include "base/word_scan.hpp"

namespace fw::base {

Utf8Part utf8_part(std::string_view text) {
  Utf8Validator validator;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!validator.add(static_cast<unsigned char>(text[i]))) {
      return {std::max<std::size_t>(i, 1), false};
    }
    if (validator.is_complete()) return {i + 1, true};
  }
  return {text.size(), false};
}

std::size_t code_point_length(std::string_view text) {
  const Utf8Part part = utf8_part(text);
  return part.is_code_point ? part.length : 0;
}

CodePoints count_code_points(std::string_view text) {
  const auto is_ascii = [](std::string_view part) {
    return !any_byte(part, [](auto bytes) { return bytes & eight_of(0x80); });
  };
  if (is_ascii(text)) return {.count = text.size()};
  CodePoints result;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, sizeof(std::uint64_t));
    if (is_ascii(word)) {
      result.count += word.size();
      text.remove_prefix(word.size());
      continue;
    }
    std::size_t length = code_point_length(text);
    if (length == 0) {
      result.well_formed = false;
      length = 1;
    }
    ++result.count;
    text.remove_prefix(length);
  }
  return result;
}

std::string valid_utf8(std::string text) {
  if (count_code_points(text).well_formed) return text;
  std::string result;
  result.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = code_point_length(rest);
    result += length == 0 ? std::string_view("\xEF\xBF\xBD") : rest.substr(0, length);
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

}  // namespace fw::base
