#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "emit/clients/client_api.hpp"
#include "emit/clients/cpp/cpp_parts.hpp"
#include "emit/openapi.hpp"
#include "emit/source_parts.hpp"
#include "model/openapi_document.hpp"

namespace fairway::emit {
namespace {

using model::Json;

bool is_type(const Json& schema, std::string_view name) { return text(schema, "type") == name; }

bool has_fields(const Json& schema) {
  const auto properties = schema.find("properties");
  return properties != schema.end() && properties->is_object() && !properties->empty();
}

/// std::uint64_t if the maximum needs it.
std::string integer_type(const Json& schema) {
  const auto most = schema.find("maximum");
  const bool is_unsigned = most != schema.end() && most->is_number_unsigned() &&
                           most->get<std::uint64_t>() >
                               static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return is_unsigned ? "std::uint64_t" : "std::int64_t";
}

const Json& any_value() {
  static const Json kAny = Json::object();
  return kAny;
}

/// The values of an enumeration of strings; null for other schemas.
const Json* enumeration(const Json& schema) {
  const auto values = schema.find("enum");
  return values != schema.end() && values->is_array() && !values->empty() ? &*values : nullptr;
}

bool is_named(const Json& schema) {
  if (!schema.is_object()) return false;
  const Json* values = enumeration(schema);
  if (values) return std::ranges::all_of(*values, &Json::is_string);
  return has_fields(schema);
}

/// The members of all schemas of an `allOf` as one object.
Json merged(const Json& schemas, const CppTypes& types) {
  Json result = Json::object();
  for (const Json& each : schemas) {
    const Json& schema = types.resolve(each);
    if (!schema.is_object() || !has_fields(schema)) continue;
    for (const auto& [name, property] : schema["properties"].items()) {
      result["properties"][name] = property;
    }
    for (const Json& name : schema.value("required", Json::array())) {
      result["required"].push_back(name);
    }
  }
  return result;
}

Json reference_to(const std::string& pointer) {
  Json reference;
  reference["$ref"] = pointer;
  return reference;
}

/// "#/components/schemas/Tree/$defs/node" gives "TreeNode".
std::string pointer_name(std::string_view pointer) {
  pointer.remove_prefix(std::min(model::kSchemaReferences.size(), pointer.size()));
  const std::size_t first = std::min(pointer.find('/'), pointer.size());
  const std::size_t last = pointer.rfind('/');
  std::string words(pointer.substr(0, first));
  if (first < pointer.size()) words.append("-").append(pointer.substr(last + 1));
  return model::type_name(words);
}

std::string by_value(const CppType& type) {
  std::string expression = type.expression;
  if (type.incomplete) expression = "Box<" + expression + ">";
  return type.nullable ? "std::optional<" + expression + ">" : expression;
}

/// Containers of incomplete types need no Box.
std::string element(const CppType& type) {
  return type.nullable ? by_value(type) : type.expression;
}

}  // namespace

const Json& CppTypes::resolve(const Json& schema) const {
  const Json* found = &schema;
  for (int depth = 0; depth < 100; ++depth) {
    if (!found->is_object() || !found->contains("$ref")) return *found;
    const std::string target = text(*found, "$ref");
    if (!target.starts_with(model::kSchemaReferences)) return any_value();
    try {
      found =
          &schemas_.at(Json::json_pointer("/" + target.substr(model::kSchemaReferences.size())));
    } catch (const Json::exception&) {
      return any_value();
    }
  }
  return any_value();
}

std::string CppTypes::type(const Json& schema, const std::string& wish) {
  return by_value(use(schema, wish, outer_));
}

std::string CppTypes::form_type(const Json& schema, const std::string& wish) {
  const std::string pointer = text(schema, "$ref");
  const auto known = names_by_pointer_.find(pointer);
  const bool is_json_too = declared_.contains(pointer) && !forms_.contains(pointer);
  if (known == names_by_pointer_.end() || is_json_too) {
    in_form_ = true;
    return by_value(use_object(resolve(schema), wish, outer_));
  }
  forms_.insert(pointer);
  if (declared_.insert(pointer).second) {
    in_form_ = true;
    const std::string text = struct_text(resolve(schema), known->second);
    append_block(outer_.declarations, text);
  }
  return known->second;
}

std::string CppTypes::declarations() const {
  std::string forward;
  for (const std::string& name : forward_) forward += "struct " + name + ";\n";
  return joined({forward, outer_.declarations});
}

// Types within a struct must not hide types that its members refer to, so those get their names
// first.
void CppTypes::reserve(const std::string& pointer) {
  if (names_by_pointer_.contains(pointer)) return;
  if (is_named(resolve(reference_to(pointer)))) {
    names_by_pointer_.emplace(pointer, names_.add(pointer_name(pointer)));
  }
}

void CppTypes::reserve_references(const Json& schema) {
  if (schema.is_object() && !text(schema, "$ref").empty()) reserve(text(schema, "$ref"));
  if (!schema.is_structured()) return;
  for (const Json& part : schema) reserve_references(part);
}

CppTypes::CppTypes(const Json& schemas, model::NameScope& names)
    : schemas_(schemas), names_(names), outer_{names} {
  for (const auto& [name, schema] : schemas.items())
    reserve(std::string(model::kSchemaReferences) + name);
  reserve_references(schemas);
}

CppType CppTypes::use(const Json& schema, const std::string& wish, TypeScope& scope) {
  if (!schema.is_object() || schema.empty()) return {"Json"};
  if (schema.contains("$ref")) return use_reference(text(schema, "$ref"));
  if (const Json* values = enumeration(schema)) return use_enumeration(*values, wish, scope);
  if (schema.contains("const")) return use_enumeration(Json::array({schema["const"]}), wish, scope);
  for (const char* choice : {"anyOf", "oneOf"}) {
    if (schema.contains(choice) && !has_fields(schema)) {
      return use_choice(schema[choice], wish, scope);
    }
  }
  if (schema.contains("allOf")) {
    Json parts = schema["allOf"];
    if (parts.size() == 1 && !has_fields(schema)) return use(parts.front(), wish, scope);
    parts.push_back(schema);
    return use_object(merged(parts, *this), wish, scope);
  }
  if (schema.contains("type") && schema["type"].is_array()) {
    return use_several_types(schema, wish, scope);
  }
  if (is_type(schema, "string")) return {"std::string"};
  if (is_type(schema, "integer")) return {integer_type(schema)};
  if (is_type(schema, "number")) return {"double"};
  if (is_type(schema, "boolean")) return {"bool"};
  if (is_type(schema, "null")) return {"std::monostate"};
  if (is_type(schema, "array")) return use_array(schema, wish, scope);
  return use_object(schema, wish, scope);
}

// Objects and enumerations become named types; other schemas are inlined.
CppType CppTypes::use_reference(const std::string& pointer) {
  const Json& schema = resolve(reference_to(pointer));
  const auto known = names_by_pointer_.find(pointer);
  const bool is_open = open_.contains(pointer);
  if (known == names_by_pointer_.end()) {
    // A schema that consists only of itself has no type in C++.
    if (is_open) return {"Json"};
    open_.insert(pointer);
    CppType type = use(schema, pointer_name(pointer), outer_);
    open_.erase(pointer);
    return type;
  }
  const std::string& name = known->second;
  if (is_open) forward_.insert(name);
  if (!declared_.insert(pointer).second) return {name, false, is_open};
  open_.insert(pointer);
  const Json* values = enumeration(schema);
  const std::string text =
      values ? enumeration_text(*values, name, false) : struct_text(schema, name);
  append_block(outer_.declarations, text);
  open_.erase(pointer);
  return {name};
}

CppType CppTypes::use_choice(const Json& choices, const std::string& wish, TypeScope& scope) {
  std::vector<std::string> types;
  bool nullable = false;
  for (const Json& choice : choices) {
    const CppType type =
        use(choice, choices.size() == 2 ? wish : wish + "Option" + std::to_string(types.size() + 1),
            scope);
    if (type.expression == "std::monostate" || type.nullable) nullable = true;
    if (type.expression == "std::monostate") continue;
    const std::string expression = by_value({type.expression, false, type.incomplete});
    if (expression == "Json") return {"Json"};
    if (std::ranges::find(types, expression) == types.end()) types.push_back(expression);
  }
  if (types.empty()) return {nullable ? "std::monostate" : "Json"};
  if (types.size() == 1) return {types.front(), nullable};
  return {fmt::format("std::variant<{}>", fmt::join(types, ", ")), nullable};
}

CppType CppTypes::use_several_types(const Json& schema, const std::string& wish, TypeScope& scope) {
  Json choices = Json::array();
  for (const Json& name : schema["type"]) {
    Json choice = name == "null" ? Json::object() : schema;
    choice["type"] = name;
    choices.push_back(std::move(choice));
  }
  return use_choice(choices, wish, scope);
}

CppType CppTypes::use_enumeration(const Json& values, const std::string& wish, TypeScope& scope) {
  bool nullable = false;
  std::vector<std::string> texts;
  for (const Json& value : values) {
    if (value.is_null()) nullable = true;
    if (value.is_string() && std::ranges::find(texts, value.get<std::string>()) == texts.end()) {
      texts.push_back(value.get<std::string>());
    }
  }
  const auto all_are = [&](auto predicate) {
    return std::ranges::all_of(
        values, [&](const Json& value) { return value.is_null() || predicate(value); });
  };
  if (all_are([](const Json& value) { return value.is_number_integer(); })) {
    return {"std::int64_t", nullable};
  }
  if (all_are([](const Json& value) { return value.is_boolean(); })) return {"bool", nullable};
  if (!all_are([](const Json& value) { return value.is_string(); })) return {"Json"};

  const std::string name = scope.names.add(model::cpp_name(wish));
  const std::string declaration = enumeration_text(texts, name, &scope != &outer_);
  append_block(scope.declarations, declaration);
  return {name, nullable};
}

std::string CppTypes::enumeration_text(const Json& values, const std::string& name, bool nested) {
  model::NameScope scope({name});
  const auto literals = values.get<std::vector<std::string>>();
  const std::vector<std::string> enumerators = model::distinct_cpp_names(literals, scope);
  std::string pairs;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    pairs += fmt::format("{{{}::{}, {}}},\n", name, enumerators[i], string_literal(literals[i]));
  }
  return fill(
      R"(
enum class $name$ { $list$ };
$kind$ constexpr auto enum_values($name$) {
  return std::to_array<std::pair<$name$, std::string_view>>({
      $pairs$
  });
}
)",
      {{"name", name},
       {"list", fmt::format("{}", fmt::join(enumerators, ", "))},
       {"kind", nested ? "friend" : "inline"},
       {"pairs", pairs}});
}

