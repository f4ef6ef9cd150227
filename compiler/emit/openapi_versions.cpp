#include <string>
#include <string_view>
#include <utility>

#include "emit/openapi_parts.hpp"
#include "model/openapi_document.hpp"
#include "schema/operation_security.hpp"
#include "schema/schema_visitor.hpp"

namespace fairway::emit {
namespace {

using model::Json;

/// Converts one schema, and records whether a constraint was omitted.
class SchemaConverter {
 public:
  void convert(Json& schema) {
    if (schema.is_boolean()) {
      schema = schema.get<bool>() ? Json::object() : Json{{"not", Json::object()}};
      return;
    }
    if (!schema.is_object()) return;
    convert_parts(schema);
    convert_const(schema);
    convert_examples(schema);
    convert_bound(schema, "minimum", "exclusiveMinimum", true);
    convert_bound(schema, "maximum", "exclusiveMaximum", false);
    convert_content(schema);
    omit_keywords(schema);
    convert_type(schema);
    convert_reference(schema);
  }

 private:
  void convert_parts(Json& schema) {
    // 3.0 cannot describe the items after `prefixItems`.
    if (schema.contains("prefixItems") && schema.contains("items")) {
      schema["items"] = Json::object();
    }
    // Without the patterns, `additionalProperties` would forbid members that they allow.
    if (schema.contains("patternProperties")) schema.erase("additionalProperties");
    SchemaConverter alternatives;
    SchemaConverter negated;
    fw::schema::for_each_subschema(schema, "", [&](Json& part, const std::string&, auto& keyword) {
      if (keyword.in_openapi_3_0 != fw::schema::InOpenApi30::kept) return;
      if (keyword.name == "additionalProperties" && part.is_boolean()) return;
      SchemaConverter& converter = keyword.name == "oneOf" ? alternatives
                                   : keyword.name == "not" ? negated
                                                           : *this;
      converter.convert(part);
    });
    if (alternatives.widened_) widen_one_of(schema);
    if (negated.widened_) {
      // If the schema of a `not` allows more, the `not` would allow less, so it is omitted.
      widened_ = true;
      schema.erase("not");
    }
  }

  // Alternatives that allow more may overlap, so `oneOf` becomes `anyOf`.
  void widen_one_of(Json& schema) {
    widened_ = true;
    Json any;
    any["anyOf"] = std::move(schema["oneOf"]);
    schema.erase("oneOf");
    schema["allOf"].push_back(std::move(any));
  }

  static void convert_const(Json& schema) {
    if (!schema.contains("const")) return;
    Json values = Json::array({std::move(schema["const"])});
    schema.erase("const");
    if (schema.contains("enum")) {
      Json only;
      only["enum"] = std::move(values);
      schema["allOf"].push_back(std::move(only));
    } else {
      schema["enum"] = std::move(values);
    }
  }

  static void convert_examples(Json& schema) {
    if (!schema.contains("examples")) return;
    const Json examples = std::move(schema["examples"]);
    schema.erase("examples");
    if (examples.is_array() && !examples.empty() && !schema.contains("example")) {
      schema["example"] = examples.front();
    }
  }

  static void convert_bound(Json& schema, const char* inclusive, const char* exclusive,
                            bool is_lower) {
    if (!schema.contains(exclusive) || !schema[exclusive].is_number()) return;
    const Json bound = schema[exclusive];
    schema.erase(exclusive);
    if (schema.contains(inclusive) && schema[inclusive].is_number()) {
      const bool inclusive_is_stronger =
          is_lower ? schema[inclusive] > bound : schema[inclusive] < bound;
      if (inclusive_is_stronger) return;
    }
    schema[inclusive] = bound;
    schema[exclusive] = true;
  }

  static void convert_content(Json& schema) {
    if (schema.contains("format")) return;
    if (schema.value("contentEncoding", Json()) == "base64") {
      schema["format"] = "byte";
    } else if (schema.value("contentMediaType", Json()) == "application/octet-stream") {
      schema["format"] = "binary";
    }
  }

  void omit_keywords(Json& schema) {
    for (const fw::schema::SchemaKeyword& keyword : fw::schema::keywords::kAll) {
      if (keyword.in_openapi_3_0 == fw::schema::InOpenApi30::kept) continue;
      const bool was_present = schema.erase(std::string(keyword.name)) > 0;
      if (was_present && keyword.in_openapi_3_0 == fw::schema::InOpenApi30::widens) widened_ = true;
    }
  }

