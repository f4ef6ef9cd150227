#include "exchange/json_body.hpp"

#include <new>
#include <simdjson.h>

namespace fw::detail {
namespace {

namespace dom = simdjson::dom;

/// Maximum nesting of bodies, because recursive code would exhaust the stack.
constexpr std::size_t kMaxBodyDepth = 512;
/// Each thread keeps the parser buffers for bodies of up to this size. They take 14 bytes for each
/// byte of the body, so a thread keeps less than 128 KiB.
constexpr std::size_t kMaxKept = 8 * 1024;

static_assert(kBodyPadding >= simdjson::SIMDJSON_PADDING);

bool is_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxBodyDepth) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Json to_json(dom::element element);

Json to_json(dom::object object) {
  Json::object_t members;
  for (const auto& [name, value] : object)
    members.insert_or_assign(std::string(name), to_json(value));
  return Json(std::move(members));
}

Json to_json(dom::array array) {
  Json::array_t items;
  items.reserve(array.size());
  for (const dom::element item : array) items.push_back(to_json(item));
  return Json(std::move(items));
}

Json to_json(dom::element element) {
  switch (element.type()) {
    case dom::element_type::ARRAY:
      return to_json(element.get_array().value_unsafe());
    case dom::element_type::OBJECT:
      return to_json(element.get_object().value_unsafe());
    case dom::element_type::INT64: {
      const std::int64_t number = element.get_int64().value_unsafe();
      // Like in nlohmann's parser, integers that are not negative are unsigned.
      return number < 0 ? Json(number) : Json(static_cast<std::uint64_t>(number));
    }
    case dom::element_type::UINT64:
      return element.get_uint64().value_unsafe();
    case dom::element_type::DOUBLE:
      return element.get_double().value_unsafe();
    case dom::element_type::STRING:
      return element.get_string().value_unsafe();
    case dom::element_type::BOOL:
      return element.get_bool().value_unsafe();
    case dom::element_type::NULL_VALUE:
      return nullptr;
  }
  return nullptr;
}

/// A parser that rejects values that are nested too deeply.
dom::parser make_parser(std::size_t capacity) {
  dom::parser parser;
  if (parser.allocate(capacity, kMaxBodyDepth) != simdjson::SUCCESS) throw std::bad_alloc();
  return parser;
}

/// A string parsed by simdjson; valid until the next one on the same thread.
struct Parsed {
  explicit Parsed(std::string& text) {
    text.reserve(text.size() + kBodyPadding);
    thread_local dom::parser kept = make_parser(kMaxKept);
    dom::parser& parser = text.size() <= kMaxKept ? kept : own.emplace(make_parser(text.size()));
    dom::element element;
    const auto error = parser.parse(text.data(), text.size(), false).get(element);
    // Values of nlohmann's must not be built then: they need memory even to be destroyed.
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    if (error == simdjson::SUCCESS) root = element;
  }

  std::optional<dom::parser> own;    ///< for a large text
  std::optional<dom::element> root;  ///< none if it rejects the text
};

}  // namespace

bool has_more_values_than(std::size_t most, std::string_view text) {
  if (text.size() / 2 < most) return false;  // a value and its separator take at least two bytes
  std::size_t count = 1;
  bool opened = false;  // an array or object whose first item has not been reached
  for (std::size_t i = 0; i < text.size() && count <= most; ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    if (opened && c != ']' && c != '}') ++count;
    opened = c == '[' || c == '{';
    if (c == ',') {
      ++count;
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
    }
  }
  return count > most;
}

std::optional<Json> parse_json_body(std::string& text) {
  Parsed parsed(text);
  if (parsed.root) return to_json(*parsed.root);
  // simdjson also rejects some valid texts: integers of more than 64 bits, a byte order mark, the
  // deepest levels. nlohmann's slower parser decides. A zero byte, which is never valid, would end
  // its input.
  if (text.find('\0') != std::string::npos || is_too_deep(text)) return std::nullopt;
  Json value = Json::parse(text.begin(), text.end(), nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

std::optional<JsonMembers> parse_json_members(std::string& text) {
  Parsed parsed(text);
  JsonMembers members;
  if (parsed.root) {
    dom::object object;
    if (parsed.root->get_object().get(object) != simdjson::SUCCESS) return std::nullopt;
    members.reserve(object.size());
    for (const auto& [name, value] : object) members.emplace_back(name, to_json(value));
    return members;
  }
  std::optional<Json> value = parse_json_body(text);
  if (!value || !value->is_object()) return std::nullopt;
  for (auto& [name, member] : value->items()) members.emplace_back(name, std::move(member));
  return members;
}

}  // namespace fw::detail