CppType CppTypes::use_array(const Json& schema, const std::string& wish, TypeScope& scope) {
  const auto items = schema.find("items");
  if (items == schema.end() || schema.contains("prefixItems")) return {"std::vector<Json>"};
  return {"std::vector<" + element(use(*items, wish + "Item", scope)) + ">"};
}

CppType CppTypes::use_object(const Json& schema, const std::string& wish, TypeScope& scope) {
  if (has_fields(schema)) {
    const std::string name = scope.names.add(model::cpp_name(wish));
    const std::string declaration = struct_text(schema, name);
    append_block(scope.declarations, declaration);
    return {name};
  }
  const auto values = schema.find("additionalProperties");
  if (values == schema.end() || !values->is_object() || values->empty()) return {"Json"};
  const CppType value = use(*values, wish + "Value", scope);
  return {"std::map<std::string, " + element(value) + ">"};
}

CppType CppTypes::use_form_part(const Json& schema, const std::string& wish, TypeScope& scope) {
  const auto is_file = [&](const Json& part) {
    return part.is_object() && is_type(part, "string") && text(part, "format") == "binary";
  };
  const Json& part = resolve(schema);
  if (is_file(part)) return {"FilePart"};
  const bool is_list = part.is_object() && is_type(part, "array") && part.contains("items");
  if (is_list && is_file(resolve(part["items"]))) return {"std::vector<FilePart>"};
  return use(schema, wish, scope);
}

