#include "schema/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "schema/ascii.hpp"
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

// Insertions, deletions, replacements, and swaps of neighbours, each of which counts as one.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  const std::size_t width = right.size() + 1;
  std::vector<std::size_t> before_previous(width);
  std::vector<std::size_t> previous(width);
  std::vector<std::size_t> row(width);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    before_previous.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = left[i - 1] == right[j - 1];
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        row[j] = std::min(row[j], before_previous[j - 2] + 1);
      }
    }
  }
  return row.back();
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), to_lower);
  return lower;
}

const ForeignName* find_foreign(std::string_view name) {
  const auto* found = std::ranges::find(kForeignNames, name, &ForeignName::name);
  return found == kForeignNames.end() ? nullptr : found;
}

std::vector<std::string_view> near_types(std::string_view name) {
  std::vector<std::string_view> kinds;
  for (const KindInfo& kind : all_kinds()) kinds.push_back(kind.name);
  return near_names(name, kinds);
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

std::vector<std::string_view> near_names(std::string_view name,
                                         std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongestUsefulName = 64;
  if (name.size() > kLongestUsefulName) return {};
  const std::string lower_name = lower_case(name);
  std::size_t nearest = name.size() / 3;  // more would suggest what has nothing to do with it
  std::vector<std::string_view> found;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(lower_name, lower_case(candidate));
    if (distance > nearest) continue;
    if (distance < nearest) found.clear();
    nearest = distance;
    found.push_back(candidate);
  }
  return found;
}

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

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const auto near = near_names(name, candidates);
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near.front());
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
  const std::string lower = lower_case(trim_blanks(name));
  if (const ForeignName* foreign = find_foreign(lower)) {
    return fmt::format("did you mean '{}'?", foreign->ours);
  }
  const auto near = near_types(lower);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near.front());
  return fmt::format("the types are {}", list_of_types());
}

std::string replacement_for_unknown_type(std::string_view name) {
  if (const auto item = item_type(name); !item.empty()) return fmt::format("array<{}>", item);
  if (const ForeignName* foreign = find_foreign(lower_case(name))) {
    return std::string(foreign->is_same ? foreign->ours : std::string_view());
  }
  const auto near = near_types(name);
  return std::string(near.size() == 1 ? near.front() : std::string_view());
}

}  // namespace fw::schema
