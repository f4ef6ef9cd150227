// Reads members and items of resolved values.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.hpp"

namespace fairway::check {

/// The member with that name, or null.
inline const model::Member* find_member(const model::Value& record, std::string_view name) {
  const auto found = std::ranges::find(record.members, name, &model::Member::name);
  return found == record.members.end() ? nullptr : &*found;
}

/// The member's value, or null.
inline const model::Value* member_value(const model::Value& record, std::string_view name) {
  const model::Member* member = find_member(record, name);
  return member ? &member->value : nullptr;
}

inline bool is_kind(const model::Value* value, model::Value::Kind kind) {
  return value && value->kind == kind;
}

/// The number in a value; empty for booleans and strings.
inline std::optional<double> number_of(const model::Value& value) {
  if (value.kind == model::Value::Kind::integer) return static_cast<double>(value.integer);
  if (value.kind == model::Value::Kind::number) return value.number;
  return std::nullopt;
}

/// The value of a string member; empty if it is absent.
inline std::string string_member(const model::Value& record, std::string_view name) {
  const model::Value* value = member_value(record, name);
  return is_kind(value, model::Value::Kind::string) ? value->text : std::string();
}

/// The value of a boolean member, if it is present.
inline std::optional<bool> flag_member(const model::Value& record, std::string_view name) {
  const model::Value* value = member_value(record, name);
  if (!is_kind(value, model::Value::Kind::boolean)) return std::nullopt;
  return value->boolean;
}

/// The strings of a list, or one string.
inline std::vector<std::string> strings_of(const model::Value& value) {
  if (value.kind == model::Value::Kind::string) return {value.text};
  std::vector<std::string> texts;
  for (const model::Value& item : value.items) {
    if (item.kind == model::Value::Kind::string) texts.push_back(item.text);
  }
  return texts;
}

/// `{name, value}`: an entry of a named list.
inline bool is_named_entry(const model::Value& value) {
  using enum model::Value::Kind;
  return value.kind == list && value.items.size() == 2 &&
         (value.items[0].kind == string || value.items[0].kind == integer);
}

/// The name of a named entry; a status may be written as a number.
inline std::string entry_name(const model::Value& entry) {
  const model::Value& name = entry.items[0];
  return name.kind == model::Value::Kind::string ? name.text : std::to_string(name.integer);
}

}  // namespace fairway::check
