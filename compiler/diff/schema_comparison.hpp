// Compares two schemas of requests or of responses. A class finds the pairs of schemas; the
// functions for each kind of keyword are in a separate file.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "diff/recorder.hpp"
#include "diff/schema.hpp"

namespace fairway::diff {

enum class Direction {
  request,   ///< values that clients send
  response,  ///< values that clients receive
};

constexpr Direction opposite(Direction direction) {
  return direction == Direction::request ? Direction::response : Direction::request;
}

/// The two documents of a comparison.
struct Documents {
  const Document& before;
  const Document& after;
};

/// Whether null is one of the compared values. It is ignored in alternatives, because any of them
/// may accept it; the schema that contains the alternatives decides.
enum class Null { counts, is_ignored };

/// Two schemas at one location.
struct SchemaPair {
  const Schema& before;
  const Schema& after;
  Node old_node;
  Node new_node;
  const Location& location;
  Null null = Null::counts;
};

/// Compares the schemas of one part of an operation (a body, a parameter, a header): finds the
/// pairs of schemas in them and passes each to the functions below. A pair that is reached by
/// several paths is reported for the first one.
class SchemaComparison {
 public:
  /// `is_text`: whether values are sent as strings, as in a query, so that '7' is both a string and
  /// a number.
  SchemaComparison(const Documents& documents, Direction direction, bool is_text,
                   Recorder& recorder);
  ~SchemaComparison();

  void compare(const Conjunction& before, const Conjunction& after, const Location& location,
               Null null = Null::counts);

  /// Whether two schemas accept the same values; reports nothing.
  bool same_schema(const Conjunction& before, const Conjunction& after, Null null = Null::counts);
  bool same_schema(const Node& before, const Node& after) {
    return same_schema(conjunction_of(before), conjunction_of(after));
  }

  /// Records a change. `suffix` is an id without its direction.
  void add(std::string_view suffix, const SchemaPair& pair, std::string message);
  void add_at(std::string_view suffix, const Location& location, const Node& before,
              const Node& after, std::string message);

  const Documents& documents() const { return documents_; }
  Direction direction() const { return direction_; }
  bool is_text() const { return is_text_; }
  /// Whether this comparison runs within `same_schema`.
  bool decides_equality() const { return within_ != nullptr; }

 private:
  struct Equality;

  void compare_pair(const SchemaPair& pair);

  Documents documents_;
  Direction direction_;
  bool is_text_;
  Recorder& recorder_;
  std::size_t depth_ = 0;
  /// A pair of schemas, identified by the addresses of their parts.
  using VisitedPair = std::tuple<std::vector<const Json*>, std::vector<const Json*>, Null>;
  std::set<VisitedPair> seen_;
  std::unique_ptr<Equality> equality_;  ///< created on demand
  Equality* within_ = nullptr;          ///< the comparison for equality that this one is part of
};

// compare_schemas.cpp
void compare_null(SchemaComparison& c, const SchemaPair& pair);

// compare_values.cpp: `enum`, `const`, `format`, `pattern` and `default`
void compare_values(SchemaComparison& c, const SchemaPair& pair);
void compare_formats(SchemaComparison& c, const SchemaPair& pair);
void compare_patterns(SchemaComparison& c, const SchemaPair& pair);
void compare_defaults(SchemaComparison& c, const SchemaPair& pair);

// compare_bounds.cpp: bounds and other keywords that restrict values
void compare_bounds(SchemaComparison& c, const SchemaPair& pair);
void compare_constraints(SchemaComparison& c, const SchemaPair& pair);

// compare_members.cpp: members of objects and items of arrays
void compare_members(SchemaComparison& c, const SchemaPair& pair);
void compare_items(SchemaComparison& c, const SchemaPair& pair);

// compare_unions.cpp: `anyOf` and `oneOf`
/// Returns false if the alternatives replaced all other keywords, so that nothing else can be
/// compared.
bool compare_unions(SchemaComparison& c, const SchemaPair& pair);

}  // namespace fairway::diff
