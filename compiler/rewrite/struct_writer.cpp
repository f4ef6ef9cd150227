#include "rewrite/struct_writer.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <variant>

#include "emit/source_parts.hpp"
#include "emit/struct_types.hpp"
#include "model/cpp_names.hpp"

namespace fairway::rewrite {
namespace {

using fw::schema::Kind;
using fw::schema::Node;

constexpr std::size_t kMaxMembers = 64;  // of a type that is a schema

bool has_members(const Node& node) {
  if (node.kind == Kind::array) return node.items && has_members(*node.items);
  return node.kind == Kind::object && !node.fields.empty();
}

/// The description of a member as a comment. Descriptions that a comment would change have no such
/// form.
std::string comment_of(const Node& node) {
  if (node.description.empty()) return {};
  const bool is_plain = node.description.find_first_of("\\@\n\r\t") == std::string::npos &&
                        node.description.find("  ") == std::string::npos &&
                        node.description.front() != ' ' && node.description.back() != ' ' &&
                        emit::comment_text(node.description) == node.description;
  if (!is_plain) {
    throw NotWritable(fmt::format("a comment cannot say \"{}\"", node.description));
  }
  return fmt::format("  /// {}\n", node.description);
}

}  // namespace

bool has_rules(const Node& node) {
  if (node.min || node.max || !node.pattern.empty() || node.default_value) return true;
  switch (node.kind) {
    case Kind::any:
    case Kind::string:
    case Kind::integer:
    case Kind::number:
    case Kind::boolean:
      return false;
    case Kind::array:
      return !node.items || has_rules(*node.items);
    case Kind::object:
      return node.fields.empty();
    default:  // a string in one of the formats
      return true;
  }
}

std::string StructWriter::in_std(const std::string& type, const std::string& header) {
  headers_.insert(header);
  return type;
}

std::string StructWriter::leaf(const Node& node) {
  if (!has_rules(node)) {
    switch (node.kind) {
      case Kind::string:
        return in_std("std::string", "<string>");
      case Kind::integer:
        return in_std("std::int64_t", "<cstdint>");
      case Kind::number:
        return "double";
      case Kind::boolean:
        return "bool";
      case Kind::any:
        return "fw::Json";
      case Kind::array:
        return in_std(fmt::format("std::vector<{}>", leaf(*node.items)), "<vector>");
      default:
        break;
    }
  }
  const std::string text = fw::schema::to_dsl(node);
  const auto parsed = fw::schema::parse_dsl(text);
  const auto* same = std::get_if<Node>(&parsed);
  if (same == nullptr || fw::schema::to_json_schema(*same) != fw::schema::to_json_schema(node)) {
    throw NotWritable(fmt::format("no string of the schema language says \"{}\"", text));
  }
  return fmt::format("fw::Field<{}>", emit::string_literal(text));
}

std::string StructWriter::type_of(const Node& node, const std::string& name) {
  if (!has_members(node)) {
    Node plain = node;
    plain.required = true;
    plain.description.clear();
    return leaf(plain);
  }
  if (node.kind == Kind::object) return struct_of(node, name);
  const std::string item = type_of(*node.items, name + "Item");
  return in_std(fmt::format("std::vector<{}>", item), "<vector>");
}

std::string StructWriter::struct_of(const Node& object, const std::string& name) {
  if (object.fields.size() > kMaxMembers) {
    throw NotWritable(fmt::format("a struct can have at most {} members", kMaxMembers));
  }
  const std::vector<std::string> names = emit::member_names(object, name);
  std::string members;
  std::string listed;
  bool is_renamed = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& [field, node] = object.fields[i];
    std::string type = type_of(node, name + model::type_name(field));
    if (!node.is_always_there()) {
      type = in_std(fmt::format("std::optional<{}>", type), "<optional>");
    }
    members += fmt::format("{}  {} {};\n", comment_of(node), type, names[i]);
    const std::string json_name =
        json_names_ == model::JsonNames::camel_case ? model::camel_case(names[i]) : names[i];
    is_renamed = is_renamed || json_name != field;
    listed += names[i] == field ? fmt::format(", {}", field)
                                : fmt::format(", ({}, {})", names[i], emit::string_literal(field));
  }
  const auto [known, is_new] = names_.try_emplace(members + listed, name);
  if (!is_new) return known->second;
  if (!taken_.insert(name).second) {
    throw NotWritable(fmt::format("'{}' is already the name of something else", name));
  }
  if (is_renamed) members += fmt::format("  FW_JSON({}{})\n", name, listed);
  structs_.push_back(fmt::format("struct {} {{\n{}}};\n", name, members));
  return name;
}

}  // namespace fairway::rewrite
