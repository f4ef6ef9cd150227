// `enum`, `const`, `format`, `pattern` and `default`.
#include <fmt/format.h>

#include <algorithm>

#include "diff/schema_comparison.hpp"
#include "schema/kinds.hpp"

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

/// Whether all values of the format `narrow` have the format `wide`, too.
bool is_wider(std::string_view wide, std::string_view narrow) {
  if (wide == "int64") return narrow == "int32";
  if (wide == "double") return narrow == "float";
  return std::ranges::any_of(fw::schema::all_kinds(), [&](const fw::schema::KindInfo& row) {
    return !row.json_wider.empty() && row.json_wider == wide && row.json_format == narrow;
  });
}

/// Whether a value that matches all of `narrow` matches all of `wide`.
bool implies(const std::map<std::string, Node>& narrow, const std::map<std::string, Node>& wide) {
  return std::ranges::all_of(wide, [&](const auto& needed) {
    return std::ranges::any_of(narrow, [&](const auto& entry) {
      return entry.first == needed.first || is_wider(needed.first, entry.first);
    });
  });
}

std::string names(const std::map<std::string, Node>& entries) {
  std::string text;
  for (const auto& [name, node] : entries) {
    text += (text.empty() ? "" : " and ") + value_text(Json(name));
  }
  return text;
}

bool holds_all(const std::map<std::string, Node>& whole, const std::map<std::string, Node>& part) {
  return std::ranges::all_of(part, [&](const auto& entry) { return whole.contains(entry.first); });
}

bool same_names(const std::map<std::string, Node>& one, const std::map<std::string, Node>& two) {
  return one.size() == two.size() && holds_all(one, two);
}

Node first(const std::map<std::string, Node>& entries) {
  return entries.empty() ? Node() : entries.begin()->second;
}

}  // namespace

void compare_values(SchemaComparison& c, const SchemaPair& pair) {
  const Schema& before = pair.before;
  const Schema& after = pair.after;
  if (before.constant && after.constant &&
      !same_value(*before.constant.value, *after.constant.value)) {
    c.add_at("const-changed", pair.location, before.constant, after.constant,
             fmt::format("the only allowed value {} became {}", value_text(*before.constant.value),
                         value_text(*after.constant.value)));
    return;
  }
  const auto node = [](const Schema& schema) {
    return schema.constant ? schema.constant : schema.values_node;
  };
  // A 'const' is an enum with one value.
  const std::optional<Values>& old_values = before.values;
  const std::optional<Values>& new_values = after.values;
  if (!old_values && !new_values) return;
  if (!old_values) {
    const bool is_one = static_cast<bool>(after.constant);
    c.add_at(is_one ? "const-added" : "enum-added", pair.location, pair.old_node, node(after),
             is_one ? fmt::format("any value became {} alone", list_text(*new_values))
                    : fmt::format("any value became one of {}", list_text(*new_values)));
    return;
  }
  if (!new_values) {
    const bool is_one = static_cast<bool>(before.constant);
    c.add_at(is_one ? "const-removed" : "enum-removed", pair.location, node(before), pair.new_node,
             is_one ? fmt::format("{} alone became any value", list_text(*old_values))
                    : fmt::format("one of {} became any value", list_text(*old_values)));
    return;
  }
  const std::string was =
      fmt::format("{} became {}", list_text(*old_values), list_text(*new_values));
  if (const Values gone = missing_from(*old_values, *new_values); !gone.empty()) {
    c.add_at(
        "enum-value-removed", pair.location, node(before), node(after),
        fmt::format("{} {} removed: {}", list_text(gone), gone.size() == 1 ? "was" : "were", was));
  }
  if (const Values fresh = missing_from(*new_values, *old_values); !fresh.empty()) {
    c.add_at(
        "enum-value-added", pair.location, node(before), node(after),
        fmt::format("{} {} added: {}", list_text(fresh), fresh.size() == 1 ? "was" : "were", was));
  }
}

void compare_formats(SchemaComparison& c, const SchemaPair& pair) {
  const auto& before = pair.before.formats;
  const auto& after = pair.after.formats;
  if (same_names(before, after)) return;
  if (before.empty()) {
    c.add_at("format-narrowed", pair.location, pair.old_node, first(after),
             fmt::format("format {} was added", names(after)));
  } else if (after.empty()) {
    c.add_at("format-widened", pair.location, first(before), pair.new_node,
             fmt::format("format {} was removed", names(before)));
  } else {
    const std::string_view id = implies(before, after)   ? "format-widened"
                                : implies(after, before) ? "format-narrowed"
                                                         : "format-changed";
    c.add_at(id, pair.location, first(before), first(after),
             fmt::format("format {} became {}", names(before), names(after)));
  }
}

void compare_patterns(SchemaComparison& c, const SchemaPair& pair) {
  const auto& before = pair.before.patterns;
  const auto& after = pair.after.patterns;
  if (same_names(before, after)) return;
  if (holds_all(after, before)) {
    c.add_at("pattern-added", pair.location, pair.old_node, first(after),
             before.empty() ? fmt::format("pattern {} was added", names(after))
                            : fmt::format("pattern {} became {}", names(before), names(after)));
  } else if (holds_all(before, after)) {
    c.add_at("pattern-removed", pair.location, first(before), pair.new_node,
             after.empty() ? fmt::format("pattern {} was removed", names(before))
                           : fmt::format("pattern {} became {}", names(before), names(after)));
  } else {
    c.add_at("pattern-changed", pair.location, first(before), first(after),
             fmt::format("pattern {} became {}", names(before), names(after)));
  }
}

void compare_defaults(SchemaComparison& c, const SchemaPair& pair) {
  const Node& before = pair.before.fallback;
  const Node& after = pair.after.fallback;
  if (before && after) {
    if (same_value(*before.value, *after.value)) return;
    c.add_at(
        "default-changed", pair.location, before, after,
        fmt::format("default {} became {}", value_text(*before.value), value_text(*after.value)));
  } else if (after) {
    c.add_at("default-added", pair.location, pair.old_node, after,
             fmt::format("default {} was added", value_text(*after.value)));
  } else if (before) {
    c.add_at("default-removed", pair.location, before, pair.new_node,
             fmt::format("default {} was removed", value_text(*before.value)));
  }
}

}  // namespace fairway::diff
