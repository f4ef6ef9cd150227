#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/utf8.hpp"
#include "emit/source_parts.hpp"
#include "emit/struct_types.hpp"
#include "schema/kinds.hpp"

namespace fairway::emit {
namespace {

using fw::schema::Kind;
using fw::schema::Node;

// Presence is counted in the bits of one word.
constexpr std::size_t kMaxMembers = 64;

/// Whether JSON can contain the name without escapes. The reader compares bytes; members whose
/// names are escaped are read by way of a tree.
bool is_plain_name(std::string_view name) {
  return fw::base::count_code_points(name).well_formed && std::ranges::none_of(name, [](char c) {
           return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
         });
}

bool fits(const Node& node, const std::optional<double>& bound) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (!bound || node.kind == Kind::number) return true;
  if (node.kind == Kind::integer) return std::fabs(*bound) < kTwoTo63;
  return *bound >= 0 && *bound < kTwoTo63;
}

/// Whether no part of a value is a JSON tree.
bool has_cpp_type(const Node& node) {
  switch (node.kind) {
    case Kind::any:
    case Kind::null:
      return false;
    case Kind::array:
      return node.items && has_cpp_type(*node.items);
    case Kind::object:
      return !node.fields.empty() &&
             std::ranges::all_of(node.fields, [](const fw::schema::Field& field) {
               return is_plain_name(field.name) && has_cpp_type(field.node);
             });
    default:
      return true;
  }
}

/// Whether the generated code can check the rules of the values. Patterns and defaults are left to
/// the validation of trees.
bool has_readable_rules(const Node& node) {
  if (!fits(node, node.min) || !fits(node, node.max)) return false;
  if (node.expression || node.default_value) return false;
  if (node.items) return has_readable_rules(*node.items);
  return node.fields.size() <= kMaxMembers &&
         std::ranges::all_of(node.fields, [](const fw::schema::Field& field) {
           return has_readable_rules(field.node);
         });
}

std::string bound_text(const Node& node, double bound) {
  return node.kind == Kind::number ? fmt::format("{}", bound)
                                   : fmt::format("{}", static_cast<std::int64_t>(bound));
}

/// ", {.least = 1, .most = 5}", or nothing.
std::string range_argument(const Node& node) {
  std::string bounds;
  if (node.min) bounds += ".least = " + bound_text(node, *node.min);
  if (node.min && node.max) bounds += ", ";
  if (node.max) bounds += ".most = " + bound_text(node, *node.max);
  return bounds.empty() ? "" : ", {" + bounds + "}";
}

std::string values_argument(const Node& node) {
  std::string values;
  for (const std::string& value : node.values) {
    values += (values.empty() ? "" : ", ") + string_literal(value);
  }
  return ", {" + values + "}";
}

/// Reads a value into `target`. `depth` is the number of arrays around it.
std::string read_text(const Node& node, const std::string& target, int depth = 0) {
  switch (node.kind) {
    case Kind::object:
      return fmt::format("fw_decode(in, {});", target);
    case Kind::enumeration:
      return fmt::format("in.enumeration({}{});", target, values_argument(node));
    case Kind::array: {
      const std::string item = depth == 0 ? "item" : "item" + std::to_string(depth + 1);
      const std::string range = range_argument(node);
      return fmt::format("in.array({}{}, [&in](auto& {}) {{ {} }});", target,
                         range.empty() ? ", {}" : range, item,
                         read_text(*node.items, item, depth + 1));
    }
    default:
      break;
  }
  const fw::schema::KindInfo& kind = fw::schema::info(node.kind);
  if (kind.has_format != nullptr) {
    return fmt::format("in.formatted({}, fw::schema::Kind::{});", target, kind.name);
  }
  return fmt::format("in.{}({}{});", kind.name, target, range_argument(node));
}

/// Where a member of `type` is read into.
std::string target_of(const std::string& type, const Member& member) {
  return "out." + member.name +
         (member.field.node.required ? "" : emplace_text(member, type + "::"));
}

std::string fields_decoder_text(const std::string& type, std::span<const Member> members) {
  std::string reads;
  for (const Member& member : members) {
    const Node& node = member.field.node;
    reads +=
        fmt::format("if (in.{}({})) {}\n", node.required ? "require" : "find",
                    string_literal(member.field.name), read_text(node, target_of(type, member)));
  }
  return fill(R"(
void fw_decode(fw::detail::FieldReader& in, $type$& out) {
  $reads$
}
)",
              {{"type", type}, {"reads", reads}});
}

