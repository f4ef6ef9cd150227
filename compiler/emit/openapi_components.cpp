#include "emit/openapi_components.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/json_text.hpp"
#include "emit/cpp_names.hpp"
#include "emit/openapi.hpp"
#include "emit/openapi_parts.hpp"

namespace fairway::emit {
namespace {

using fw::schema::Node;
using model::Json;

// References are placeholders until all names are known. Pointers from users never begin like this.
constexpr std::string_view kEntry = "#entry/";

/// Calls `visit` with the text of every reference below `json`.
template <class Visit>
void for_each_reference(Json& json, const Visit& visit) {
  if (json.is_object()) {
    for (auto& [key, value] : json.items()) {
      if (key == "$ref" && value.is_string()) {
        visit(value.template get_ref<std::string&>());
      } else {
        for_each_reference(value, visit);
      }
    }
  } else if (json.is_array()) {
    for (Json& item : json) for_each_reference(item, visit);
  }
}

bool has_references(Json& schema) {
  bool found = false;
  for_each_reference(schema, [&](const std::string&) { found = true; });
  return found;
}

// Whether a schema becomes a component: an object with declared members, or a choice between
// schemas.
bool deserves_name(const Json& schema) {
  if (!schema.is_object()) return false;
  constexpr std::array<const char*, 4> kKeys = {"properties", "allOf", "anyOf", "oneOf"};
  return std::ranges::any_of(kKeys, [&](const char* key) { return schema.contains(key); });
}

std::string entry_text(std::size_t index) { return std::string(kEntry) + std::to_string(index); }

}  // namespace

Json Components::reference(std::size_t index) const {
  Json result;
  result["$ref"] = entry_text(index);
  return result;
}

Json Components::fixed(const std::string& name, const Json& schema) {
  const auto [position, is_new] = fixed_.emplace(name, entries_.size());
  if (is_new) entries_.push_back({.schema = schema, .name = name, .uses = {}});
  return reference(position->second);
}

Json Components::object(Json schema, SchemaUse use) {
  const std::string kind = use.part.starts_with("Response") ? "Response" : use.part;
  auto& candidates = by_text_[kind + schema.dump()];
  CommonWords words(use.operation_id);
  const auto belongs = [&](std::size_t index) {
    const Entry& entry = entries_[index];
    return entry.uses.front().file == use.file || entry.common.shares_noun_with(words);
  };
  const auto found = std::ranges::find_if(candidates, belongs);
  if (found != candidates.end()) {
    entries_[*found].common.keep_common(words);
    entries_[*found].uses.push_back(std::move(use));
    return reference(*found);
  }
  candidates.push_back(entries_.size());
  entries_.push_back({.schema = std::move(schema),
                      .name = {},
                      .uses = {std::move(use)},
                      .common = std::move(words)});
  return reference(entries_.size() - 1);
}

Json Components::declared(const model::Schema& schema, SchemaUse use) {
  if (const auto* text = std::get_if<Json>(&schema)) return json_schema(*text, std::move(use));
  return json_schema(schema_json(std::get<Node>(schema)), std::move(use));
}

Json Components::json_schema(Json schema, SchemaUse use) {
  // Many tools accept only objects as schemas.
  if (schema.is_boolean())
    return schema.get<bool>() ? Json::object() : Json{{"not", Json::object()}};
  if (schema.is_object()) schema.erase("$schema");
  if (has_references(schema)) return reference(add_definitions(schema, use));
  if (schema.is_object() && (schema.contains("$defs") || schema.contains("definitions"))) {
    schema.erase("$defs");
    schema.erase("definitions");
  }
  if (deserves_name(schema)) return object(std::move(schema), std::move(use));
  if (schema.is_object() && schema.contains("items") && schema["items"].is_object()) {
    use.is_item = true;
    schema["items"] = json_schema(std::move(schema["items"]), std::move(use));
  }
  return schema;
}

// Adds a schema that refers to parts of itself. Its definitions become separate components, and its
// other references point into its own component.
std::size_t Components::add_definitions(Json& schema, const SchemaUse& use) {
  const std::size_t root = entries_.size();
  entries_.push_back({.schema = {}, .name = {}, .uses = {use}});
  std::vector<std::pair<std::string, std::string>> moved;  // a definition's pointer, its new one
  for (const char* keyword : {"$defs", "definitions"}) {
    if (!schema.contains(keyword)) continue;
    Json definitions = std::move(schema[keyword]);
    schema.erase(keyword);
    for (auto& [name, definition] : definitions.items()) {
      moved.emplace_back("#/" + std::string(keyword) + fw::base::pointer_step(name),
                         entry_text(entries_.size()));
      entries_.push_back({.schema = std::move(definition),
                          .name = name_of_use(use) + pascal_case(name),
                          .uses = {}});
    }
  }
  const auto redirect = [&](std::string& text) {
    if (!text.starts_with('#') || text.starts_with(kEntry)) return;
    for (const auto& [from, to] : moved) {
      if (text == from || text.starts_with(from + "/")) {
        text.replace(0, from.size(), to);
        return;
      }
    }
    text.replace(0, 1, entry_text(root));
  };
  for (std::size_t i = root + 1; i < entries_.size(); ++i) {
    for_each_reference(entries_[i].schema, redirect);
  }
  for_each_reference(schema, redirect);
  entries_[root].schema = std::move(schema);
  return root;
}

Json Components::error() {
  static const Json kSchema = Json::parse(R"({
    "type": "object",
    "description": "Error response",
    "properties": {
      "code": {
        "type": ["integer", "string"],
        "description": "The business code when there is one, else the HTTP status."
      },
      "message": {"type": "string"},
      "details": {"type": ["object", "array"], "items": {}},
      "requestId": {"type": "string"}
    },
    "required": ["code", "message", "requestId"]
  })");
  return fixed("Error", kSchema);
}

