// The way through a pair of schemas; each kind of keyword has a file of its own.
#include <fmt/format.h>

#include "diff/compare_texts.hpp"
#include "diff/schema_comparison.hpp"

namespace fairway::diff {
namespace {

std::vector<const Json*> identity(const Schema& schema) {
  std::vector<const Json*> places;
  for (const Place& part : schema.parts) places.push_back(part.value);
  return places;
}

Place first(const Conjunction& conjunction) {
  return conjunction.empty() ? Place() : conjunction.front();
}

// A number may be sent where a text is read, and so may true and false.
unsigned as_text(unsigned types) {
  return (types & kString) != 0 ? types | kNumber | kInteger | kBoolean : types;
}

}  // namespace

void SchemaComparison::add(std::string_view suffix, const Pair& pair, std::string message) {
  add_at(suffix, pair.location, pair.old_place, pair.new_place, std::move(message));
}

void SchemaComparison::add_at(std::string_view suffix, const Location& location,
                              const Place& before, const Place& after, std::string message) {
  const std::string_view prefix = direction_ == Direction::request ? "request-" : "response-";
  recorder_.add(std::string(prefix).append(suffix), location, before, after, std::move(message));
}

void SchemaComparison::compare(const Conjunction& before, const Conjunction& after,
                               const Location& location) {
  const Schema old_schema = read_schema(documents_.before, before);
  const Schema new_schema = read_schema(documents_.after, after);
  const Place old_place = first(before.empty() ? old_schema.parts : before);
  const Place new_place = first(after.empty() ? new_schema.parts : after);
  const bool has_places = !old_schema.parts.empty() && !new_schema.parts.empty();
  if (has_places && !seen_.emplace(identity(old_schema), identity(new_schema)).second) return;
  if (depth_ >= kDeepest) {
    documents_.after.fail(new_place,
                          fmt::format("the schema is nested more than {} levels deep", kDeepest));
  }
  ++depth_;
  compare_pair({old_schema, new_schema, old_place, new_place, location});
  --depth_;
}

void SchemaComparison::compare_pair(const Pair& pair) {
  compare_schema_texts(pair.before, pair.after, pair.location, recorder_);
  if (!compare_unions(pair) || !compare_types(pair)) return;
  compare_values(pair);
  compare_formats(pair);
  compare_patterns(pair);
  compare_defaults(pair);
  compare_bounds(pair);
  compare_constraints(pair);
  compare_members(pair);
  compare_items(pair);
}

bool SchemaComparison::compare_types(const Pair& pair) {
  const unsigned before = is_text_ ? as_text(pair.before.types) : pair.before.types;
  const unsigned after = is_text_ ? as_text(pair.after.types) : pair.after.types;
  const auto message = [&] {
    return fmt::format("type {} became {}", pair.before.type_text(), pair.after.type_text());
  };
  if (before != after) {
    const unsigned common = before & after;
    if (common == before) {
      add("type-widened", pair, message());
    } else if (common == after) {
      add("type-narrowed", pair, message());
    } else {
      add("type-changed", pair, message());
    }
    // What else a schema says would repeat that there was no schema, or is none.
    return common != 0 && pair.before.types != kAnyType && pair.after.types != kAnyType;
  }
  if (pair.before.nullable != pair.after.nullable) {
    add(pair.after.nullable ? "became-nullable" : "no-longer-nullable", pair,
        pair.after.nullable ? "null was added to the values" : "null was removed from the values");
  }
  return true;
}

}  // namespace fairway::diff