std::string CppTypes::struct_text(const Json& schema, const std::string& name) {
  const bool is_form = std::exchange(in_form_, false);
  // Members must not hide names of the namespace that the struct uses.
  model::NameScope names = names_;
  for (const char* taken : {"visit_fields", "enum_values", "to_string", "FwSelf", "FwVisitor",
                            "fw_self", "fw_visitor"}) {
    names.add(taken);
  }
  names.add(name);
  const auto required = schema.value("required", std::vector<std::string>());
  std::vector<std::string> field_names;
  for (const auto& [field, property] : schema["properties"].items()) field_names.push_back(field);
  const std::vector<std::string> members = model::distinct_cpp_names(field_names, names);
  TypeScope inner{names};
  std::string fields;
  std::string visits;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string& field = field_names[i];
    const std::string& member = members[i];
    const Json& property = schema["properties"][field];
    CppType type = is_form ? use_form_part(property, model::type_name(field), inner)
                           : use(property, model::type_name(field), inner);
    const bool is_required = std::ranges::find(required, field) != required.end();
    if (!is_required) type.nullable = true;
    const std::string description = text(property, "description");
    fields += doc_comment(description);
    fields += fmt::format("{} {} = {{}};\n", by_value(type), member);
    visits += fmt::format("fw_visitor.{}({}, fw_self.{});\n", is_required ? "required" : "optional",
                          string_literal(field), member);
  }
  const auto additional = schema.find("additionalProperties");
  if (additional != schema.end() && *additional != false && !is_form) {
    const CppType value = use(*additional, "AdditionalValue", inner);
    const std::string member = names.add("additional_properties");
    fields += fmt::format("std::map<std::string, {}> {} = {{}};\n", element(value), member);
    visits += fmt::format("fw_visitor.rest(fw_self.{});\n", member);
  }
  return fill(R"(
$comment$
struct $name$ {
  $members$

  template <class FwSelf, class FwVisitor>
  static void visit_fields(FwSelf& fw_self, FwVisitor& fw_visitor) {
    $visits$
  }
  friend bool operator==(const $name$&, const $name$&) = default;
};
)",
              {{"comment", doc_comment(text(schema, "description"))},
               {"name", name},
               {"members", joined({inner.declarations, fields})},
               {"visits", visits}});
}

}  // namespace fairway::emit