std::string json_decoder_text(const std::string& type, std::span<const Member> members) {
  std::string names;
  std::string cases;
  std::uint64_t required = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Node& node = members[i].field.node;
    if (node.required) required |= std::uint64_t{1} << i;
    names += (names.empty() ? "" : ", ") + string_literal(members[i].field.name);
    cases +=
        fmt::format("case {}:\n  {}\n  break;\n", i, read_text(node, target_of(type, members[i])));
  }
  return fill(R"(
void fw_decode(fw::detail::JsonReader& in, $type$& out) {
  static constexpr std::string_view kMembers[] = {$names$};
  for (fw::detail::JsonObject object(in, kMembers, $required$); object.next();) {
    switch (object.member()) {
      $cases$
    }
  }
}
)",
              {{"type", type},
               {"names", names},
               {"required", fmt::format("{:#b}", required)},
               {"cases", cases}});
}

/// Writes the value `source`.
std::string write_text(const Node& node, const std::string& source, int depth = 0) {
  switch (node.kind) {
    case Kind::object:
      return fmt::format("fw_encode(out, {});", source);
    case Kind::enumeration:
      return fmt::format("out.string(to_string({}));", source);
    case Kind::array: {
      const std::string item = depth == 0 ? "item" : "item" + std::to_string(depth + 1);
      return fmt::format("out.array({}, [&out](const auto& {}) {{ {} }});", source, item,
                         write_text(*node.items, item, depth + 1));
    }
    case Kind::number:
      return fmt::format("out.number({});", source);
    case Kind::integer:
      return fmt::format("out.integer({});", source);
    case Kind::boolean:
      return fmt::format("out.boolean({});", source);
    default:
      return fmt::format("out.string({});", source);
  }
}

}  // namespace

std::string emplace_text(const Member& member, const std::string& scope) {
  return member.structure.empty() ? ".emplace()"
                                  : fmt::format(".emplace({}{}{{}})", scope, member.structure);
}

Decoder decoder_of(std::string_view location, const Node& object) {
  if (!has_cpp_type(object) || !has_readable_rules(object)) return Decoder::none;
  if (location == "body") return Decoder::json;
  const bool has_structures = std::ranges::any_of(object.fields, [](const auto& field) {
    return field.node.kind == Kind::array || field.node.kind == Kind::object;
  });
  return has_structures ? Decoder::none : Decoder::fields;
}

std::string_view reader_name(Decoder decoder) {
  return decoder == Decoder::fields ? "FieldReader" : "JsonReader";
}

std::string decoder_text(const std::string& type, std::span<const Member> members,
                         Decoder decoder) {
  return decoder == Decoder::fields ? fields_decoder_text(type, members)
                                    : json_decoder_text(type, members);
}

bool is_encodable(const Node& node) {
  const Node* item = &node;
  while (item->kind == Kind::array && item->items) item = item->items.get();
  return item->kind == Kind::object && has_cpp_type(*item);
}

std::string encoder_text(const std::string& type, std::span<const Member> members) {
  std::string writes;
  std::string before = "{";  // what separates the member from what is before it
  for (const Member& member : members) {
    const Node& node = member.field.node;
    const std::string name = '"' + member.field.name + "\":";
    if (before == "{" && !node.is_always_there()) {
      writes += "out.raw(\"{\");\n";
      before.clear();  // from here on, the generated code finds out whether a comma is needed
    }
    const std::string write_name = before.empty()
                                       ? fmt::format("out.member({});", raw_literal(name))
                                       : fmt::format("out.raw({});", raw_literal(before + name));
    if (node.is_always_there()) {
      writes += write_name + '\n' + write_text(node, "value." + member.name) + '\n';
      before = ",";
    } else {
      writes += fmt::format("if (value.{}) {{\n  {}\n  {}\n}}\n", member.name, write_name,
                            write_text(node, "*value." + member.name));
    }
  }
  return fill(R"(
void fw_encode(fw::detail::JsonWriter& out, const $type$& value) {
  $writes$
  out.raw("}");
}
)",
              {{"type", type}, {"writes", writes}});
}

}  // namespace fairway::emit
