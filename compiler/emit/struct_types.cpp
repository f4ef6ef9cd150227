#include "emit/struct_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "emit/openapi_parts.hpp"
#include "emit/shared_structs.hpp"
#include "emit/source_parts.hpp"

namespace fairway::emit {
namespace {

using fw::schema::Kind;
using fw::schema::Node;

/// The initial value of a member: its default. `type`: as it is called there.
std::string initial_text(const Node& node, const std::string& type) {
  if (!node.default_value) return "{}";
  const nlohmann::json& value = *node.default_value;
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  if (node.kind != Kind::enumeration) return string_literal(text);
  const auto found = std::ranges::find(node.values, text);
  return type +
         "::" + enumerators_of(node.values)[static_cast<std::size_t>(found - node.values.begin())];
}

std::string member_text(const Node& node, const std::string& type, const std::string& name) {
  const std::string comment = comment_text(node.description);
  const std::string whole_type = node.is_always_there() ? type : "std::optional<" + type + ">";
  return fmt::format("{}{} {} = {};\n", comment.empty() ? "" : "/// " + comment + "\n", whole_type,
                     name, initial_text(node, type));
}

std::string write_text(const Member& member) {
  const std::string field = string_literal(member.field.name);
  if (member.field.node.is_always_there()) {
    return fmt::format("fw_json[{}] = fw_value.{};\n", field, member.name);
  }
  return fmt::format("if (fw_value.{0}) fw_json[{1}] = *fw_value.{0};\n", member.name, field);
}

/// `scope`: the struct.
std::string read_text(const Member& member, const std::string& type, const std::string& scope) {
  const std::string field = string_literal(member.field.name);
  if (member.field.node.required)
    return fmt::format("fw_json.at({}).get_to(fw_value.{});\n", field, member.name);
  const std::string otherwise =
      member.field.node.default_value
          ? fmt::format("fw_value.{} = {};", member.name,
                        initial_text(member.field.node, scope + "::" + type))
          : fmt::format("fw_value.{}.reset();", member.name);
  const std::string emplace =
      member.field.node.default_value ? std::string() : emplace_text(member, scope + "::");
  return fill(
      R"(
if (const auto fw_found = fw_json.find($field$);
    fw_found != fw_json.end() && !fw_found->is_null()) {
  fw_found->get_to(fw_value.$member$$emplace$);
} else {
  $otherwise$
}
)",
      {{"field", field}, {"member", member.name}, {"emplace", emplace}, {"otherwise", otherwise}});
}

/// The scope of the members of a struct. The names of parameters and local variables of its
/// functions are reserved, because they would hide members.
model::NameScope scope_of_members(const std::string& name) {
  return {name,      "kLocation", "kEventName", "to_string", "to_json", "from_json",
          "fw_json", "fw_value",  "fw_text",    "fw_each",   "fw_found"};
}

std::vector<std::string> named_in(const Node& object, model::NameScope& scope) {
  std::vector<std::string> fields;
  for (const auto& field : object.fields) fields.push_back(field.name);
  return model::distinct_cpp_names(fields, scope);
}

}  // namespace

TypeText type_text(const Node& node, const std::string& name, model::NameScope& scope,
                   const TypeContext& context) {
  switch (node.kind) {
    case Kind::any:
    case Kind::null:
      return {"", "fw::Json"};
    case Kind::number:
      return {"", "double"};
    case Kind::integer:
      return {"", "std::int64_t"};
    case Kind::boolean:
      return {"", "bool"};
    case Kind::enumeration: {
      const std::string unique = scope.add(name);
      const std::string shared =
          context.enumerations == nullptr
              ? std::string()
              : context.enumerations->use(name, node.values, context.enclosing);
      if (shared.empty()) {
        return {enumeration_text(node.values, unique, !context.enclosing.empty(),
                                 context.has_attributes),
                unique, enumeration_conversions(node.values, unique, context.enclosing)};
      }
      return {alias(unique, shared), unique};
    }
    case Kind::array: {
      if (!node.items) return {"", "std::vector<fw::Json>"};
      TypeText item = type_text(*node.items, name + "Item", scope, context);
      item.expression = "std::vector<" + item.expression + ">";
      return item;
    }
    case Kind::object: {
      if (node.fields.empty()) return {"", "fw::Json"};
      const std::string unique = scope.add(name);
      const std::string shared =
          context.structs == nullptr ? std::string() : context.structs->find(node);
      if (!shared.empty()) return {alias(unique, shared), unique};
      return struct_text(node, unique, "", context);
    }
    default:  // a string in one of the formats
      return {"", "std::string"};
  }
}

std::vector<std::string> member_names(const Node& object, const std::string& name) {
  model::NameScope scope = scope_of_members(name);
  return named_in(object, scope);
}

TypeText struct_text(const Node& object, const std::string& name, const std::string& first_lines,
                     const TypeContext& context) {
  // Members get their names first, because users write them.
  model::NameScope scope = scope_of_members(name);
  const std::vector<std::string> names = named_in(object, scope);
  std::vector<Member> members;
  for (std::size_t i = 0; i < names.size(); ++i)
    members.push_back({object.fields[i], names[i], ""});
  const std::string whole_name = context.enclosing.empty() ? name : context.enclosing + "::" + name;
  std::string declarations;
  std::string definitions;
  std::string fields;
  std::string writes;
  std::string reads;
  for (Member& member : members) {
    const Node& node = member.field.node;
    const TypeText type =
        type_text(node, model::type_name(member.field.name), scope,
                  {whole_name, context.decoder, context.is_encoded, context.enumerations,
                   context.structs, context.has_attributes});
    append_block(declarations, type.declarations);
    append_block(definitions, type.definitions);
    fields += member_text(node, type.expression, member.name);
    if (node.kind == Kind::object && !node.fields.empty()) member.structure = type.expression;
    writes += write_text(member);
    reads += read_text(member, type.expression, whole_name);
  }
  append_block(definitions, fill(R"(
void to_json(fw::Json& fw_json, const $name$& fw_value) {
  fw_json = fw::Json::object();
  $writes$
}
void from_json(const fw::Json& fw_json, $name$& fw_value) {
  $reads$
}
)",
                                 {{"name", whole_name}, {"writes", writes}, {"reads", reads}}));
  std::string codecs;
  if (context.decoder != Decoder::none) {
    codecs += fmt::format("friend void fw_decode(fw::detail::{}& in, {}& out);\n",
                          reader_name(context.decoder), name);
    append_block(definitions, decoder_text(whole_name, members, context.decoder));
  }
  if (context.is_encoded) {
    codecs +=
        fmt::format("friend void fw_encode(fw::detail::JsonWriter& out, const {}& value);\n", name);
    append_block(definitions, encoder_text(whole_name, members));
  }
  std::string declaration =
      fill(R"(
struct $attribute$$name$ {
  $members$

  friend void to_json(fw::Json& fw_json, const $name$& fw_value);
  friend void from_json(const fw::Json& fw_json, $name$& fw_value);
  $codecs$
};
)",
           {{"attribute",
             context.has_attributes ? schema_attribute(schema_json(object)) : std::string()},
            {"name", name},
            {"members", joined({first_lines, declarations, fields})},
            {"codecs", codecs}});
  return {std::move(declaration), name, std::move(definitions)};
}

}  // namespace fairway::emit
