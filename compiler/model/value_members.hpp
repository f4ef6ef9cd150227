// Reads the members, items and source ranges of resolved values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.hpp"

namespace fairway::model {

/// The member with that name, or null.
inline const Member* find_member(const Value& record, std::string_view name) {
  const auto found = std::ranges::find(record.members, name, &Member::name);
  return found == record.members.end() ? nullptr : &*found;
}

/// The member's value, or null.
inline const Value* member_value(const Value& record, std::string_view name) {
  const Member* member = find_member(record, name);
  return member ? &member->value : nullptr;
}

inline bool is_kind(const Value* value, Value::Kind kind) { return value && value->kind == kind; }

/// The number in a value; empty for booleans and strings.
inline std::optional<double> number_of(const Value& value) {
  if (value.kind == Value::Kind::integer) return static_cast<double>(value.integer);
  if (value.kind == Value::Kind::number) return value.number;
  return std::nullopt;
}

/// The value of a string member; empty if it is absent.
inline std::string string_member(const Value& record, std::string_view name) {
  const Value* value = member_value(record, name);
  return is_kind(value, Value::Kind::string) ? value->text : std::string();
}

/// The value of a boolean member, if it is present.
inline std::optional<bool> flag_member(const Value& record, std::string_view name) {
  const Value* value = member_value(record, name);
  if (!is_kind(value, Value::Kind::boolean)) return std::nullopt;
  return value->boolean;
}

/// The strings of a list, or one string.
inline std::vector<std::string> strings_of(const Value& value) {
  if (value.kind == Value::Kind::string) return {value.text};
  std::vector<std::string> texts;
  for (const Value& item : value.items) {
    if (item.kind == Value::Kind::string) texts.push_back(item.text);
  }
  return texts;
}

/// `{name, value}`: an entry of a named list.
inline bool is_named_entry(const Value& value) {
  using enum Value::Kind;
  return value.kind == list && value.items.size() == 2 &&
         (value.items[0].kind == string || value.items[0].kind == integer);
}

/// The name of a named entry; a status may be written as a number.
inline std::string entry_name(const Value& entry) {
  const Value& name = entry.items[0];
  return name.kind == Value::Kind::string ? name.text : std::to_string(name.integer);
}

/// Whether a value is a call of `fw::json_schema` with a string.
inline bool is_json_schema(const Value& value) {
  return value.kind == Value::Kind::call && value.text == "json_schema" && !value.items.empty() &&
         value.items[0].kind == Value::Kind::string;
}

/// Whether a value is `fw::type<T>`. Its items are the name of the type and its schema.
inline bool is_type(const Value& value) {
  return value.kind == Value::Kind::call && value.text == "type" && value.items.size() == 2;
}

/// Whether a value is `fw::events({…})`. Its item is the list of events.
inline bool is_events(const Value& value) {
  return value.kind == Value::Kind::call && value.text == "events" && value.items.size() == 1;
}

/// Whether a value is `fw::lines(…)`. Its item is the schema.
inline bool is_lines(const Value& value) {
  return value.kind == Value::Kind::call && value.text == "lines" && value.items.size() == 1;
}

/// Whether a value is `fw::raw`: any text and any bytes as the messages of a socket.
inline bool is_raw(const Value& value) {
  return value.kind == Value::Kind::call && value.text == "raw";
}

/// The source range of `length` bytes at `offset` of a resolved string, or the range of the whole
/// value if its bytes have no source locations. An empty range is extended to the next character.
Range part_of(const Value& text, std::size_t offset, std::size_t length);

/// The same range if the source contains these bytes literally, in one string literal without
/// escapes; only then can a fix replace them.
std::optional<Range> spelled_at(const Value& text, std::size_t offset, std::size_t length);

}  // namespace fairway::model
