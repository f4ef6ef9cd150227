// Two schemas, from the side of the requests or of the answers.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
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

/// Compares the schemas of one part of an operation (a body, a parameter, a header). Schemas that
/// are reached by several ways are reported where they are met first.
class SchemaComparison {
 public:
  /// `is_text`: values travel as text, as in a query, so that '7' is a text and a number.
  SchemaComparison(const Documents& documents, Direction direction, bool is_text,
                   Recorder& recorder);
  ~SchemaComparison();

  void compare(const Conjunction& before, const Conjunction& after, const Location& location) {
    compare(before, after, location, Null::counts);
  }

 private:
  /// Whether null belongs to the values that are compared: for alternatives it is looked at in the
  /// schema that has them, since any one of them may accept it.
  enum class Null { counts, is_ignored };
  struct Equality;

  void compare(const Conjunction& before, const Conjunction& after, const Location& location,
               Null null);
  struct Pair {
    const Schema& before;
    const Schema& after;
    Place old_place;
    Place new_place;
    const Location& location;
    Null null = Null::counts;
  };

  /// `suffix` is an id without its direction.
  void add(std::string_view suffix, const Pair& pair, std::string message);
  void add_at(std::string_view suffix, const Location& location, const Place& before,
              const Place& after, std::string message);

  void compare_pair(const Pair& pair);
  unsigned types_of(const Schema& schema) const;
  bool compare_types(const Pair& pair);  ///< false when nothing else can be compared
  void compare_null(const Pair& pair);
  /// Whether changes of `not` or `if` tell already that null became valid or invalid.
  static bool explains_null(const Pair& pair, std::span<const Change> changes);
  void compare_values(const Pair& pair);
  void compare_formats(const Pair& pair);
  void compare_patterns(const Pair& pair);
  void compare_defaults(const Pair& pair);
  void compare_bounds(const Pair& pair);
  void compare_lower_or_upper(const Pair& pair, bool is_lower);
  void compare_constraints(const Pair& pair);
  void compare_constraint(const Pair& pair, const Constraint& before, const Constraint& after);
  void compare_multiple_of(const Pair& pair, const Place& before, const Place& after);
  void compare_condition(const Pair& pair, const Constraint& before, const Constraint& after);
  void compare_contained(const Pair& pair, const Constraint& before, const Constraint& after);
  void compare_unevaluated(const Pair& pair, const Constraint& before, const Constraint& after);
  void compare_members(const Pair& pair);
  void compare_member(const Pair& pair, const Member& before, const Member& after);
  void member_removed(const Pair& pair, const Member& member, const Schema& schema);
  void member_added(const Pair& pair, const Member& member);
  void compare_additional(const Pair& pair);
  void compare_patterned_members(const Pair& pair);
  void compare_items(const Pair& pair);
  /// False when the alternatives have taken the place of everything else.
  bool compare_unions(const Pair& pair);
  void compare_branches(const Pair& pair, const Union& before, const Union& after);
  void compare_discriminators(const Pair& pair, const Union& before, const Union& after);
  /// A value that several alternatives of `oneOf` accept is invalid: whatever changes in
  /// alternatives that overlap can make more values invalid, or fewer.
  void compare_overlap(const Pair& pair, const Union& before, const Union& after, bool is_changed);
  bool overlaps(const Document& document, const Union& alternatives) const;

  /// Whether two schemas accept the same values, by a comparison that reports nothing.
  bool same_schema(const Conjunction& before, const Conjunction& after, Null null = Null::counts);
  bool same_schema(const Place& before, const Place& after) {
    return same_schema(conjunction_of(before), conjunction_of(after));
  }
  bool same_constraint(const Constraint& before, const Constraint& after);
  bool is_visible(const Schema& member) const;

  Documents documents_;
  Direction direction_;
  bool is_text_;
  Recorder& recorder_;
  std::size_t depth_ = 0;
  /// The pairs that have been met, by the addresses of what they consist of.
  using Met = std::tuple<std::vector<const Json*>, std::vector<const Json*>, Null>;
  std::set<Met> seen_;
  std::unique_ptr<Equality> equality_;  ///< made when it is needed
  Equality* within_ = nullptr;          ///< the one that this comparison belongs to
};

}  // namespace fairway::diff
