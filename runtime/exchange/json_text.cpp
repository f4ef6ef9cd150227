#include "exchange/json_text.hpp"

#include <cstdint>
#include <cstring>

#include "exchange/append_number.hpp"

namespace fw::detail {
namespace {

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Whether each byte stands for itself in JSON text, whatever is around it. Looks at eight bytes at
/// a time: most texts are plain.
bool is_plain(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x80 * kOnes;
  // The high bit of a byte is set if the byte is below 0x20, a quotation mark, a backslash, or 0x80
  // and above.
  const auto special = [](std::uint64_t bytes) {
    const auto zeros = [](std::uint64_t x) { return (x - kOnes) & ~x; };
    return ((bytes - 0x20 * kOnes) | zeros(bytes ^ ('"' * kOnes)) | zeros(bytes ^ ('\\' * kOnes)) |
            bytes) &
           kHighs;
  };
  std::uint64_t found = 0;
  std::uint64_t bytes = 0;
  while (text.size() >= sizeof bytes) {
    std::memcpy(&bytes, text.data(), sizeof bytes);
    found |= special(bytes);
    text.remove_prefix(sizeof bytes);
  }
  if (!text.empty()) {
    bytes = 0x2020202020202020;
    std::memcpy(&bytes, text.data(), text.size());
    found |= special(bytes);
  }
  return found == 0;
}

}  // namespace

void append_json(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      out += "null";
      return;
    case Json::value_t::boolean:
      out += value.get<bool>() ? "true" : "false";
      return;
    case Json::value_t::number_integer:
      return append_number(out, value.get<Json::number_integer_t>());
    case Json::value_t::number_unsigned:
      return append_number(out, value.get<Json::number_unsigned_t>());
    case Json::value_t::string:
      return append_json_text(out, value.get_ref<const Json::string_t&>());
    case Json::value_t::array: {
      char before = '[';
      for (const Json& item : value.get_ref<const Json::array_t&>()) {
        out += before;
        append_json(out, item);
        before = ',';
      }
      out += before == '[' ? "[]" : "]";
      return;
    }
    case Json::value_t::object: {
      char before = '{';
      for (const auto& [name, member] : value.get_ref<const Json::object_t&>()) {
        out += before;
        append_json_text(out, name);
        out += ':';
        append_json(out, member);
        before = ',';
      }
      out += before == '{' ? "{}" : "}";
      return;
    }
    case Json::value_t::number_float:
    case Json::value_t::binary:
    case Json::value_t::discarded:
      out += dump(value);
      return;
  }
}

std::string to_json_text(const Json& value) {
  std::string text;
  append_json(text, value);
  return text;
}

void append_json_text(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  out += dump(Json(text));
}

}  // namespace fw::detail
