// Compares a pair of schemas, and the pairs of schemas in them. Each kind of keyword is compared in
// a separate file.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "diff/comparisons.hpp"
#include "diff/schema_comparison.hpp"

namespace fairway::diff {
namespace {

std::vector<const Json*> identity(const Conjunction& parts) {
  std::vector<const Json*> nodes;
  for (const Node& part : parts) nodes.push_back(part.value);
  return nodes;
}

/// The bit for null, in addition to the bits of TypeBit.
constexpr unsigned kNull = kAnyType + 1;

unsigned with_null(unsigned types, bool nullable) { return nullable ? types | kNull : types; }

unsigned types_of(const SchemaComparison& c, const Schema& schema) {
  // Numbers and booleans are valid strings where all values are sent as strings.
  const bool is_string = c.is_text() && (schema.types & kString) != 0;
  return is_string ? schema.types | kNumber | kInteger | kBoolean : schema.types;
}

/// Returns false if nothing else can be compared.
bool compare_types(SchemaComparison& c, const SchemaPair& pair) {
  const unsigned old_types = types_of(c, pair.before);
  const unsigned new_types = types_of(c, pair.after);
  const bool counts = pair.null == Null::counts;
  const unsigned before = with_null(old_types, counts && pair.before.nullable);
  const unsigned after = with_null(new_types, counts && pair.after.nullable);
  const unsigned common = before & after;
  c.add(common == before  ? "type-widened"
        : common == after ? "type-narrowed"
                          : "type-changed",
        pair, fmt::format("type {} became {}", pair.before.type_text(), pair.after.type_text()));
  // If one schema accepts any value, a schema was added or removed, which other changes would only
  // repeat.
  return (old_types & new_types) != 0 && !pair.before.accepts_all_but_null() &&
         !pair.after.accepts_all_but_null();
}

/// Whether changes of `not` or `if` already explain that null became valid or invalid.
bool explains_null(const SchemaPair& pair, std::span<const Change> changes) {
  const auto decides = [](const Schema& schema) {
    return schema.has_constraint("not") || schema.has_constraint("if");
  };
  if (!decides(pair.before) && !decides(pair.after)) return false;
  return std::ranges::any_of(changes, [&](const Change& change) {
    return change.id.ends_with("-constraint-changed") ||
           change.id.ends_with(pair.after.nullable ? "-constraint-removed" : "-constraint-added");
  });
}

}  // namespace

/// The state of a comparison for equality. A pair that is visited again is assumed to be equal.
/// When a pair differs, the pairs visited within it are forgotten, because their results may depend
/// on such an assumption, and the pair is added to `different`.
struct SchemaComparison::Equality {
  explicit Equality(const SchemaComparison& outer)
      : recorder(outer.recorder_.into(differences)),
        comparison(outer.documents_, outer.direction_, outer.is_text_, recorder) {
    comparison.within_ = this;
  }

  Changes differences;
  Recorder recorder;
  SchemaComparison comparison;
  std::vector<VisitedPair> path;
  std::set<VisitedPair> different;
};

SchemaComparison::SchemaComparison(const Documents& documents, Direction direction, bool is_text,
                                   Recorder& recorder)
    : documents_(documents), direction_(direction), is_text_(is_text), recorder_(recorder) {}

SchemaComparison::~SchemaComparison() = default;

bool SchemaComparison::same_schema(const Conjunction& before, const Conjunction& after, Null null) {
  if (!within_ && !equality_) equality_ = std::make_unique<Equality>(*this);
  Equality& equality = within_ ? *within_ : *equality_;
  const VisitedPair pair{identity(before), identity(after), null};
  if (equality.different.contains(pair)) return false;
  const std::size_t known = equality.differences.size();
  const std::size_t start = equality.path.size();
  SchemaComparison& inner = equality.comparison;
  if (!within_) inner.depth_ = depth_;
  inner.compare(before, after, {}, null);
  const auto first_new = equality.differences.begin() + static_cast<std::ptrdiff_t>(known);
  const bool is_same = std::all_of(first_new, equality.differences.end(), [](const Change& change) {
    return change.level == Level::documentation;
  });
  equality.differences.erase(first_new, equality.differences.end());
  if (is_same) return true;
  for (std::size_t i = start; i < equality.path.size(); ++i) inner.seen_.erase(equality.path[i]);
  equality.path.resize(start);
  equality.different.insert(pair);
  return false;
}

void SchemaComparison::add(std::string_view suffix, const SchemaPair& pair, std::string message) {
  add_at(suffix, pair.location, pair.old_node, pair.new_node, std::move(message));
}

void SchemaComparison::add_at(std::string_view suffix, const Location& location, const Node& before,
                              const Node& after, std::string message) {
  const std::string_view prefix = direction_ == Direction::request ? "request-" : "response-";
  recorder_.add(std::string(prefix).append(suffix), location, before, after, std::move(message));
}

void SchemaComparison::compare(const Conjunction& before, const Conjunction& after,
                               const Location& location, Null null) {
  const Schema old_schema = read_schema(documents_.before, before);
  const Schema new_schema = read_schema(documents_.after, after);
  const Node old_node = first_part(before.empty() ? old_schema.parts : before);
  const Node new_node = first_part(after.empty() ? new_schema.parts : after);
  const VisitedPair visited{identity(old_schema.parts), identity(new_schema.parts), null};
  if (!seen_.insert(visited).second) return;
  if (within_) within_->path.push_back(visited);
  if (depth_ >= kMaxDepth) {
    documents_.after.fail(new_node,
                          fmt::format("the schema is nested more than {} levels deep", kMaxDepth));
  }
  ++depth_;
  compare_pair({old_schema, new_schema, old_node, new_node, location, null});
  --depth_;
}

void SchemaComparison::compare_pair(const SchemaPair& pair) {
  compare_schema_texts(pair.before, pair.after, pair.location, recorder_);
  const std::size_t known = recorder_.count();
  if (!compare_unions(*this, pair)) return;
  const bool is_same_type = types_of(*this, pair.before) == types_of(*this, pair.after);
  if (!is_same_type && !compare_types(*this, pair)) return;
  compare_values(*this, pair);
  compare_formats(*this, pair);
  compare_patterns(*this, pair);
  compare_defaults(*this, pair);
  compare_bounds(*this, pair);
  compare_constraints(*this, pair);
  if (is_same_type && !explains_null(pair, recorder_.since(known))) compare_null(*this, pair);
  compare_members(*this, pair);
  compare_items(*this, pair);
}

void compare_null(SchemaComparison& c, const SchemaPair& pair) {
  if (pair.null == Null::is_ignored || pair.before.nullable == pair.after.nullable) return;
  c.add(
      pair.after.nullable ? "became-nullable" : "no-longer-nullable", pair,
      pair.after.nullable ? "null became an allowed value" : "null is no longer an allowed value");
}

}  // namespace fairway::diff
