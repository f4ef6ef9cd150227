// Bounds, and keywords that restrict values in other ways.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "diff/schema_comparison.hpp"

namespace fairway::diff {
namespace {

struct Bound {
  std::string_view keyword;
  std::string_view family;  ///< beginning of the ids
};
constexpr std::array<Bound, 3> kLower = {
    {{"minLength", "length"}, {"minItems", "item-count"}, {"minProperties", "member-count"}}};
constexpr std::array<Bound, 3> kUpper = {
    {{"maxLength", "length"}, {"maxItems", "item-count"}, {"maxProperties", "member-count"}}};

Place find(const std::map<std::string, Place>& bounds, std::string_view keyword) {
  const auto found = bounds.find(std::string(keyword));
  return found == bounds.end() ? Place() : found->second;
}

/// A number's limit from below or from above: `minimum` or `exclusiveMinimum`, the tighter one.
struct Limit {
  Place place;
  std::string keyword;
  bool is_exclusive = false;

  double number() const { return place.value->get<double>(); }
};

Limit limit_of(const Schema& schema, bool is_lower) {
  const std::string inclusive = is_lower ? "minimum" : "maximum";
  const std::string exclusive = is_lower ? "exclusiveMinimum" : "exclusiveMaximum";
  Limit limit{find(schema.bounds, inclusive), inclusive, false};
  const Place other = find(schema.bounds, exclusive);
  if (!other) return limit;
  const bool is_tighter = !limit.place || (is_lower ? other.value->get<double>() >= limit.number()
                                                    : other.value->get<double>() <= limit.number());
  return is_tighter ? Limit{other, exclusive, true} : limit;
}

bool is_tighter(const Limit& one, const Limit& other, bool is_lower) {
  if (!one.place || !other.place) return static_cast<bool>(one.place);
  const double first = one.number();
  const double second = other.number();
  if (first != second) return is_lower ? first > second : first < second;
  // Integers that a double cannot hold are told apart by themselves.
  if (*one.place.value != *other.place.value) {
    return is_lower ? *other.place.value < *one.place.value : *one.place.value < *other.place.value;
  }
  return one.is_exclusive && !other.is_exclusive;
}

std::string became(const std::string& old_keyword, const Place& before,
                   const std::string& new_keyword, const Place& after) {
  if (!before) return fmt::format("{} {} was added", new_keyword, after.value->dump());
  if (!after) return fmt::format("{} {} was removed", old_keyword, before.value->dump());
  if (old_keyword == new_keyword) {
    return fmt::format("{} {} became {}", old_keyword, before.value->dump(), after.value->dump());
  }
  return fmt::format("{} {} became {} {}", old_keyword, before.value->dump(), new_keyword,
                     after.value->dump());
}

Place or_else(const Place& place, const Place& other) { return place ? place : other; }

Place first(const Conjunction* places) { return places ? places->front() : Place(); }

}  // namespace

void SchemaComparison::compare_lower_or_upper(const Pair& pair, bool is_lower) {
  const Limit before = limit_of(pair.before, is_lower);
  const Limit after = limit_of(pair.after, is_lower);
  const bool tightened = is_tighter(after, before, is_lower);
  if (tightened || is_tighter(before, after, is_lower)) {
    add_at(tightened ? "range-tightened" : "range-loosened", pair.location,
           or_else(before.place, pair.old_place), or_else(after.place, pair.new_place),
           became(before.keyword, before.place, after.keyword, after.place));
  }
  for (const Bound& bound : is_lower ? kLower : kUpper) {
    const std::string keyword(bound.keyword);
    const Place old_bound = find(pair.before.bounds, keyword);
    const Place new_bound = find(pair.after.bounds, keyword);
    const Limit old_limit{old_bound, keyword, false};
    const Limit new_limit{new_bound, keyword, false};
    const bool is_tightened = is_tighter(new_limit, old_limit, is_lower);
    if (!is_tightened && !is_tighter(old_limit, new_limit, is_lower)) continue;
    add_at(std::string(bound.family) + (is_tightened ? "-tightened" : "-loosened"), pair.location,
           or_else(old_bound, pair.old_place), or_else(new_bound, pair.new_place),
           became(keyword, old_bound, keyword, new_bound));
  }
}

void SchemaComparison::compare_bounds(const Pair& pair) {
  compare_lower_or_upper(pair, true);
  compare_lower_or_upper(pair, false);
}

void SchemaComparison::compare_multiple_of(const Pair& pair, const Place& before,
                                           const Place& after) {
  const double old_step = before.value->is_number() ? before.value->get<double>() : 0;
  const double new_step = after.value->is_number() ? after.value->get<double>() : 0;
  if (old_step <= 0 || new_step <= 0) return;
  const std::string message = became("multipleOf", before, "multipleOf", after);
  const auto divides = [](double part, double whole) {
    const double ratio = whole / part;
    return std::abs(ratio - std::round(ratio)) < 1e-9;
  };
  if (divides(old_step, new_step)) {
    add_at("constraint-added", pair.location, before, after, message);
  } else if (divides(new_step, old_step)) {
    add_at("constraint-removed", pair.location, before, after, message);
  } else {
    add_at("constraint-changed", pair.location, before, after, message);
  }
}

void SchemaComparison::compare_constraints(const Pair& pair) {
  std::set<std::string> keywords;
  for (const auto& [keyword, places] : pair.before.constraints) keywords.insert(keyword);
  for (const auto& [keyword, places] : pair.after.constraints) keywords.insert(keyword);
  const auto of = [](const Schema& schema, const std::string& keyword) -> const Conjunction* {
    const auto found = schema.constraints.find(keyword);
    return found == schema.constraints.end() ? nullptr : &found->second;
  };
  for (const std::string& keyword : keywords) {
    const Conjunction* before = of(pair.before, keyword);
    const Conjunction* after = of(pair.after, keyword);
    if (before && after && same_constraint(keyword, *before, *after)) continue;
    if (before && after && keyword == "multipleOf" && before->size() == 1 && after->size() == 1) {
      compare_multiple_of(pair, first(before), first(after));
      continue;
    }
    const std::string_view id = !before  ? "constraint-added"
                                : !after ? "constraint-removed"
                                         : "constraint-changed";
    const auto text = [](const Conjunction* places) { return value_text(*first(places).value); };
    add_at(id, pair.location, or_else(first(before), pair.old_place),
           or_else(first(after), pair.new_place),
           !before  ? fmt::format("{} {} was added", keyword, text(after))
           : !after ? fmt::format("{} {} was removed", keyword, text(before))
                    : fmt::format("{} {} became {}", keyword, text(before), text(after)));
  }
}

bool SchemaComparison::same_schema(const Place& before, const Place& after) {
  Changes changes;
  Recorder silent = recorder_.into(changes);
  SchemaComparison inner(documents_, direction_, is_text_, silent);
  inner.depth_ = depth_ + 1;
  inner.seen_ = seen_;
  inner.compare({before}, {after}, {});
  return std::ranges::all_of(
      changes, [](const Change& change) { return change.level == Level::documentation; });
}

bool SchemaComparison::same_constraint(const std::string& keyword, const Conjunction& before,
                                       const Conjunction& after) {
  if (before.size() != after.size()) return false;
  constexpr std::array<std::string_view, 9> kSchemas = {
      "contains",      "not",           "if",
      "then",          "else",          "unevaluatedItems",
      "propertyNames", "contentSchema", "unevaluatedProperties"};
  const bool is_schema = std::ranges::find(kSchemas, keyword) != kSchemas.end();
  const bool is_map = keyword == "dependentSchemas" || keyword == "patternProperties";
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (is_schema) {
      if (!same_schema(before[i], after[i])) return false;
    } else if (is_map && before[i].value->is_object() && after[i].value->is_object()) {
      if (before[i].value->size() != after[i].value->size()) return false;
      for (const auto& [name, value] : before[i].value->items()) {
        const Place other = after[i].member(name);
        if (!other || !same_schema(before[i].member(name), other)) return false;
      }
    } else if (!same_value(*before[i].value, *after[i].value)) {
      return false;
    }
  }
  return true;
}

}  // namespace fairway::diff
