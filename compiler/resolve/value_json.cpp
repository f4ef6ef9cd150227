#include "resolve/value_json.hpp"

#include <algorithm>
#include <string>

namespace fairway::resolve {
namespace {

using model::Json;
using model::Value;

Json array_of(const std::vector<Value>& items) {
  Json array = Json::array();
  for (const Value& item : items) array.push_back(json_value(item));
  return array;
}

bool is_pair(const Json& value) {
  return value.is_array() && value.size() == 2 && value[0].is_string();
}

Json object_of(const Json& pairs) {
  Json object = Json::object();
  for (const Json& pair : pairs) {
    if (is_pair(pair)) object.emplace(pair[0].get<std::string>(), Json(pair[1]));
  }
  return object;
}

// `Json::array({…})` and `Json::object({…})` take one list or no argument.
const std::vector<Value>& builder_items(const Value& call) {
  const bool one_list = call.items.size() == 1 && call.items[0].kind == Value::Kind::list;
  return one_list ? call.items[0].items : call.items;
}

const std::vector<Value>& items_of(const Value& value) {
  return value.kind == Value::Kind::call ? builder_items(value) : value.items;
}

bool is_written_pair(const Value& value) { return is_pair(json_value(value)); }

const Value* part_of(const Value& value, const std::string& step) {
  const bool is_object_call = value.kind == Value::Kind::call && value.text == "Json::object";
  const auto& items = items_of(value);
  if (is_object_call ||
      (value.kind == Value::Kind::list && std::ranges::all_of(items, is_written_pair))) {
    const auto pair = std::ranges::find_if(items, [&](const Value& item) {
      return is_written_pair(item) && items_of(item)[0].text == step;
    });
    return pair == items.end() ? nullptr : &items_of(*pair)[1];
  }
  for (std::size_t index = 0; index < items.size(); ++index) {
    if (std::to_string(index) == step) return &items[index];
  }
  return nullptr;
}

}  // namespace

const Value& written_at(const Value& value, std::string_view pointer) {
  // Splits the pointer from its end, so that nlohmann unescapes the steps.
  const Json::json_pointer whole{std::string(pointer)};
  std::vector<std::string> steps;
  for (auto rest = whole; !rest.empty(); rest.pop_back()) steps.push_back(rest.back());
  const Value* found = &value;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const Value* next = part_of(*found, *step);
    if (!next) break;
    found = next;
  }
  return *found;
}

Json json_value(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      return nullptr;
    case Value::Kind::boolean:
      return value.boolean;
    case Value::Kind::integer:
      return value.integer;
    case Value::Kind::number:
      return value.number;
    case Value::Kind::string:
      return value.text;
    case Value::Kind::list: {
      Json list = array_of(value.items);
      return std::ranges::all_of(list, is_pair) ? object_of(list) : list;
    }
    case Value::Kind::call: {
      Json list = array_of(builder_items(value));
      return value.text == "Json::object" ? object_of(list) : list;
    }
    case Value::Kind::function:
      return {{"$function", true}};
    case Value::Kind::record:
      break;
  }
  Json object = Json::object();
  for (const model::Member& member : value.members) object[member.name] = json_value(member.value);
  return object;
}

}  // namespace fairway::resolve
