#include "frontend/types/variant_schema.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace fairway::frontend {
namespace {

using Json = nlohmann::ordered_json;
using Resolve = std::function<const Json&(const Json&)>;

enum class Presence { required, any };

/// The member that has another single value in each alternative; empty: none.
std::string discriminator_of(const std::vector<Json>& alternatives, const Resolve& resolved,
                             Presence presence) {
  const Json& first = resolved(alternatives.front());
  const auto properties = first.find("properties");
  if (properties == first.end()) return {};
  const auto only_value = [&](const Json& alternative, const std::string& member) -> std::string {
    const Json& schema = resolved(alternative);
    const auto members = schema.find("properties");
    const Json required = schema.value("required", Json::array());
    const bool is_there = members != schema.end() && members->contains(member);
    const bool is_required = std::ranges::find(required, Json(member)) != required.end();
    if (!is_there || (presence == Presence::required && !is_required)) return {};
    const auto values = resolved(members->at(member)).find("enum");
    const Json& owner = resolved(members->at(member));
    if (values == owner.end() || values->size() != 1 || !values->front().is_string()) return {};
    return values->front().get<std::string>();
  };
  for (const auto& [member, schema] : properties->items()) {
    std::set<std::string> values;
    for (const Json& alternative : alternatives) {
      std::string value = only_value(alternative, member);
      if (!value.empty()) values.insert(std::move(value));
    }
    if (values.size() == alternatives.size()) return member;
  }
  return {};
}

}  // namespace

std::vector<std::string> json_types(const Json& schema) {
  const auto type = schema.find("type");
  if (type == schema.end() || !type->is_string()) return {};
  // An integer is a number.
  return {*type == "integer" ? "number" : type->get<std::string>()};
}

std::string optional_discriminator(const std::vector<Json>& alternatives, const Resolve& resolved) {
  return discriminator_of(alternatives, resolved, Presence::any);
}

std::optional<Json> variant_schema(const std::vector<Json>& alternatives, const Resolve& resolved) {
  Json schema = {{"oneOf", alternatives}};
  if (const std::string member = discriminator_of(alternatives, resolved, Presence::required);
      !member.empty()) {
    // A discriminator is for references only, and generated structs are no components.
    const bool are_references = std::ranges::all_of(
        alternatives, [](const Json& alternative) { return alternative.contains("$ref"); });
    if (!are_references) return schema;
    Json mapping = Json::object();
    for (const Json& alternative : alternatives) {
      const Json& values = resolved(resolved(alternative).at("properties").at(member)).at("enum");
      mapping[values.front().get<std::string>()] = alternative.value("$ref", "");
    }
    schema["discriminator"] = {{"propertyName", member}, {"mapping", std::move(mapping)}};
    return schema;
  }
  std::set<std::string> types;
  std::size_t count = 0;
  for (const Json& alternative : alternatives) {
    const auto own = json_types(resolved(alternative));
    count += own.empty() ? alternatives.size() + 1 : own.size();
    types.insert(own.begin(), own.end());
  }
  return types.size() == count ? std::optional(std::move(schema)) : std::nullopt;
}

}  // namespace fairway::frontend