Json Components::validation_error() {
  static const Json kSchema = Json::parse(R"({
    "type": "object",
    "description": "Error response to input that does not match its schema",
    "properties": {
      "code": {"type": "integer", "enum": [400, 422]},
      "message": {"type": "string"},
      "errors": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
          "required": ["field", "message"]
        }
      },
      "requestId": {"type": "string"}
    },
    "required": ["code", "message", "errors", "requestId"]
  })");
  return fixed("ValidationError", kSchema);
}

// Reserved names first, then the names of the uses in the order of the document.
std::vector<std::string> Components::names() const {
  Scope scope{};
  std::vector<std::string> names(entries_.size());
  for (const auto& [name, index] : fixed_) names[index] = scope.add(name);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!names[i].empty()) continue;
    const Entry& entry = entries_[i];
    if (!entry.name.empty()) {
      names[i] = scope.add(entry.name);
      continue;
    }
    const std::string wish = name_of_uses(entry.uses);
    names[i] = scope.add(scope.has(wish) ? name_of_use(entry.uses.front()) : wish);
  }
  return names;
}

std::vector<Components::Named> Components::shared() const {
  const std::vector<std::string> all = names();
  std::vector<Named> result;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].uses.size() > 1) result.push_back({all[i], entries_[i].uses});
  }
  return result;
}

void Components::add_to(Json& document) {
  if (entries_.empty()) return;
  const std::vector<std::string> all = names();
  const auto name_it = [&](std::string& text) {
    if (!text.starts_with(kEntry)) return;
    const std::size_t end = std::min(text.find('/', kEntry.size()), text.size());
    const std::size_t index = std::stoul(text.substr(kEntry.size(), end - kEntry.size()));
    text.replace(0, end, std::string(kSchemaReferences) + all[index]);
  };
  std::map<std::string, Json*> sorted;
  for (std::size_t i = 0; i < entries_.size(); ++i) sorted[all[i]] = &entries_[i].schema;
  for_each_reference(document, name_it);
  Json schemas = Json::object();
  auto& members = schemas.get_ref<Json::object_t&>();
  for (const auto& [name, schema] : sorted) {
    for_each_reference(*schema, name_it);
    members.emplace_back(name, std::move(*schema));  // without a search for the name
  }
  document["components"]["schemas"] = std::move(schemas);
}

}  // namespace fairway::emit
