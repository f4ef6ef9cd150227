// Bounds, and keywords that restrict values in other ways.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

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
  const auto text = [](const Place& place) { return value_text(*place.value); };
  if (!before) return fmt::format("{} {} was added", new_keyword, text(after));
  if (!after) return fmt::format("{} {} was removed", old_keyword, text(before));
  if (old_keyword == new_keyword) {
    return fmt::format("{} {} became {}", old_keyword, text(before), text(after));
  }
  return fmt::format("{} {} became {} {}", old_keyword, text(before), new_keyword, text(after));
}

Place or_else(const Place& place, const Place& other) { return place ? place : other; }

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
    return ratio > 0.5 && std::abs(ratio - std::round(ratio)) < 1e-9;
  };
  if (divides(old_step, new_step)) {
    add_at("constraint-added", pair.location, before, after, message);
  } else if (divides(new_step, old_step)) {
    add_at("constraint-removed", pair.location, before, after, message);
  } else {
    add_at("constraint-changed", pair.location, before, after, message);
  }
}

void SchemaComparison::compare_condition(const Pair& pair, const Constraint& before,
                                         const Constraint& after) {
  if (!same_schema(before.place, after.place)) {
    add_at("constraint-changed", pair.location, before.place, after.place,
           became("if", before.place, "if", after.place));
    return;
  }
  for (const char* keyword : {"then", "else"}) {
    const Place old_branch = before.part.member(keyword);
    const Place new_branch = after.part.member(keyword);
    if (same_schema(old_branch, new_branch)) continue;
    add_at(!old_branch   ? "constraint-added"
           : !new_branch ? "constraint-removed"
                         : "constraint-changed",
           pair.location, or_else(old_branch, before.place), or_else(new_branch, after.place),
           became(keyword, old_branch, keyword, new_branch));
  }
}

void SchemaComparison::compare_contained(const Pair& pair, const Constraint& before,
                                         const Constraint& after) {
  if (!same_schema(before.place, after.place)) {
    add_at("constraint-changed", pair.location, before.place, after.place,
           became("contains", before.place, "contains", after.place));
    return;
  }
  for (const char* keyword : {"minContains", "maxContains"}) {
    const bool is_lower = std::string_view(keyword) == "minContains";
    const Place old_count = before.part.member(keyword);
    const Place new_count = after.part.member(keyword);
    const auto count = [&](const Place& place) {
      if (place && place.value->is_number()) return place.value->get<double>();
      return is_lower ? 1 : std::numeric_limits<double>::infinity();
    };
    if (count(old_count) == count(new_count)) continue;
    const bool is_tighter = (count(old_count) < count(new_count)) == is_lower;
    add_at(is_tighter ? "constraint-added" : "constraint-removed", pair.location,
           or_else(old_count, before.place), or_else(new_count, after.place),
           became(keyword, old_count, keyword, new_count));
  }
}

void SchemaComparison::compare_unevaluated(const Pair& pair, const Constraint& before,
                                           const Constraint& after) {
  // What is left unevaluated depends on every other keyword.
  if (same_schema(pair.before.parts, pair.after.parts)) return;
  add_at("constraint-changed", pair.location, before.place, after.place,
         fmt::format("what {} applies to has changed", after.keyword));
}

void SchemaComparison::compare_constraint(const Pair& pair, const Constraint& before,
                                          const Constraint& after) {
  if (before.keyword == "multipleOf") return compare_multiple_of(pair, before.place, after.place);
  if (before.keyword == "if") return compare_condition(pair, before, after);
  if (before.keyword == "contains") return compare_contained(pair, before, after);
  add_at("constraint-changed", pair.location, before.place, after.place,
         became(before.keyword, before.place, after.keyword, after.place));
}

void SchemaComparison::compare_constraints(const Pair& pair) {
  std::vector<const Constraint*> gone;
  std::vector<const Constraint*> fresh;
  for (const Constraint& constraint : pair.after.constraints) fresh.push_back(&constraint);
  for (const Constraint& before : pair.before.constraints) {
    const auto same = std::ranges::find_if(
        fresh, [&](const Constraint* after) { return same_constraint(before, *after); });
    if (same == fresh.end()) {
      gone.push_back(&before);
      continue;
    }
    const bool is_unevaluated = before.keyword.starts_with("unevaluated");
    if (is_unevaluated && !within_) compare_unevaluated(pair, before, **same);
    fresh.erase(same);
  }
  for (const Constraint* before : gone) {
    const auto other = std::ranges::find(fresh, before->keyword, &Constraint::keyword);
    if (other != fresh.end()) {
      compare_constraint(pair, *before, **other);
      fresh.erase(other);
    } else {
      add_at("constraint-removed", pair.location, before->place, pair.new_place,
             became(before->keyword, before->place, before->keyword, {}));
    }
  }
  for (const Constraint* after : fresh) {
    add_at("constraint-added", pair.location, pair.old_place, after->place,
           became(after->keyword, {}, after->keyword, after->place));
  }
}

bool SchemaComparison::same_constraint(const Constraint& before, const Constraint& after) {
  if (before.keyword != after.keyword) return false;
  constexpr std::array<std::string_view, 7> kSchemas = {"contains",
                                                        "not",
                                                        "if",
                                                        "unevaluatedItems",
                                                        "propertyNames",
                                                        "contentSchema",
                                                        "unevaluatedProperties"};
  const Json& old_value = *before.place.value;
  const Json& new_value = *after.place.value;
  const bool is_map = before.keyword == "dependentSchemas" || before.keyword == "patternProperties";
  if (is_map && old_value.is_object() && new_value.is_object()) {
    return old_value.size() == new_value.size() &&
           std::ranges::all_of(old_value.items(), [&](const auto& entry) {
             const Place other = after.place.member(entry.key());
             return other && same_schema(before.place.member(entry.key()), other);
           });
  }
  if (std::ranges::find(kSchemas, before.keyword) == kSchemas.end()) {
    return same_value(old_value, new_value);
  }
  const auto same_beside = [&](const char* keyword, bool is_schema) {
    const Place old_place = before.part.member(keyword);
    const Place new_place = after.part.member(keyword);
    if (!old_place || !new_place) return !old_place && !new_place;
    return is_schema ? same_schema(old_place, new_place)
                     : same_value(*old_place.value, *new_place.value);
  };
  if (!same_schema(before.place, after.place)) return false;
  if (before.keyword == "if") return same_beside("then", true) && same_beside("else", true);
  if (before.keyword != "contains") return true;
  return same_beside("minContains", false) && same_beside("maxContains", false);
}

}  // namespace fairway::diff
