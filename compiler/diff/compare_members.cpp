// Compares members of objects and items of arrays.
#include <fmt/format.h>

#include <algorithm>

#include "diff/schema_comparison.hpp"

namespace fairway::diff {
namespace {

Node required_node(const Schema& schema, const std::string& name) {
  const auto found = schema.required.find(name);
  return found == schema.required.end() ? Node() : found->second;
}

bool is_visible(SchemaComparison& c, const Schema& member) {
  return c.direction() == Direction::request ? !member.read_only : !member.write_only;
}

void member_removed(SchemaComparison& c, const SchemaPair& pair, const Member& member,
                    const Schema& schema) {
  const bool was_required = pair.before.required.contains(member.name);
  const bool is_request = c.direction() == Direction::request;
  std::string_view id = is_request     ? "member-removed"
                        : was_required ? "required-member-removed"
                                       : "optional-member-removed";
  if (schema.deprecated && !pair.after.forbids_more) id = "deprecated-member-removed";
  const Member* left = pair.after.find_member(member.name);
  const std::string_view why = !left        ? "was removed"
                               : is_request ? "became read-only"
                                            : "became write-only";
  c.add_at(
      id, pair.location.member(member.name), first_part(member.schema),
      left ? first_part(left->schema) : Node(),
      fmt::format("{} member '{}' {}", was_required ? "required" : "optional", member.name, why));
}

void member_added(SchemaComparison& c, const SchemaPair& pair, const Member& member) {
  const bool is_required = pair.after.required.contains(member.name);
  const std::string_view id = c.direction() == Direction::response ? "member-added"
                              : is_required                        ? "required-member-added"
                                                                   : "optional-member-added";
  const Location location = pair.location.member(member.name);
  c.add_at(
      id, location, {}, first_part(member.schema),
      fmt::format("{} member '{}' was added", is_required ? "required" : "optional", member.name));
  // The member could be sent before, if it matched the schema for additional members.
  if (!pair.before.additional.empty() && !pair.before.forbids_more) {
    c.compare(pair.before.additional, member.schema, location);
  }
}

void compare_member(SchemaComparison& c, const SchemaPair& pair, const Member& before,
                    const Member& after) {
  const Location location = pair.location.member(before.name);
  const Node was_required = required_node(pair.before, before.name);
  const Node is_required = required_node(pair.after, before.name);
  if (is_required && !was_required) {
    c.add_at("member-became-required", location, first_part(before.schema), is_required,
             fmt::format("optional member '{}' became required", before.name));
  } else if (was_required && !is_required) {
    c.add_at("member-became-optional", location, was_required, first_part(after.schema),
             fmt::format("required member '{}' became optional", before.name));
  }
  c.compare(before.schema, after.schema, location);
}

void compare_patterned_members(SchemaComparison& c, const SchemaPair& pair) {
  // Members whose names match a pattern are exempt from `additionalProperties`.
  const std::string keyword = "patternProperties";
  const bool was_exempt = pair.before.has_constraint(keyword);
  if (was_exempt == pair.after.has_constraint(keyword)) return;
  const Schema& other = was_exempt ? pair.after : pair.before;
  if (!other.forbids_more && other.additional.empty()) return;
  c.add("constraint-changed", pair,
        fmt::format("the members that {} exempts from additionalProperties changed", keyword));
}

void compare_additional(SchemaComparison& c, const SchemaPair& pair) {
  // Only objects have members.
  if (((pair.before.types & pair.after.types) & kObject) == 0) return;
  compare_patterned_members(c, pair);
  if (pair.before.forbids_more != pair.after.forbids_more) {
    const bool is_forbidden = pair.after.forbids_more;
    c.add(is_forbidden ? "additional-members-forbidden" : "additional-members-allowed", pair,
          is_forbidden ? "additional members were allowed, and became forbidden"
                       : "additional members were forbidden, and became allowed");
    return;
  }
  if (pair.before.forbids_more) return;
  if (pair.before.additional.empty() && pair.after.additional.empty()) return;
  c.compare(pair.before.additional, pair.after.additional, pair.location.member("*"));
}

}  // namespace

void compare_members(SchemaComparison& c, const SchemaPair& pair) {
  std::set<std::string_view> unseen;
  for (const Member& before : pair.before.members) {
    const Schema old_member = read_schema(c.documents().before, before.schema);
    const Member* after = pair.after.find_member(before.name);
    const bool was_visible = is_visible(c, old_member);
    if (!after) {
      if (was_visible) member_removed(c, pair, before, old_member);
      continue;
    }
    const Schema new_member = read_schema(c.documents().after, after->schema);
    const bool is_still_visible = is_visible(c, new_member);
    if (was_visible && is_still_visible) {
      compare_member(c, pair, before, *after);
    } else if (was_visible) {
      member_removed(c, pair, before, old_member);
    } else if (is_still_visible) {
      member_added(c, pair, *after);
    }
  }
  for (const Member& after : pair.after.members) {
    if (pair.before.find_member(after.name)) continue;
    const Schema schema = read_schema(c.documents().after, after.schema);
    if (is_visible(c, schema)) member_added(c, pair, after);
  }
  // Members that are required but not described.
  for (const auto& [name, node] : pair.after.required) {
    if (pair.after.find_member(name) || pair.before.required.contains(name)) continue;
    c.add_at("member-became-required", pair.location.member(name), pair.old_node, node,
             fmt::format("optional member '{}' became required", name));
  }
  for (const auto& [name, node] : pair.before.required) {
    if (pair.before.find_member(name) || pair.after.required.contains(name)) continue;
    c.add_at("member-became-optional", pair.location.member(name), node, pair.new_node,
             fmt::format("required member '{}' became optional", name));
  }
  compare_additional(c, pair);
}

void compare_items(SchemaComparison& c, const SchemaPair& pair) {
  if (((pair.before.types & pair.after.types) & kArray) == 0) return;
  const auto& old_prefix = pair.before.prefix_items;
  const auto& new_prefix = pair.after.prefix_items;
  const std::size_t length = std::max(old_prefix.size(), new_prefix.size());
  for (std::size_t i = 0; i < length; ++i) {
    c.compare(i < old_prefix.size() ? old_prefix[i] : pair.before.items,
              i < new_prefix.size() ? new_prefix[i] : pair.after.items,
              pair.location.step(fmt::format("[{}]", i)));
  }
  if (pair.before.items.empty() && pair.after.items.empty()) return;
  c.compare(pair.before.items, pair.after.items, pair.location.step("[]"));
}

}  // namespace fairway::diff
