// What an OpenAPI document says about an operation, compared with the `operation` of a conformance
// case (see tests/conformance/cases/README.md).
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace fairway::test {

/// An object may have more members than expected, and a list of objects another order.
inline bool contains_facts(const nlohmann::ordered_json& actual,
                           const nlohmann::ordered_json& expected) {
  using nlohmann::ordered_json;
  if (expected.is_object()) {
    if (!actual.is_object()) return false;
    return std::ranges::all_of(expected.items(), [&](const auto& member) {
      return actual.contains(member.key()) &&
             contains_facts(actual.at(member.key()), member.value());
    });
  }
  if (expected.is_array() && !expected.empty() && expected[0].is_object()) {
    return std::ranges::all_of(expected, [&](const ordered_json& item) {
      return std::ranges::any_of(
          actual, [&](const ordered_json& candidate) { return contains_facts(candidate, item); });
    });
  }
  return actual == expected;
}

/// A registered path as the document writes it: `/users/:id` is `/users/{id}`.
inline std::string documented_path(const std::string& path) {
  std::string result;
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] != ':' && path[at] != '*') {
      result += path[at];
      continue;
    }
    const std::size_t end = std::min(path.find('/', at), path.size());
    result += "{" + path.substr(at + 1, end - at - 1) + "}";
    at = end - 1;
  }
  return result;
}

/// The expected facts that `operation` of `document` does not have.
inline std::vector<std::string> missing_facts(const nlohmann::ordered_json& document,
                                              const nlohmann::ordered_json& operation,
                                              const nlohmann::ordered_json& expected) {
  using nlohmann::ordered_json;
  const auto resolved = [&](const ordered_json& schema) {
    if (!schema.contains("$ref")) return schema;
    return document.at(ordered_json::json_pointer(schema["$ref"].get<std::string>().substr(1)));
  };
  const ordered_json content = operation.value("requestBody", ordered_json::object())
                                   .value("content", ordered_json::object());
  const auto schema_of = [&](const std::string& media_type) {
    return content.contains(media_type) ? resolved(content.at(media_type).at("schema"))
                                        : ordered_json();
  };
  const auto has_fact = [&](const std::string& key, const ordered_json& value) {
    if (key == "present") return true;
    if (key == "body_schema") {
      const ordered_json body = schema_of("application/json");
      const auto required = body.value("required", ordered_json::array());
      const auto is_required = [&](const ordered_json& name) {
        return std::ranges::find(required, name) != required.end();
      };
      ordered_json schema = value;
      const auto includes = schema.value("required_includes", ordered_json::array());
      const auto excludes = schema.value("required_excludes", ordered_json::array());
      schema.erase("required_includes");
      schema.erase("required_excludes");
      return std::ranges::all_of(includes, is_required) &&
             std::ranges::none_of(excludes, is_required) && contains_facts(body, schema);
    }
    if (key == "first_media_type")
      return !content.empty() && content.items().begin().key() == value.get<std::string>();
    if (key == "multipart_schema") return contains_facts(schema_of("multipart/form-data"), value);
    const ordered_json actual = operation.value(key, ordered_json());
    if (value == "<nonempty>") return !actual.empty() && !actual[0].empty();
    if (value == "<public>") {
      return actual.empty() ||
             std::ranges::any_of(actual, [](const auto& map) { return map.empty(); });
    }
    return contains_facts(actual, value);
  };

  std::vector<std::string> missing;
  for (const auto& [key, value] : expected.items()) {
    if (!has_fact(key, value)) {
      missing.push_back(key + ": expected " + value.dump() + ", came " + operation.dump());
    }
  }
  return missing;
}

/// The expected facts that the operation of `method` and the registered `path` does not have; its
/// presence is one of them.
inline std::vector<std::string> missing_operation_facts(const nlohmann::ordered_json& document,
                                                        std::string method, const std::string& path,
                                                        const nlohmann::ordered_json& expected) {
  using nlohmann::ordered_json;
  for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto item = document.at("paths").value(documented_path(path), ordered_json::object());
  const bool is_expected = expected.value("present", true);
  if (item.contains(method) != is_expected) {
    return {method + " " + path + (is_expected ? " is not" : " is") + " in the document"};
  }
  if (!is_expected) return {};
  return missing_facts(document, item.at(method), expected);
}

}  // namespace fairway::test