  static bool erase_value(Json& list, const Json& value) {
    Json rest = Json::array();
    for (Json& item : list) {
      if (item != value) rest.push_back(std::move(item));
    }
    const bool found = rest.size() < list.size();
    list = std::move(rest);
    return found;
  }

  // A list of types becomes `anyOf`, and null becomes `nullable`, which requires a type in the same
  // schema.
  static void convert_type(Json& schema) {
    if (schema.contains("type")) {
      Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
      const bool has_null = erase_value(types, "null");
      if (types.empty()) {
        schema.erase("type");
        add_null(schema);
      } else if (types.size() == 1) {
        schema["type"] = types.front();
        if (has_null) schema["nullable"] = true;
      } else {
        replace_types(schema, types, has_null);
      }
    }
    const bool is_array = schema.value("type", Json()) == "array";
    if (is_array && !schema.contains("items")) schema["items"] = Json::object();
  }

  // A schema for null only is a nullable type without allowed values.
  static void add_null(Json& schema) {
    schema["type"] = "string";
    schema["nullable"] = true;
    schema["enum"] = Json::array({nullptr});
  }

  static void replace_types(Json& schema, const Json& types, bool has_null) {
    Json choice = Json::array();
    for (const Json& type : types) {
      Json alternative;
      alternative["type"] = type;
      if (has_null) alternative["nullable"] = true;
      if (type == "array") alternative["items"] = schema.value("items", Json::object());
      choice.push_back(std::move(alternative));
    }
    schema.erase("items");
    schema.erase("type");
    if (!schema.contains("anyOf")) {
      schema["anyOf"] = std::move(choice);
      return;
    }
    Json any;
    any["anyOf"] = std::move(choice);
    schema["allOf"].push_back(std::move(any));
  }

  // 3.0 ignores the siblings of a reference.
  static void convert_reference(Json& schema) {
    if (!schema.contains("$ref") || schema.size() == 1) return;
    Json reference;
    reference["$ref"] = std::move(schema["$ref"]);
    schema.erase("$ref");
    schema["allOf"].push_back(std::move(reference));
  }

  bool widened_ = false;
};

/// The name of an event that is sent without one, so that browsers call `onmessage` with it.
constexpr std::string_view kUnnamed = "message";

/// An event as an item of `text/event-stream`: its fields are strings, and its data is JSON.
Json event_schema(const std::string& name, Json data) {
  Json schema;
  schema["type"] = "object";
  schema["required"] = Json::array();
  if (name != kUnnamed) schema["required"].push_back("event");
  schema["required"].push_back("data");
  Json& fields = schema["properties"];
  fields["event"] = {{"type", "string"}, {"const", name}};
  fields["data"] = {{"type", "string"}, {"contentMediaType", "application/json"}};
  fields["data"]["contentSchema"] = std::move(data);
  fields["id"]["type"] = "string";
  fields["retry"] = {{"type", "integer"}, {"minimum", 0}};
  return schema;
}

void convert_media_type(Json& media) {
  const std::string events(model::extensions::kEvents);
  const std::string lines(model::extensions::kLines);
  Json items;
  if (media.contains(events)) {
    Json alternatives = Json::array();
    for (auto& [name, data] : media[events].items()) {
      alternatives.push_back(event_schema(name, std::move(data)));
    }
    if (alternatives.size() == 1) {
      items = std::move(alternatives.front());
    } else {
      items["oneOf"] = std::move(alternatives);
    }
  } else if (media.contains(lines)) {
    items = std::move(media[lines]);
  } else {
    return;
  }
  media.erase(events);
  media.erase(lines);
  media.erase("schema");
  media["itemSchema"] = std::move(items);
}

}  // namespace

void convert_to_3_0(Json& document) {
  document["openapi"] = "3.0.3";
  document["info"].erase("summary");
  if (document["info"].contains("license")) document["info"]["license"].erase("identifier");
  model::for_each_document_schema(
      document, [](Json& schema, const std::string&) { SchemaConverter().convert(schema); });
  fw::schema::convert_security_to_3_0(document);
}

void convert_to_3_2(Json& document) {
  document["openapi"] = "3.2.0";
  for (auto& [path, item] : document["paths"].items()) {
    for (auto& [method, operation] : item.items()) {
      if (!operation.is_object() || !operation.contains("responses")) continue;
      for (auto& [selector, response] : operation["responses"].items()) {
        if (!response.contains("content")) continue;
        for (auto& [type, media] : response["content"].items()) convert_media_type(media);
      }
    }
  }
}

}  // namespace fairway::emit
