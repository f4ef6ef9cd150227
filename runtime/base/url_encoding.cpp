#include "base/url_encoding.hpp"

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace fw::base {
namespace {

/// The byte for `%XX` at the start of `text`, or -1.
int percent_byte(std::string_view text) {
  if (text.size() < 3 || !is_hex_digit(text[1]) || !is_hex_digit(text[2])) {
    return -1;
  }
  return static_cast<int>(hex_value(text[1]) * 16 + hex_value(text[2]));
}

}  // namespace

std::optional<std::string> decode_path(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (true) {
    const auto plain = std::min(text.find('%'), text.size());
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const int byte = percent_byte(text);
    if (byte < 0) return std::nullopt;
    result += static_cast<char>(byte);
    text.remove_prefix(3);
  }
  if (!count_code_points(result).well_formed) return std::nullopt;
  return result;
}

std::string decode_form(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int byte = text[i] == '%' ? percent_byte(text.substr(i)) : -1;
    if (byte >= 0) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return valid_utf8(std::move(result));
}

TextMap parse_query(std::string_view query) {
  TextMap map;
  for_each_form_pair(query, [&](std::string name, std::string value) {
    map.insert(std::move(name), std::move(value));
  });
  return map;
}

std::string encode_form(std::string_view text) {
  std::string encoded = percent_encode(text, "*-._ ");
  std::replace(encoded.begin(), encoded.end(), ' ', '+');
  return encoded;
}

std::string percent_encode(std::string_view text, std::string_view safe) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (is_alphanumeric(c) || safe.find(c) != std::string_view::npos) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += '%';
      result += kDigits[byte / 16];
      result += kDigits[byte % 16];
    }
  }
  return result;
}

}  // namespace fw::base
