#include "model/output_schema.hpp"

#include <algorithm>
#include <utility>

#include "schema/schema_keywords.hpp"
#include "schema/schema_visitor.hpp"

namespace fairway::model {
namespace {

Json with_defaults_required(Json schema) {
  fw::schema::for_each_schema(schema, "", [](Json& part, const std::string&) {
    if (!part.is_object() || !part.contains("properties")) return;
    if (const auto written = part.find(std::string(fw::schema::kRequiredInResponses));
        written != part.end()) {
      Json names = std::move(*written);
      part.erase(std::string(fw::schema::kRequiredInResponses));
      part.erase("required");
      if (!names.empty()) part["required"] = std::move(names);
      return;
    }
    Json& required = part["required"];
    if (!required.is_array()) required = Json::array();
    Json ordered = Json::array();
    for (const auto& [name, member] : part["properties"].items()) {
      const bool is_there = std::ranges::find(required, Json(name)) != required.end();
      if (is_there || (member.is_object() && member.contains("default"))) ordered.push_back(name);
    }
    required = std::move(ordered);
    if (required.empty()) part.erase("required");
  });
  return schema;
}

}  // namespace

Json type_in_requests(Json schema) {
  fw::schema::for_each_schema(schema, "", [](Json& part, const std::string&) {
    if (part.is_object()) part.erase(std::string(fw::schema::kRequiredInResponses));
  });
  return schema;
}

TypeSchema type_in_responses(Json schema) {
  TypeSchema type{with_defaults_required(std::move(schema))};
  const auto choices = type.json.find("anyOf");
  if (choices == type.json.end()) {
    type.node = fw::schema::node_of_schema(type.json);
    return type;
  }
  for (Json choice : *choices) {
    if (type.json.contains("$defs")) choice["$defs"] = type.json["$defs"];
    type.node.kind = fw::schema::Kind::one_of;
    type.node.alternatives.push_back(fw::schema::node_of_schema(choice));
  }
  return type;
}

}  // namespace fairway::model
