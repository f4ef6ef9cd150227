// Compares bounds and other keywords that restrict values.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "diff/schema_comparison.hpp"
#include "schema/schema_keywords.hpp"

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

Node find(const std::map<std::string, Node>& bounds, std::string_view keyword) {
  const auto found = bounds.find(std::string(keyword));
  return found == bounds.end() ? Node() : found->second;
}

/// The lower or upper limit of a number: the tighter one of `minimum` and `exclusiveMinimum`, or of
/// their counterparts.
struct Limit {
  Node node;
  std::string keyword;
  bool is_exclusive = false;

  double number() const { return node.value->get<double>(); }
};

Limit limit_of(const Schema& schema, bool is_lower) {
  const std::string inclusive = is_lower ? "minimum" : "maximum";
  const std::string exclusive = is_lower ? "exclusiveMinimum" : "exclusiveMaximum";
  Limit limit{find(schema.bounds, inclusive), inclusive, false};
  const Node other = find(schema.bounds, exclusive);
  if (!other) return limit;
  const bool is_tighter = !limit.node || (is_lower ? other.value->get<double>() >= limit.number()
                                                   : other.value->get<double>() <= limit.number());
  return is_tighter ? Limit{other, exclusive, true} : limit;
}

bool is_tighter(const Limit& one, const Limit& other, bool is_lower) {
  if (!one.node || !other.node) return static_cast<bool>(one.node);
  const double first = one.number();
  const double second = other.number();
  if (first != second) return is_lower ? first > second : first < second;
  // Integers are compared exactly, because a double cannot represent all of them.
  if (*one.node.value != *other.node.value) {
    return is_lower ? *other.node.value < *one.node.value : *one.node.value < *other.node.value;
  }
  return one.is_exclusive && !other.is_exclusive;
}

std::string became(const std::string& old_keyword, const Node& before,
                   const std::string& new_keyword, const Node& after) {
  const auto text = [](const Node& node) { return value_text(*node.value); };
  if (!before) return fmt::format("{} {} was added", new_keyword, text(after));
  if (!after) return fmt::format("{} {} was removed", old_keyword, text(before));
  if (old_keyword == new_keyword) {
    return fmt::format("{} {} became {}", old_keyword, text(before), text(after));
  }
  return fmt::format("{} {} became {} {}", old_keyword, text(before), new_keyword, text(after));
}

Node or_else(const Node& node, const Node& other) { return node ? node : other; }

void compare_lower_or_upper(SchemaComparison& c, const SchemaPair& pair, bool is_lower) {
  const Limit before = limit_of(pair.before, is_lower);
  const Limit after = limit_of(pair.after, is_lower);
  const bool tightened = is_tighter(after, before, is_lower);
  if (tightened || is_tighter(before, after, is_lower)) {
    c.add_at(tightened ? "range-tightened" : "range-loosened", pair.location,
             or_else(before.node, pair.old_node), or_else(after.node, pair.new_node),
             became(before.keyword, before.node, after.keyword, after.node));
  }
  for (const Bound& bound : is_lower ? kLower : kUpper) {
    const std::string keyword(bound.keyword);
    const Node old_bound = find(pair.before.bounds, keyword);
    const Node new_bound = find(pair.after.bounds, keyword);
    const Limit old_limit{old_bound, keyword, false};
    const Limit new_limit{new_bound, keyword, false};
    const bool is_tightened = is_tighter(new_limit, old_limit, is_lower);
    if (!is_tightened && !is_tighter(old_limit, new_limit, is_lower)) continue;
    c.add_at(std::string(bound.family) + (is_tightened ? "-tightened" : "-loosened"), pair.location,
             or_else(old_bound, pair.old_node), or_else(new_bound, pair.new_node),
             became(keyword, old_bound, keyword, new_bound));
  }
}

void compare_multiple_of(SchemaComparison& c, const SchemaPair& pair, const Node& before,
                         const Node& after) {
  const double old_step = before.value->is_number() ? before.value->get<double>() : 0;
  const double new_step = after.value->is_number() ? after.value->get<double>() : 0;
  if (old_step <= 0 || new_step <= 0) return;
  const std::string message = became("multipleOf", before, "multipleOf", after);
  const auto divides = [](double part, double whole) {
    const double ratio = whole / part;
    return ratio > 0.5 && std::abs(ratio - std::round(ratio)) < 1e-9;
  };
  if (divides(old_step, new_step)) {
    c.add_at("constraint-added", pair.location, before, after, message);
  } else if (divides(new_step, old_step)) {
    c.add_at("constraint-removed", pair.location, before, after, message);
  } else {
    c.add_at("constraint-changed", pair.location, before, after, message);
  }
}

void compare_condition(SchemaComparison& c, const SchemaPair& pair, const Constraint& before,
                       const Constraint& after) {
  if (!c.same_schema(before.node, after.node)) {
    c.add_at("constraint-changed", pair.location, before.node, after.node,
             became("if", before.node, "if", after.node));
    return;
  }
  for (const char* keyword : {"then", "else"}) {
    const Node old_branch = before.part.member(keyword);
    const Node new_branch = after.part.member(keyword);
    if (c.same_schema(old_branch, new_branch)) continue;
    c.add_at(!old_branch   ? "constraint-added"
             : !new_branch ? "constraint-removed"
                           : "constraint-changed",
             pair.location, or_else(old_branch, before.node), or_else(new_branch, after.node),
             became(keyword, old_branch, keyword, new_branch));
  }
}

