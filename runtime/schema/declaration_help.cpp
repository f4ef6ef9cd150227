#include "schema/declaration_help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.hpp"
#include "base/suggest.hpp"
#include "schema/kinds.hpp"

namespace fw::schema {
namespace {

struct ForeignName {
  std::string_view name;
  std::string_view ours;
  bool is_same;  ///< nothing else can be meant
};

// Names that other schema languages give to the same types; too far off for the edit distance.
constexpr std::array kForeignNames = {
    ForeignName{"int", "integer", true},
    ForeignName{"int32", "integer", false},
    ForeignName{"int64", "integer", false},
    ForeignName{"long", "integer", false},
    ForeignName{"float", "number", true},
    ForeignName{"double", "number", true},
    ForeignName{"decimal", "number", false},
    ForeignName{"bool", "boolean", true},
    ForeignName{"str", "string", true},
    ForeignName{"text", "string", false},
    ForeignName{"uri", "url", false},
    ForeignName{"mail", "email", true},
    ForeignName{"e-mail", "email", true},
    ForeignName{"date-time", "datetime", true},
    ForeignName{"timestamp", "datetime", false},
    ForeignName{"guid", "uuid", true},
    ForeignName{"ip", "ipv4", false},
    ForeignName{"host", "hostname", false},
    ForeignName{"list", "array", false},
    ForeignName{"map", "object", false},
    ForeignName{"mixed", "any", false},
    ForeignName{"enumeration", "enum", false},
};

const ForeignName* find_foreign(std::string_view name) {
  const auto* found = std::ranges::find(kForeignNames, name, &ForeignName::name);
  return found == kForeignNames.end() ? nullptr : found;
}

std::vector<std::string_view> near_types(std::string_view name) {
  std::vector<std::string_view> kinds;
  for (const KindInfo& kind : all_kinds()) kinds.push_back(kind.name);
  return base::near_names(name, kinds);
}

/// "uuid" of "uuid[]", when that is a type.
std::string_view item_type(std::string_view name) {
  if (!name.ends_with("[]")) return {};
  name.remove_suffix(2);
  return find_kind(name) ? name : std::string_view();
}

std::string list_of_types() {
  std::string list;
  for (const KindInfo& kind : all_kinds()) {
    if (!list.empty()) list += ", ";
    list += kind.name;
  }
  return list;
}

}  // namespace

std::string field_name_error(std::string_view name) {
  if (!name.ends_with('?') && !name.ends_with('!')) return {};
  return fmt::format("the name of a field must not end in '{}'", name.back());
}

std::string field_type_error(std::string_view location, const Node& node) {
  if (node.kind != Kind::array) return {};
  if (location == "param") return "a path parameter has one value and cannot be an array";
  if (location == "cookie") return "a cookie has one value and cannot be an array";
  return {};
}

std::string help_for_unknown_type(std::string_view name) {
  if (name.find('|') != std::string_view::npos) {
    std::string values(name);
    std::ranges::replace(values, '|', ',');
    return fmt::format("alternatives are written 'enum:{}'", values);
  }
  if (const auto item = item_type(name); !item.empty()) {
    return fmt::format("an array is written 'array<{}>'", item);
  }
  const std::string lower = base::lower_case(base::trim_whitespace(name));
  if (const ForeignName* foreign = find_foreign(lower)) {
    return fmt::format("did you mean '{}'?", foreign->ours);
  }
  const auto near = near_types(lower);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near.front());
  return fmt::format("the types are {}", list_of_types());
}

std::string replacement_for_unknown_type(std::string_view name) {
  if (const auto item = item_type(name); !item.empty()) return fmt::format("array<{}>", item);
  if (const ForeignName* foreign = find_foreign(base::lower_case(name))) {
    return std::string(foreign->is_same ? foreign->ours : std::string_view());
  }
  const auto near = near_types(name);
  return std::string(near.size() == 1 ? near.front() : std::string_view());
}

}  // namespace fw::schema
