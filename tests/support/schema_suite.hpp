// The cases of the JSON Schema test suite, draft 2020-12, whose schemas a C++ type can have. The
// suite is installed by tools/setup.sh; nothing of it is in this repository.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "schema/node.hpp"

namespace test::schema_suite {

struct Keyword {
  std::string type;   ///< to which the keyword applies: schemas of the suite do not say it
  std::size_t cases;  ///< at least so many have a schema that a C++ type can have
};

inline const std::map<std::string, Keyword> kKeywords = {
    {"additionalProperties", {"object", 3}},
    {"enum", {"string", 3}},
    {"items", {"array", 4}},
    {"maxItems", {"array", 4}},
    {"maxLength", {"string", 5}},
    {"maximum", {"number", 8}},
    {"minItems", {"array", 4}},
    {"minLength", {"string", 5}},
    {"minimum", {"number", 11}},
    {"pattern", {"string", 8}},
    {"properties", {"object", 6}},
    {"ref", {"", 1}},
    {"required", {"object", 6}},
    {"type", {"", 30}},
    {"uniqueItems", {"array", 25}},
};

struct Case {
  std::string description;
  nlohmann::json data;
  bool is_valid = false;
};

struct Group {
  fw::schema::Node node;
  std::vector<Case> cases;
};

namespace detail {

using Json = nlohmann::ordered_json;

inline bool has_type(const Json& data, const std::string& type) {
  if (type == "number") return data.is_number();
  return type.empty() || data.type_name() == type;
}

inline bool has_string(const Json& data) {
  if (data.is_structured()) {
    for (const Json& each : data) {
      if (has_string(each)) return true;
    }
  }
  return data.is_string();
}

/// Whether a string may be converted: docs/formats.md.
inline bool may_convert(const Json& schema, const Json& data) {
  const std::string text = schema.dump();
  const auto names = [&](const char* type) { return text.find(type) != std::string::npos; };
  return has_string(data) && (names("\"number\"") || names("\"integer\"") || names("\"boolean\""));
}

/// Empty if no type has this schema.
inline std::optional<fw::schema::Node> node_of(const Json& schema) {
  try {
    return fw::schema::node_of_schema(schema);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace detail

/// The cases of a keyword in which nothing is converted. `folder` is where the suite is.
inline std::vector<Group> groups_of(const std::string& folder, const std::string& name) {
  const Keyword& keyword = kKeywords.at(name);
  std::ifstream file(folder + "/" + name + ".json");
  if (!file) throw std::runtime_error("the JSON Schema test suite has no " + name);
  std::vector<Group> groups;
  for (const detail::Json& group : detail::Json::parse(file)) {
    detail::Json schema = group["schema"];
    if (!schema.is_object()) continue;
    schema.erase("$schema");
    std::string type = keyword.type;
    if (schema.contains("type")) type.clear();
    if (!type.empty() && !schema.contains("$ref")) schema["type"] = type;
    auto node = detail::node_of(schema);
    if (!node) continue;
    Group result{.node = *std::move(node), .cases = {}};
    for (const detail::Json& test : group["tests"]) {
      if (detail::may_convert(group["schema"], test["data"])) continue;
      result.cases.push_back(
          {.description = name + ": " + group["description"].get<std::string>() + ": " +
                          test["description"].get<std::string>(),
           .data = nlohmann::json::parse(test["data"].dump()),
           .is_valid = test["valid"].get<bool>() && detail::has_type(test["data"], type)});
    }
    groups.push_back(std::move(result));
  }
  return groups;
}

}  // namespace test::schema_suite
