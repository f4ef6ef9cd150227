// What a schema says, whichever way it is written: references followed, `allOf` folded, null
// separated from the other types.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diff/document.hpp"

namespace fairway::diff {

/// Schemas that apply together: one, several by `allOf`, none for what may be anything.
using Conjunction = std::vector<Node>;

/// Nothing for a conjunction without schemas.
inline Node first_part(const Conjunction& conjunction) {
  return conjunction.empty() ? Node() : conjunction.front();
}

/// Types as bits. A number's bit brings the integer's.
enum TypeBit : unsigned {
  kBoolean = 1,
  kInteger = 2,
  kNumber = 4,
  kString = 8,
  kArray = 16,
  kObject = 32,
  kAnyType = 63,
};

struct Member {
  std::string name;
  Conjunction schema;
};

/// The branches of an `anyOf` or `oneOf`, null left out.
struct Union {
  Node node;
  std::vector<Conjunction> branches;
  Node discriminator;
  bool is_exclusive = false;  ///< `oneOf`
};

/// A keyword that restricts values and has no member of its own in Schema. Keywords that have a
/// meaning together are one constraint: `if` with `then` and `else`, `contains` with its counts.
struct Constraint {
  std::string keyword;
  Node node;
  Node part;  ///< the schema that contains the keyword
};

struct Schema {
  Conjunction parts;  ///< the schemas that all references lead to
  bool never = false;
  unsigned types = kAnyType;                ///< null left out
  bool nullable = true;                     ///< whether null is valid, whatever keywords decide it
  std::optional<std::vector<Json>> values;  ///< `enum` and `const` without null
  Node values_node;
  Node constant;
  std::map<std::string, Node> bounds;  ///< by keyword, the tightest
  std::map<std::string, Node> formats;
  std::map<std::string, Node> patterns;
  std::vector<Member> members;
  std::map<std::string, Node> required;
  bool forbids_more = false;  ///< members that are not declared
  Conjunction additional;     ///< the schema of members that are not declared
  Conjunction items;          ///< the schema of items beyond `prefix_items`
  std::vector<Conjunction> prefix_items;
  std::vector<Union> unions;
  std::vector<Constraint> constraints;
  Node fallback;  ///< `default`
  bool deprecated = false;
  bool read_only = false;
  bool write_only = false;

  const Member* find_member(std::string_view name) const;
  bool has_constraint(std::string_view keyword) const;
  /// Whether every value is valid that is not null.
  bool accepts_all_but_null() const;
  /// "'string' or 'null'"
  std::string type_text() const;
};

/// Throws BadDocument for references that cannot be followed and keywords of the wrong form.
Schema read_schema(const Document& document, const Conjunction& conjunction);

/// The schema at a node, nothing for what is absent.
inline Conjunction conjunction_of(const Node& node) {
  return node ? Conjunction{node} : Conjunction();
}

/// How messages call types: "'integer' or 'string'".
std::string type_names(unsigned types, bool nullable);

/// A value as messages show it, cut when long.
std::string value_text(const Json& value);
/// "'a', 'b'"
std::string list_text(const std::vector<Json>& values);

}  // namespace fairway::diff
