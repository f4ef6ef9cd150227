#include "exchange/json_text.hpp"

#include <cstdint>

#include "exchange/append_number.hpp"
#include "schema/ascii.hpp"

namespace fw::detail {
namespace {

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Whether a JSON string has each byte as it is.
bool is_plain(std::string_view text) {
  return !schema::any_byte(text, [](std::uint64_t word) {
    return schema::mark_below(word, ' ') | schema::mark_equal(word, '"') |
           schema::mark_equal(word, '\\') | (word & schema::eight_of(0x80));
  });
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
