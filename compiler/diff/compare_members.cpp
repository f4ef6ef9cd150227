// Members of objects and items of arrays.
#include <fmt/format.h>

#include <algorithm>

#include "diff/schema_comparison.hpp"

namespace fairway::diff {
namespace {

Place first(const Conjunction& conjunction) {
  return conjunction.empty() ? Place() : conjunction.front();
}

Place required_place(const Schema& schema, const std::string& name) {
  const auto found = schema.required.find(name);
  return found == schema.required.end() ? Place() : found->second;
}

}  // namespace

bool SchemaComparison::is_visible(const Schema& member) const {
  return direction_ == Direction::request ? !member.read_only : !member.write_only;
}

void SchemaComparison::member_removed(const Pair& pair, const Member& member,
                                      const Schema& schema) {
  const bool was_required = pair.before.required.contains(member.name);
  const bool is_request = direction_ == Direction::request;
  std::string_view id = is_request     ? "member-removed"
                        : was_required ? "required-member-removed"
                                       : "optional-member-removed";
  if (schema.deprecated && !pair.after.forbids_more) id = "deprecated-member-removed";
  const Member* left = pair.after.find_member(member.name);
  const std::string_view why = !left        ? "was removed"
                               : is_request ? "became read-only"
                                            : "became write-only";
  add_at(
      id, pair.location.member(member.name), first(member.schema),
      left ? first(left->schema) : Place(),
      fmt::format("{} member '{}' {}", was_required ? "required" : "optional", member.name, why));
}

void SchemaComparison::member_added(const Pair& pair, const Member& member) {
  const bool is_required = pair.after.required.contains(member.name);
  const std::string_view id = direction_ == Direction::response ? "member-added"
                              : is_required                     ? "required-member-added"
                                                                : "optional-member-added";
  const Location location = pair.location.member(member.name);
  add_at(
      id, location, {}, first(member.schema),
      fmt::format("{} member '{}' was added", is_required ? "required" : "optional", member.name));
  // Such a member could be sent before, under a schema for all that are not declared.
  if (!pair.before.additional.empty() && !pair.before.forbids_more) {
    compare(pair.before.additional, member.schema, location);
  }
}

void SchemaComparison::compare_member(const Pair& pair, const Member& before, const Member& after) {
  const Location location = pair.location.member(before.name);
  const Place was_required = required_place(pair.before, before.name);
  const Place is_required = required_place(pair.after, before.name);
  if (is_required && !was_required) {
    add_at("member-became-required", location, first(before.schema), is_required,
           fmt::format("optional member '{}' became required", before.name));
  } else if (was_required && !is_required) {
    add_at("member-became-optional", location, was_required, first(after.schema),
           fmt::format("required member '{}' became optional", before.name));
  }
  compare(before.schema, after.schema, location);
}

void SchemaComparison::compare_members(const Pair& pair) {
  std::set<std::string_view> unseen;
  for (const Member& before : pair.before.members) {
    const Schema old_member = read_schema(documents_.before, before.schema);
    const Member* after = pair.after.find_member(before.name);
    const bool was_visible = is_visible(old_member);
    if (!after) {
      if (was_visible) member_removed(pair, before, old_member);
      continue;
    }
    const Schema new_member = read_schema(documents_.after, after->schema);
    const bool is_still_visible = is_visible(new_member);
    if (was_visible && is_still_visible) {
      compare_member(pair, before, *after);
    } else if (was_visible) {
      member_removed(pair, before, old_member);
    } else if (is_still_visible) {
      member_added(pair, *after);
    }
  }
  for (const Member& after : pair.after.members) {
    if (pair.before.find_member(after.name)) continue;
    const Schema schema = read_schema(documents_.after, after.schema);
    if (is_visible(schema)) member_added(pair, after);
  }
  // Required without being described.
  for (const auto& [name, place] : pair.after.required) {
    if (pair.after.find_member(name) || pair.before.required.contains(name)) continue;
    add_at("member-became-required", pair.location.member(name), pair.old_place, place,
           fmt::format("optional member '{}' became required", name));
  }
  for (const auto& [name, place] : pair.before.required) {
    if (pair.before.find_member(name) || pair.after.required.contains(name)) continue;
    add_at("member-became-optional", pair.location.member(name), place, pair.new_place,
           fmt::format("required member '{}' became optional", name));
  }
  compare_additional(pair);
}

void SchemaComparison::compare_additional(const Pair& pair) {
  // What is no object has no members.
  if (((pair.before.types & pair.after.types) & kObject) == 0) return;
  compare_patterned_members(pair);
  if (pair.before.forbids_more != pair.after.forbids_more) {
    const bool is_forbidden = pair.after.forbids_more;
    add(is_forbidden ? "additional-members-forbidden" : "additional-members-allowed", pair,
        is_forbidden ? "additional members were allowed, and became forbidden"
                     : "additional members were forbidden, and became allowed");
    return;
  }
  if (pair.before.forbids_more) return;
  if (pair.before.additional.empty() && pair.after.additional.empty()) return;
  compare(pair.before.additional, pair.after.additional, pair.location.member("*"));
}

void SchemaComparison::compare_patterned_members(const Pair& pair) {
  // Members whose names match a pattern are exempt from `additionalProperties`.
  const std::string keyword = "patternProperties";
  const bool was_exempt = pair.before.has_constraint(keyword);
  if (was_exempt == pair.after.has_constraint(keyword)) return;
  const Schema& other = was_exempt ? pair.after : pair.before;
  if (!other.forbids_more && other.additional.empty()) return;
  add("constraint-changed", pair,
      fmt::format("the members that {} exempts from additionalProperties have changed", keyword));
}

void SchemaComparison::compare_items(const Pair& pair) {
  if (((pair.before.types & pair.after.types) & kArray) == 0) return;
  const auto& old_prefix = pair.before.prefix_items;
  const auto& new_prefix = pair.after.prefix_items;
  const std::size_t length = std::max(old_prefix.size(), new_prefix.size());
  for (std::size_t i = 0; i < length; ++i) {
    compare(i < old_prefix.size() ? old_prefix[i] : pair.before.items,
            i < new_prefix.size() ? new_prefix[i] : pair.after.items,
            pair.location.step(fmt::format("[{}]", i)));
  }
  if (pair.before.items.empty() && pair.after.items.empty()) return;
  compare(pair.before.items, pair.after.items, pair.location.step("[]"));
}

}  // namespace fairway::diff
