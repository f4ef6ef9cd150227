#include "base/json_text.hpp"

#include <cstdint>

#include "base/ascii.hpp"
#include "base/text.hpp"

namespace fw::base {
namespace {

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Whether a string needs no escapes in JSON.
bool is_plain(std::string_view text) {
  return !any_byte(text, [](std::uint64_t word) {
    return mark_below(word, ' ') | mark_equal(word, '"') | mark_equal(word, '\\') |
           (word & eight_of(0x80));
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

std::string pointer_step(std::string_view name) {
  Json::json_pointer step;
  step.push_back(std::string(name));
  return step.to_string();
}

void destroy_iteratively(Json& value, int deepest) noexcept {
  if (deepest == 0) return;
  if (auto* items = value.get_ptr<Json::array_t*>()) {
    for (Json& item : *items) {
      if (item.is_structured()) destroy_iteratively(item, deepest - 1);
    }
    items->clear();
  } else if (auto* members = value.get_ptr<Json::object_t*>()) {
    for (auto& [name, member] : *members) {
      if (member.is_structured()) destroy_iteratively(member, deepest - 1);
    }
    members->clear();
  }
}

}  // namespace fw::base
