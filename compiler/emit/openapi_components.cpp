#include "emit/openapi_components.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.hpp"
#include "emit/openapi.hpp"
#include "emit/openapi_parts.hpp"
#include "model/cpp_names.hpp"
#include "model/openapi_document.hpp"
#include "schema/schema_references.hpp"

namespace fairway::emit {
namespace {

using fw::schema::Node;
using model::Json;

// References are placeholders until all names are known. They are neither JSON pointers nor
// anchors.
constexpr std::string_view kEntry = "#entry/";

bool has_references(const Json& schema) {
  bool found = false;
  fw::schema::for_each_reference(schema, "",
                                 [&](const std::string&, const std::string&) { found = true; });
  return found;
}

// Keywords that have no meaning in a part of a document, where they would change the meaning of
// references or be the names of several schemas.
void erase_identity(Json& schema) {
  fw::schema::for_each_schema(schema, "", [](Json& part, const std::string&) {
    if (!part.is_object()) return;
    for (const char* keyword :
         {"$schema", "$id", "$anchor", "$dynamicAnchor", "$defs", "definitions"}) {
      part.erase(keyword);
    }
  });
}

// The last name in a JSON pointer, with the index that follows it: "prefixItems/0".
std::string last_name(std::string_view pointer) {
  const std::vector<std::string> steps = model::pointer_steps(pointer.substr(1));
  const std::string& name = steps.back();
  const bool is_index = steps.size() > 1 && std::ranges::all_of(name, fw::base::is_digit);
  return is_index ? steps[steps.size() - 2] + '/' + name : name;
}

// Whether a schema becomes a component: an object with declared members, or a choice between
// schemas.
bool deserves_name(const Json& schema) {
  if (!schema.is_object()) return false;
  constexpr std::array<const char*, 4> kKeys = {"properties", "allOf", "anyOf", "oneOf"};
  return std::ranges::any_of(kKeys, [&](const char* key) { return schema.contains(key); });
}

// Equal for schemas that may share a component: equal responses, or equal schemas of one part of
// requests.
std::string shared_key(const std::string& part, const Json& schema) {
  return (part.starts_with("Response") ? "Response" : part) + schema.dump();
}

/// The name of a type in "#/$defs/<name>"; empty for other references.
std::string type_of_reference(const std::string& text) {
  constexpr std::string_view kTypes = "#/$defs/";
  return text.starts_with(kTypes) ? text.substr(kTypes.size()) : std::string();
}

/// The texts of a type and of all that it contains, by name.
void collect_types(const std::string& name, const Json& types,
                   std::map<std::string, std::string>& texts) {
  const auto [text, is_new] = texts.emplace(name, std::string());
  if (!is_new) return;
  const Json& schema = types.at(name);
  text->second = schema.dump();
  fw::schema::for_each_reference(schema, "", [&](const std::string& target, const std::string&) {
    if (const std::string inner = type_of_reference(target); !inner.empty()) {
      collect_types(inner, types, texts);
    }
  });
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

std::optional<std::size_t> Components::find(const Json& schema, const SchemaUse& use) const {
  const auto candidates = by_text_.find(shared_key(use.part, schema));
  if (candidates == by_text_.end()) return std::nullopt;
  const CommonWords words(use.operation_id);
  const auto belongs = [&](std::size_t index) {
    const Entry& entry = entries_[index];
    return entry.uses.front().file == use.file || entry.common.shares_noun_with(words);
  };
  const auto found = std::ranges::find_if(candidates->second, belongs);
  return found == candidates->second.end() ? std::nullopt : std::optional(*found);
}

Json Components::object(Json schema, SchemaUse use) {
  CommonWords words(use.operation_id);
  if (const auto found = find(schema, use)) {
    CommonWords& common = entries_[*found].common;
    if (!use.is_inferred || common.shares_noun_with(words)) common.keep_common(words);
    entries_[*found].uses.push_back(std::move(use));
    return reference(*found);
  }
  by_text_[shared_key(use.part, schema)].push_back(entries_.size());
  entries_.push_back({.schema = std::move(schema),
                      .name = {},
                      .uses = {std::move(use)},
                      .common = std::move(words)});
  return reference(entries_.size() - 1);
}

// Only schemas that are a component already are shared, so that no name depends on them.
void Components::share_within(Json& schema, const SchemaUse& use) const {
  fw::schema::for_each_subschema(schema, "", [&](Json& part, const std::string&, const auto&) {
    const auto found = deserves_name(part) ? find(part, use) : std::nullopt;
    if (found) {
      part = reference(*found);
    } else {
      share_within(part, use);
    }
  });
}

Json Components::declared(const model::Schema& schema, SchemaUse use) {
  if (const auto* text = std::get_if<Json>(&schema)) return json_schema(*text, std::move(use));
  if (const auto* declared = std::get_if<model::TypeSchema>(&schema)) {
    return type(declared->json, std::move(use));
  }
  return json_schema(schema_json(std::get<Node>(schema)), std::move(use));
}

Json Components::type(const Json& schema, SchemaUse use) {
  const bool is_input = !use.part.starts_with("Response");
  return inline_type(with_types(schema, schema, is_input), std::move(use));
}

Json Components::part_of_type(const Json& type, Json part) {
  return with_types(std::move(part), type, true);
}

Json Components::inline_type(Json schema, SchemaUse use) {
  if (deserves_name(schema)) return object(std::move(schema), std::move(use));
  if (schema.contains("items")) {
    use.is_item = true;
    schema["items"] = inline_type(std::move(schema["items"]), std::move(use));
  }
  return schema;
}

Json Components::with_types(Json schema, const Json& type, bool is_input) {
  schema.erase("$defs");
  fw::schema::for_each_reference(schema, "", [&](std::string& text, const std::string&) {
    if (const std::string name = type_of_reference(text); !name.empty()) {
      text = entry_text(add_type(name, type.at("$defs"), is_input));
    }
  });
  return schema;
}

std::size_t Components::add_type(const std::string& name, const Json& types, bool is_input) {
  std::map<std::string, std::string> texts;
  collect_types(name, types, texts);
  std::string whole;
  for (const auto& [each, text] : texts) whole += each + text;
  const auto [position, is_new] = types_[name].try_emplace(whole, TypeEntry{entries_.size()});
  TypeEntry& entry = position->second;
  const bool is_first_output = !is_input && !entry.is_output;
  entry.is_output = entry.is_output || !is_input;
  const std::size_t index = entry.index;
  if (is_new) entries_.push_back({.schema = {}, .name = name, .uses = {}});
  // Types within it are in responses, too.
  if (is_new || is_first_output) {
    entries_[index].schema = with_types(types.at(name), {{"$defs", types}}, is_input);
  }
  return index;
}

Json Components::json_schema(Json schema, SchemaUse use) {
  // Many tools accept only objects as schemas.
  if (schema.is_boolean())
    return schema.get<bool>() ? Json::object() : Json{{"not", Json::object()}};
  if (has_references(schema)) return reference(add_recursive(std::move(schema), use));
  erase_identity(schema);
  if (deserves_name(schema)) return object(std::move(schema), std::move(use));
  if (schema.is_object() && schema.contains("items") && schema["items"].is_object()) {
    use.is_item = true;
    schema["items"] = json_schema(std::move(schema["items"]), std::move(use));
  }
  return schema;
}

// Adds a schema that refers to parts of itself. Each part that a reference leads to becomes a
// separate component, because some tools follow only references to components.
std::size_t Components::add_recursive(Json schema, const SchemaUse& use) {
  const Json original = schema;
  const fw::schema::SchemaReferences references(original);
  const std::size_t root = entries_.size();
  entries_.push_back({.schema = {}, .name = {}, .uses = {use}});
  std::map<std::string, std::size_t> targets = {{"", root}};  // entries by JSON pointer
  fw::schema::for_each_reference(schema, "", [&](std::string& text, const std::string&) {
    const auto pointer = references.pointer_of(text);
    if (!pointer) return;
    const auto [target, is_new] = targets.emplace(*pointer, entries_.size());
    if (is_new) {
      entries_.push_back({.schema = {},
                          .name = name_of_use(use) + model::pascal_case(last_name(*pointer)),
                          .uses = {}});
    }
    text = entry_text(target->second);
  });
  // Parts before the schemas that contain them.
  for (auto target = targets.rbegin(); target != targets.rend(); ++target) {
    const auto& [pointer, index] = *target;
    Json& part = schema.at(Json::json_pointer(pointer));
    entries_[index].schema = std::exchange(part, reference(index));
    erase_identity(entries_[index].schema);
  }
  return root;
}

Json Components::error() { return fixed("Error", error_schema()); }

Json Components::error_with_code(const Json& code) {
  const auto [position, is_new] = codes_.emplace(code.dump(), entries_.size());
  if (is_new) {
    entries_.push_back(
        {.schema = error_schema_with_code(code), .name = name_of_error(code), .uses = {}});
  }
  return reference(position->second);
}

Json Components::validation_error() { return fixed("ValidationError", validation_error_schema()); }

// Reserved names first, then the names of C++ types, then the names of the uses in the order of the
// document.
std::vector<std::string> Components::names() const {
  model::NameScope scope{};
  std::vector<std::string> names(entries_.size());
  for (const auto& [name, index] : fixed_) names[index] = scope.add(name);
  for (const auto& [name, entries] : types_) {
    for (const auto& [text, entry] : entries) {
      const bool is_plain = entries.size() == 1 || entry.is_output;
      names[entry.index] = scope.add(is_plain ? name : name + "Input");
    }
  }
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

std::vector<Components::Named> Components::declared_schemas() const {
  const std::vector<std::string> all = names();
  std::vector<Named> result;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].uses.empty()) result.push_back({all[i], entries_[i].uses});
  }
  return result;
}

void Components::add_to(Json& document) {
  if (entries_.empty()) return;
  for (Entry& entry : entries_) {
    if (!entry.uses.empty()) share_within(entry.schema, entry.uses.front());
  }
  const std::vector<std::string> all = names();
  const auto name_it = [&](std::string& text, const std::string&) {
    if (!text.starts_with(kEntry)) return;
    const std::size_t index = std::stoul(text.substr(kEntry.size()));
    text = std::string(model::kSchemaReferences) + all[index];
  };
  const auto name_all = [&](Json& schema, const std::string& pointer) {
    fw::schema::for_each_reference(schema, pointer, name_it);
  };
  std::map<std::string, Json*> sorted;
  for (std::size_t i = 0; i < entries_.size(); ++i) sorted[all[i]] = &entries_[i].schema;
  model::for_each_document_schema(document, name_all);
  Json schemas = Json::object();
  auto& members = schemas.get_ref<Json::object_t&>();
  for (const auto& [name, schema] : sorted) {
    name_all(*schema, "");
    members.emplace_back(name, std::move(*schema));  // without a search for the name
  }
  document["components"]["schemas"] = std::move(schemas);
}

}  // namespace fairway::emit