void compare_contained(SchemaComparison& c, const SchemaPair& pair, const Constraint& before,
                       const Constraint& after) {
  if (!c.same_schema(before.node, after.node)) {
    c.add_at("constraint-changed", pair.location, before.node, after.node,
             became("contains", before.node, "contains", after.node));
    return;
  }
  for (const char* keyword : {"minContains", "maxContains"}) {
    const bool is_lower = std::string_view(keyword) == "minContains";
    const Node old_count = before.part.member(keyword);
    const Node new_count = after.part.member(keyword);
    const auto count = [&](const Node& node) {
      if (node && node.value->is_number()) return node.value->get<double>();
      return is_lower ? 1 : std::numeric_limits<double>::infinity();
    };
    if (count(old_count) == count(new_count)) continue;
    const bool is_tighter = (count(old_count) < count(new_count)) == is_lower;
    c.add_at(is_tighter ? "constraint-added" : "constraint-removed", pair.location,
             or_else(old_count, before.node), or_else(new_count, after.node),
             became(keyword, old_count, keyword, new_count));
  }
}

void compare_unevaluated(SchemaComparison& c, const SchemaPair& pair, const Constraint& before,
                         const Constraint& after) {
  // The unevaluated values depend on every other keyword.
  if (c.same_schema(pair.before.parts, pair.after.parts)) return;
  c.add_at("constraint-changed", pair.location, before.node, after.node,
           fmt::format("the values to which {} applies changed", after.keyword));
}

void compare_constraint(SchemaComparison& c, const SchemaPair& pair, const Constraint& before,
                        const Constraint& after) {
  if (before.keyword == "multipleOf") return compare_multiple_of(c, pair, before.node, after.node);
  if (before.keyword == "if") return compare_condition(c, pair, before, after);
  if (before.keyword == "contains") return compare_contained(c, pair, before, after);
  c.add_at("constraint-changed", pair.location, before.node, after.node,
           became(before.keyword, before.node, after.keyword, after.node));
}

bool same_constraint(SchemaComparison& c, const Constraint& before, const Constraint& after) {
  if (before.keyword != after.keyword) return false;
  const auto* keyword = fw::schema::find_schema_keyword(before.keyword);
  const auto takes = [&](fw::schema::KeywordValue value) {
    return keyword != nullptr && keyword->value == value;
  };
  const Json& old_value = *before.node.value;
  const Json& new_value = *after.node.value;
  const bool is_map = takes(fw::schema::KeywordValue::named_schemas) ||
                      takes(fw::schema::KeywordValue::schemas_by_pattern);
  if (is_map && old_value.is_object() && new_value.is_object()) {
    return old_value.size() == new_value.size() &&
           std::ranges::all_of(old_value.items(), [&](const auto& entry) {
             const Node other = after.node.member(entry.key());
             return other && c.same_schema(before.node.member(entry.key()), other);
           });
  }
  if (!takes(fw::schema::KeywordValue::schema)) return same_value(old_value, new_value);
  const auto same_sibling = [&](const char* name, bool is_schema) {
    const Node old_node = before.part.member(name);
    const Node new_node = after.part.member(name);
    if (!old_node || !new_node) return !old_node && !new_node;
    return is_schema ? c.same_schema(old_node, new_node)
                     : same_value(*old_node.value, *new_node.value);
  };
  if (!c.same_schema(before.node, after.node)) return false;
  if (before.keyword == "if") return same_sibling("then", true) && same_sibling("else", true);
  if (before.keyword != "contains") return true;
  return same_sibling("minContains", false) && same_sibling("maxContains", false);
}

}  // namespace

void compare_bounds(SchemaComparison& c, const SchemaPair& pair) {
  compare_lower_or_upper(c, pair, true);
  compare_lower_or_upper(c, pair, false);
}

void compare_constraints(SchemaComparison& c, const SchemaPair& pair) {
  std::vector<const Constraint*> gone;
  std::vector<const Constraint*> fresh;
  for (const Constraint& constraint : pair.after.constraints) fresh.push_back(&constraint);
  for (const Constraint& before : pair.before.constraints) {
    const auto same = std::ranges::find_if(
        fresh, [&](const Constraint* after) { return same_constraint(c, before, *after); });
    if (same == fresh.end()) {
      gone.push_back(&before);
      continue;
    }
    const bool is_unevaluated = before.keyword.starts_with("unevaluated");
    if (is_unevaluated && !c.decides_equality()) compare_unevaluated(c, pair, before, **same);
    fresh.erase(same);
  }
  for (const Constraint* before : gone) {
    const auto other = std::ranges::find(fresh, before->keyword, &Constraint::keyword);
    if (other != fresh.end()) {
      compare_constraint(c, pair, *before, **other);
      fresh.erase(other);
    } else {
      c.add_at("constraint-removed", pair.location, before->node, pair.new_node,
               became(before->keyword, before->node, before->keyword, {}));
    }
  }
  for (const Constraint* after : fresh) {
    c.add_at("constraint-added", pair.location, pair.old_node, after->node,
             became(after->keyword, {}, after->keyword, after->node));
  }
}

}  // namespace fairway::diff
