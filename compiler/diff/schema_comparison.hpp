// Two schemas, from the side of the requests or of the answers.
#pragma once

#include <set>
#include <string>
#include <string_view>
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
                   Recorder& recorder)
      : documents_(documents), direction_(direction), is_text_(is_text), recorder_(recorder) {}

  void compare(const Conjunction& before, const Conjunction& after, const Location& location);

 private:
  struct Pair {
    const Schema& before;
    const Schema& after;
    Place old_place;
    Place new_place;
    const Location& location;
  };

  /// `suffix` is an id without its direction.
  void add(std::string_view suffix, const Pair& pair, std::string message);
  void add_at(std::string_view suffix, const Location& location, const Place& before,
              const Place& after, std::string message);

  void compare_pair(const Pair& pair);
  bool compare_types(const Pair& pair);  ///< false when nothing else can be compared
  void compare_values(const Pair& pair);
  void compare_formats(const Pair& pair);
  void compare_patterns(const Pair& pair);
  void compare_defaults(const Pair& pair);
  void compare_bounds(const Pair& pair);
  void compare_lower_or_upper(const Pair& pair, bool is_lower);
  void compare_constraints(const Pair& pair);
  void compare_multiple_of(const Pair& pair, const Place& before, const Place& after);
  void compare_members(const Pair& pair);
  void compare_member(const Pair& pair, const Member& before, const Member& after);
  void member_removed(const Pair& pair, const Member& member, const Schema& schema);
  void member_added(const Pair& pair, const Member& member, const Schema& schema);
  void compare_additional(const Pair& pair);
  void compare_items(const Pair& pair);
  /// False when the alternatives have taken the place of everything else.
  bool compare_unions(const Pair& pair);
  void compare_branches(const Pair& pair, const Union& before, const Union& after);
  void compare_discriminators(const Pair& pair, const Union& before, const Union& after);
  bool same_constraint(const std::string& keyword, const Conjunction& before,
                       const Conjunction& after);
  bool same_schema(const Place& before, const Place& after);
  bool is_visible(const Schema& member) const;

  Documents documents_;
  Direction direction_;
  bool is_text_;
  Recorder& recorder_;
  std::size_t depth_ = 0;
  std::set<std::pair<std::vector<const Json*>, std::vector<const Json*>>> seen_;
};

}  // namespace fairway::diff
