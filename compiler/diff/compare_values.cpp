// `enum`, `const`, `format`, `pattern` and `default`.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "diff/schema_comparison.hpp"

namespace fairway::diff {
namespace {

using Values = std::vector<Json>;

Values missing_from(const Values& values, const Values& others) {
  Values missing;
  std::ranges::copy_if(values, std::back_inserter(missing), [&](const Json& value) {
    return std::ranges::none_of(others,
                                [&](const Json& other) { return same_value(value, other); });
  });
  return missing;
}

/// Each format, and one whose values all belong to it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWider = {{
    {"int64", "int32"},
    {"double", "float"},
    {"idn-email", "email"},
    {"idn-hostname", "hostname"},
    {"iri", "uri"},
}};

/// Whether whatever has all of `narrow` has all of `wide`.
bool implies(const std::map<std::string, Place>& narrow, const std::map<std::string, Place>& wide) {
  return std::ranges::all_of(wide, [&](const auto& entry) {
    return narrow.contains(entry.first) || std::ranges::any_of(kWider, [&](const auto& row) {
             return row.first == entry.first && narrow.contains(std::string(row.second));
           });
  });
}

std::string names(const std::map<std::string, Place>& entries) {
  std::string text;
  for (const auto& [name, place] : entries) {
    text += (text.empty() ? "" : " and ") + value_text(Json(name));
  }
  return text;
}

bool holds_all(const std::map<std::string, Place>& whole,
               const std::map<std::string, Place>& part) {
  return std::ranges::all_of(part, [&](const auto& entry) { return whole.contains(entry.first); });
}

bool same_names(const std::map<std::string, Place>& one, const std::map<std::string, Place>& two) {
  return one.size() == two.size() && holds_all(one, two);
}

Place first(const std::map<std::string, Place>& entries) {
  return entries.empty() ? Place() : entries.begin()->second;
}

}  // namespace

void SchemaComparison::compare_values(const Pair& pair) {
  const Schema& before = pair.before;
  const Schema& after = pair.after;
  if (before.constant && after.constant &&
      !same_value(*before.constant.value, *after.constant.value)) {
    add_at("const-changed", pair.location, before.constant, after.constant,
           fmt::format("the only value {} became {}", value_text(*before.constant.value),
                       value_text(*after.constant.value)));
    return;
  }
  const auto place = [](const Schema& schema) {
    return schema.constant ? schema.constant : schema.values_place;
  };
  // One constant is a list of one value.
  const std::optional<Values>& old_values = before.values;
  const std::optional<Values>& new_values = after.values;
  if (!old_values && !new_values) return;
  if (!old_values) {
    const bool is_one = static_cast<bool>(after.constant);
    add_at(is_one ? "const-added" : "enum-added", pair.location, pair.old_place, place(after),
           is_one ? fmt::format("any value became {} alone", list_text(*new_values))
                  : fmt::format("any value became one of {}", list_text(*new_values)));
    return;
  }
  if (!new_values) {
    const bool is_one = static_cast<bool>(before.constant);
    add_at(is_one ? "const-removed" : "enum-removed", pair.location, place(before), pair.new_place,
           is_one ? fmt::format("{} alone became any value", list_text(*old_values))
                  : fmt::format("one of {} became any value", list_text(*old_values)));
    return;
  }
  const std::string was =
      fmt::format("{} became {}", list_text(*old_values), list_text(*new_values));
  if (const Values gone = missing_from(*old_values, *new_values); !gone.empty()) {
    add_at(
        "enum-value-removed", pair.location, place(before), place(after),
        fmt::format("{} {} removed: {}", list_text(gone), gone.size() == 1 ? "was" : "were", was));
  }
  if (const Values fresh = missing_from(*new_values, *old_values); !fresh.empty()) {
    add_at(
        "enum-value-added", pair.location, place(before), place(after),
        fmt::format("{} {} added: {}", list_text(fresh), fresh.size() == 1 ? "was" : "were", was));
  }
}

void SchemaComparison::compare_formats(const Pair& pair) {
  const auto& before = pair.before.formats;
  const auto& after = pair.after.formats;
  if (same_names(before, after)) return;
  if (before.empty()) {
    add_at("format-narrowed", pair.location, pair.old_place, first(after),
           fmt::format("format {} was added", names(after)));
  } else if (after.empty()) {
    add_at("format-widened", pair.location, first(before), pair.new_place,
           fmt::format("format {} was removed", names(before)));
  } else {
    const std::string_view id = implies(before, after)   ? "format-widened"
                                : implies(after, before) ? "format-narrowed"
                                                         : "format-changed";
    add_at(id, pair.location, first(before), first(after),
           fmt::format("format {} became {}", names(before), names(after)));
  }
}

void SchemaComparison::compare_patterns(const Pair& pair) {
  const auto& before = pair.before.patterns;
  const auto& after = pair.after.patterns;
  if (same_names(before, after)) return;
  if (holds_all(after, before)) {
    add_at("pattern-added", pair.location, pair.old_place, first(after),
           before.empty() ? fmt::format("pattern {} was added", names(after))
                          : fmt::format("pattern {} became {}", names(before), names(after)));
  } else if (holds_all(before, after)) {
    add_at("pattern-removed", pair.location, first(before), pair.new_place,
           after.empty() ? fmt::format("pattern {} was removed", names(before))
                         : fmt::format("pattern {} became {}", names(before), names(after)));
  } else {
    add_at("pattern-changed", pair.location, first(before), first(after),
           fmt::format("pattern {} became {}", names(before), names(after)));
  }
}

void SchemaComparison::compare_defaults(const Pair& pair) {
  const Place& before = pair.before.fallback;
  const Place& after = pair.after.fallback;
  if (before && after) {
    if (same_value(*before.value, *after.value)) return;
    add_at(
        "default-changed", pair.location, before, after,
        fmt::format("default {} became {}", value_text(*before.value), value_text(*after.value)));
  } else if (after) {
    add_at("default-added", pair.location, pair.old_place, after,
           fmt::format("default {} was added", value_text(*after.value)));
  } else if (before) {
    add_at("default-removed", pair.location, before, pair.new_place,
           fmt::format("default {} was removed", value_text(*before.value)));
  }
}

}  // namespace fairway::diff
