#include "support/reference_options.hpp"

#include <regex>
#include <string_view>

#include "support/builders.hpp"

namespace fairway::testing {
namespace {

using Json = nlohmann::ordered_json;
using model::Value;

Value value_of(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_boolean()) return flag(json.get<bool>());
  if (json.is_number()) return integer(json.get<std::int64_t>());
  if (json.is_string()) {
    const auto& value = json.get_ref<const std::string&>();
    return value.starts_with("function:") ? function() : text(value);
  }
  std::vector<Value> items;
  for (const auto& [key, item] : json.items()) {
    items.push_back(json.is_object() ? list({text(key), value_of(item)}) : value_of(item));
  }
  return list(std::move(items));
}

Value schema_of(const Json& json) {
  if (json.is_array()) return call("array_of", {schema_of(json.at(0))});
  if (json.is_object() && json.contains("$optional")) {
    return call("optional", {schema_of(json["$optional"])});
  }
  if (json.is_object()) {
    Named fields;
    for (const auto& [name, field] : json.items()) fields.emplace_back(name, schema_of(field));
    return entries(fields);
  }
  constexpr std::string_view kJsonSchema = "json_schema(";
  if (const auto& written = json.get_ref<const std::string&>(); written.starts_with(kJsonSchema)) {
    return call(
        "json_schema",
        {text(written.substr(kJsonSchema.size(), written.size() - kJsonSchema.size() - 1))});
  }
  static const std::regex kBuilder(R"re(compile_field\("(.*?)"\)(\.description\("(.*)"\))?)re");
  std::smatch match;
  const auto& dsl = json.get_ref<const std::string&>();
  if (!std::regex_match(dsl, match, kBuilder)) return text(dsl);
  Value builder = call("compile_field", {text(match[1])});
  if (match[2].matched) builder.members.push_back({"description", text(match[3]), {}});
  return builder;
}

std::string member_name(const std::string& reference_name) {
  if (reference_name == "override") return "override_";
  std::string name;
  for (const char c : reference_name) {
    if (c >= 'A' && c <= 'Z') name += '_';
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

Value member_of(const std::string& record_type, const std::string& name, const Json& json);

Value record_of(const std::string& type, const Json& json) {
  Named members;
  for (const auto& [name, value] : json.items()) {
    members.emplace_back(member_name(name), member_of(type, name, value));
  }
  return record(type, std::move(members));
}

// Alternatives of maps from scheme to scopes.
Value security_of(const Json& json) {
  if (json.is_string()) return text(json.get<std::string>());
  std::vector<Value> alternatives;
  for (const Json& requirement : json) alternatives.push_back(value_of(requirement));
  return list(std::move(alternatives));
}

Value named_records(const std::string& type, const Json& json) {
  Named pairs;
  for (const auto& [name, value] : json.items()) {
    pairs.emplace_back(name, value.is_object() ? record_of(type, value) : value_of(value));
  }
  return entries(pairs);
}

Value member_of(const std::string& record_type, const std::string& name, const Json& json) {
  const std::string place = record_type + "." + name;
  if (record_type == "Validate" || place == "ResponseDocs.schema") return schema_of(json);
  if (place == "RouteOptions.responses") return schema_of(json);
  if (place == "RouteOptions.validate") return record_of("Validate", json);
  if (place == "RouteOptions.docs") return record_of("Docs", json);
  if (place == "RouteOptions.multipart") return record_of("Multipart", json);
  if (place == "RouteOptions.auth" && json.is_object()) return record_of("AuthRequirement", json);
  if (place == "RouteOptions.cache" && json.is_object())
    return record_of("RouteCacheOptions", json);
  if (place == "RouteOptions.session" && json.is_object()) return record_of("SessionOptions", json);
  if (place == "RouteOptions.bodyParser") return record_of("BodyParser", json);
  if (place == "RouteOptions.override") return record_of("Override", json);
  if (place == "Override.rateLimit" && json.is_object()) return record_of("RateLimitOptions", json);
  if (place == "Override.cors") return record_of("CorsOptions", json);
  if (place == "RouteOptions.frontend") return record_of("Frontend", json);
  if (place == "ResponseDocs.examples") return named_records("ResponseExample", json);
  if (place == "Multipart.files") return named_records("FileRules", json);
  if (place == "Docs.responses") return named_records("ResponseDocs", json);
  if (place == "ResponseDocs.headers") return named_records("ResponseHeader", json);
  if (name == "security") return security_of(json);
  return value_of(json);
}

}  // namespace

Value reference_options(const Json& options) { return record_of("RouteOptions", options); }

}  // namespace fairway::testing
