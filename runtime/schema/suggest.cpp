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
};

// Names that other schema languages give to the same types; too far off for the edit distance.
constexpr std::array kForeignNames = {
    ForeignName{"int", "integer"},
    ForeignName{"int32", "integer"},
    ForeignName{"int64", "integer"},
    ForeignName{"long", "integer"},
    ForeignName{"float", "number"},
    ForeignName{"double", "number"},
    ForeignName{"decimal", "number"},
    ForeignName{"bool", "boolean"},
    ForeignName{"str", "string"},
    ForeignName{"text", "string"},
    ForeignName{"uri", "url"},
    ForeignName{"mail", "email"},
    ForeignName{"e-mail", "email"},
    ForeignName{"date-time", "datetime"},
    ForeignName{"timestamp", "datetime"},
    ForeignName{"guid", "uuid"},
    ForeignName{"ip", "ipv4"},
    ForeignName{"host", "hostname"},
    ForeignName{"list", "array"},
    ForeignName{"map", "object"},
    ForeignName{"mixed", "any"},
    ForeignName{"enumeration", "enum"},
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

std::string_view nearest_type(std::string_view name) {
  const auto foreign = std::ranges::find(kForeignNames, name, &ForeignName::name);
  if (foreign != kForeignNames.end()) return foreign->ours;

  std::vector<std::string_view> kinds;
  for (const KindInfo& kind : all_kinds()) kinds.push_back(kind.name);
  const auto near = near_names(name, kinds);
  return near.empty() ? std::string_view() : near.front();
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

std::string help_for_unknown_type(std::string_view name) {
  if (name.find('|') != std::string_view::npos) {
    std::string values(name);
    std::ranges::replace(values, '|', ',');
    return fmt::format("alternatives are written 'enum:{}'", values);
  }
  if (name.ends_with("[]") && find_kind(name.substr(0, name.size() - 2))) {
    return fmt::format("an array is written 'array<{}>'", name.substr(0, name.size() - 2));
  }
  const std::string_view nearest = nearest_type(lower_case(trim_blanks(name)));
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  return fmt::format("the types are {}", list_of_types());
}

}  // namespace fw::schema
