#include "random_values.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace fairway::testing {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<Json> kScalars = {nullptr,
                                    true,
                                    false,
                                    0,
                                    1,
                                    2,
                                    3,
                                    5,
                                    1.5,
                                    -1,
                                    "",
                                    "a",
                                    "b",
                                    "ab",
                                    "abc",
                                    "abcdef",
                                    "x1",
                                    "7",
                                    "A",
                                    Json::array(),
                                    Json::object()};
const std::vector<std::string> kTexts = {"",
                                         "a",
                                         "b",
                                         "ab",
                                         "abc",
                                         "7",
                                         "a1",
                                         "x-a",
                                         "A",
                                         "abcdef",
                                         "ann@example.com",
                                         "2024-02-29",
                                         "550e8400-e29b-41d4-a716-446655440000"};

class Maker {
 public:
  Maker(const Json& document, RandomSource& random)
      : components_(document["components"]["schemas"]), random_(random) {}

  Json value() {
    Json result = value(components_["Root"], 0);
    while (random_.chance(35)) disturb(result);
    return result;
  }

 private:
  Json value(const Json& schema, int depth) {
    if (!schema.is_object() || depth > 8 || random_.chance(3)) return random_.pick(kScalars);
    if (schema.contains("$ref")) {
      const auto& text = schema["$ref"].get_ref<const std::string&>();
      return value(components_[text.substr(text.rfind('/') + 1)], depth + 1);
    }
    if (schema.contains("const")) return schema["const"];
    if (schema.contains("enum") && !schema["enum"].empty()) {
      return schema["enum"][random_.below(schema["enum"].size())];
    }
    if (const Json whole = combined(schema); whole != schema) return value(whole, depth + 1);
    const std::string type = type_of(schema);
    if (type == "string") return text(schema);
    if (type == "integer" || type == "number") return number(schema, type);
    if (type == "array") return array(schema, depth);
    if (type == "object") return object(schema, depth);
    if (type == "boolean") return random_.chance(50);
    return type == "null" ? Json() : random_.pick(kScalars);
  }

  /// With the keywords of all of `allOf` and of one alternative.
  Json combined(const Json& schema) {
    Json result = schema;
    const auto merge = [&](Json other) {
      for (int i = 0; i < 4 && other.is_object() && other.contains("$ref"); ++i) {
        const auto text = other["$ref"].get<std::string>();
        other = components_[text.substr(text.rfind('/') + 1)];
      }
      if (!other.is_object()) return;
      for (const auto& [name, value] : other.items()) {
        if (name == "properties" && result.contains(name)) {
          result[name].update(value);
        } else if (name == "required" && result.contains(name)) {
          for (const Json& member : value) result[name].push_back(member);
        } else {
          result[name] = value;
        }
      }
    };
    for (const char* keyword : {"anyOf", "oneOf"}) {
      if (!schema.contains(keyword)) continue;
      result.erase(keyword);
      merge(schema[keyword][random_.below(schema[keyword].size())]);
    }
    if (schema.contains("allOf")) {
      result.erase("allOf");
      for (const Json& part : schema["allOf"]) merge(part);
    }
    if (schema.contains("if")) {
      result.erase("if");
      const bool is_then = random_.chance(50);
      if (is_then) merge(schema["if"]);
      const char* branch = is_then ? "then" : "else";
      if (schema.contains(branch)) merge(schema[branch]);
    }
    return result;
  }

  std::string type_of(const Json& schema) {
    if (schema.contains("type")) {
      if (schema.value("nullable", false) && random_.chance(20)) return "null";
      const Json& type = schema["type"];
      return (type.is_array() ? type[random_.below(type.size())] : type).get<std::string>();
    }
    if (schema.contains("required") || schema.contains("additionalProperties")) return "object";
    if (schema.contains("contains") || schema.contains("prefixItems")) return "array";
    if (schema.contains("maxLength")) return "string";
    return schema.contains("minimum") ? "number" : "";
  }

  Json text(const Json& schema) {
    if (!schema.contains("minLength") && !schema.contains("maxLength")) {
      return random_.pick(kTexts);
    }
    return std::string(near(schema, "minLength", "maxLength"), 'a');
  }

  std::size_t near(const Json& schema, const char* least, const char* most) {
    std::size_t size = random_.below(3);
    if (schema.contains(least) && random_.chance(60)) size = schema[least].get<std::size_t>();
    if (schema.contains(most) && random_.chance(40)) size = schema[most].get<std::size_t>();
    if (random_.chance(10)) ++size;
    return std::min<std::size_t>(size, 6);
  }

  Json number(const Json& schema, const std::string& type) {
    Json result = static_cast<int>(random_.below(10)) - 2;
    for (const char* bound : {"minimum", "exclusiveMinimum", "maximum", "multipleOf"}) {
      if (schema.contains(bound) && random_.chance(40)) result = schema[bound];
    }
    if (random_.chance(20)) result = result.get<double>() + 1;
    if (type == "number" && random_.chance(30)) result = result.get<double>() + 0.5;
    return result;
  }

  Json object(const Json& schema, int depth) {
    Json result = Json::object();
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [name, member] : properties.items()) {
      if (random_.chance(60)) result[name] = value(member, depth + 1);
    }
    for (const Json& name : schema.value("required", Json::array())) {
      const auto& member = name.get_ref<const std::string&>();
      if (result.contains(member) || random_.chance(5)) continue;
      result[member] = properties.contains(member) ? value(properties[member], depth + 1) : Json(1);
    }
    if (random_.chance(25)) {
      result["zz"] = value(schema.value("additionalProperties", Json(true)), depth + 1);
    }
    if (schema.contains("patternProperties") && random_.chance(50)) {
      result["x-a"] = value(schema["patternProperties"].front(), depth + 1);
    }
    if (random_.chance(5)) result["x-b"] = random_.pick(kScalars);
    return result;
  }

  Json array(const Json& schema, int depth) {
    Json result = Json::array();
    const Json prefix = schema.value("prefixItems", Json::array());
    for (std::size_t count = near(schema, "minItems", "maxItems"); count > 0; --count) {
      const std::size_t index = result.size();
      const bool is_contained = schema.contains("contains") && random_.chance(50);
      const Json item = is_contained            ? schema["contains"]
                        : index < prefix.size() ? prefix[index]
                                                : schema.value("items", Json(true));
      result.push_back(value(item, depth + 1));
    }
    if (!result.empty() && random_.chance(15)) result.push_back(Json(result[0]));
    return result;
  }

  /// Replaces, removes or adds something anywhere.
  void disturb(Json& value) {
    if (value.empty() || !value.is_structured() || random_.chance(25)) {
      if (value.is_number() && random_.chance(50)) {
        value = value.get<double>() + 1;
      } else if (value.is_string() && random_.chance(50)) {
        value = value.get<std::string>() + "a";
      } else {
        value = random_.pick(kScalars);
      }
      return;
    }
    auto chosen = value.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random_.below(value.size())));
    if (random_.chance(70)) {
      disturb(*chosen);
    } else {
      value.erase(chosen);
    }
  }

  const Json components_;
  RandomSource& random_;
};

}  // namespace

Json random_values(const Json& document, std::size_t count, RandomSource& random) {
  Maker maker(document, random);
  Json values = Json::array();
  for (; count > 0; --count) values.push_back(maker.value());
  return values;
}

}  // namespace fairway::testing
