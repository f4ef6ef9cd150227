#include "emit/struct_types.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "emit/source_parts.hpp"

namespace fairway::emit {
namespace {

using fw::schema::Kind;
using fw::schema::Node;

std::string enum_text(const Node& node, const std::string& name) {
  Scope scope({});
  std::string enumerators;
  std::string cases;
  for (const std::string& value : node.values) {
    const std::string enumerator = scope.add(cpp_name(value));
    const std::string separator = enumerators.empty() ? "" : ", ";
    enumerators += separator + enumerator;
    cases += fmt::format("case {}::{}:\n  return {};\n", name, enumerator, string_literal(value));
  }
  std::string all;
  Scope again({});
  for (const std::string& value : node.values) {
    all += fmt::format("{}{}::{}", all.empty() ? "" : ", ", name, again.add(cpp_name(value)));
  }
  return fill(R"(
enum class $name$ { $enumerators$ };
friend constexpr std::string_view to_string($name$ fw_value) {
  switch (fw_value) {
    $cases$
  }
  return {};
}
friend void to_json(fw::Json& fw_json, $name$ fw_value) {
  fw_json = std::string(to_string(fw_value));
}
friend void from_json(const fw::Json& fw_json, $name$& fw_value) {
  const auto& fw_text = fw_json.get_ref<const std::string&>();
  for (const $name$ fw_each : {$all$}) {
    if (fw_text == to_string(fw_each)) {
      fw_value = fw_each;
      return;
    }
  }
  throw std::invalid_argument("'" + fw_text + "' is not a value of $name$");
}
)",
              {{"name", name}, {"enumerators", enumerators}, {"cases", cases}, {"all", all}});
}

struct MemberText {
  std::string field;   ///< JSON name
  std::string member;  ///< C++ name
  bool required = true;
};

std::string member_text(const Node& node, const std::string& type, const std::string& name) {
  const std::string comment = comment_text(node.description);
  const std::string whole_type = node.required ? type : "std::optional<" + type + ">";
  return fmt::format("{}{} {} = {{}};\n", comment.empty() ? "" : "/// " + comment + "\n",
                     whole_type, name);
}

std::string write_text(const MemberText& member) {
  const std::string field = string_literal(member.field);
  if (member.required) return fmt::format("fw_json[{}] = fw_value.{};\n", field, member.member);
  return fmt::format("if (fw_value.{0}) fw_json[{1}] = *fw_value.{0};\n", member.member, field);
}

std::string read_text(const MemberText& member) {
  const std::string field = string_literal(member.field);
  if (member.required)
    return fmt::format("fw_json.at({}).get_to(fw_value.{});\n", field, member.member);
  return fill(R"(
if (const auto fw_found = fw_json.find($field$);
    fw_found != fw_json.end() && !fw_found->is_null()) {
  fw_found->get_to(fw_value.$member$.emplace());
} else {
  fw_value.$member$.reset();
}
)",
              {{"field", field}, {"member", member.member}});
}

}  // namespace

TypeText type_text(const Node& node, const std::string& name, Scope& scope) {
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
      return {enum_text(node, unique), unique};
    }
    case Kind::array: {
      if (!node.items) return {"", "std::vector<fw::Json>"};
      TypeText item = type_text(*node.items, name + "Item", scope);
      return {std::move(item.declarations), "std::vector<" + item.expression + ">"};
    }
    case Kind::object: {
      if (node.fields.empty()) return {"", "fw::Json"};
      const std::string unique = scope.add(name);
      return {struct_text(node, unique, ""), unique};
    }
    default:  // a string in one of the formats
      return {"", "std::string"};
  }
}

std::string struct_text(const Node& object, const std::string& name,
                        const std::string& first_lines) {
  // Members get their names first, because users write them. The names of parameters and local
  // variables of the functions below are reserved, because they would hide members.
  Scope scope({name, "kLocation", "to_string", "to_json", "from_json", "fw_json", "fw_value",
               "fw_text", "fw_each", "fw_found"});
  std::vector<MemberText> members;
  for (const auto& field : object.fields) {
    members.push_back({field.name, scope.add(cpp_name(field.name)), field.node.required});
  }
  std::string declarations;
  std::string fields;
  std::string writes;
  std::string reads;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const TypeText type = type_text(object.fields[i].node, type_name(members[i].field), scope);
    append_block(declarations, type.declarations);
    fields += member_text(object.fields[i].node, type.expression, members[i].member);
    writes += write_text(members[i]);
    reads += read_text(members[i]);
  }
  return fill(R"(
struct $name$ {
  $members$

  friend void to_json(fw::Json& fw_json, const $name$& fw_value) {
    fw_json = fw::Json::object();
    $writes$
  }
  friend void from_json(const fw::Json& fw_json, $name$& fw_value) {
    $reads$
  }
};
)",
              {{"name", name},
               {"members", joined({first_lines, declarations, fields})},
               {"writes", writes},
               {"reads", reads}});
}

}  // namespace fairway::emit
