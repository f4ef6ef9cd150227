// A schema in normalized form: references are resolved, `allOf` is merged, and null is separated
// from the other types.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/document.hpp"

namespace fairway::diff {

/// Schemas that must all match: one, several for `allOf`, none if every value is valid.
using Conjunction = std::vector<Node>;

/// Empty for a conjunction without schemas.
inline Node first_part(const Conjunction& conjunction) {
  return conjunction.empty() ? Node() : conjunction.front();
}

/// Types as bits. The type `number` has both kNumber and kInteger.
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

/// The branches of an `anyOf` or `oneOf`, without null.
struct Union {
  Node node;
  std::vector<Conjunction> branches;
  Node discriminator;
  bool is_exclusive = false;  ///< `oneOf`
};

/// A keyword that restricts values and has no member in Schema. Keywords that belong together are
/// one constraint: `if` with `then` and `else`, `contains` with its counts.
struct Constraint {
  std::string keyword;
  Node node;
  Node part;  ///< the schema that contains the keyword
};

struct Schema {
  Conjunction parts;  ///< the schemas after resolving all references
  bool never = false;
  unsigned types = kAnyType;                ///< without null
  bool nullable = true;                     ///< whether null is valid, by all keywords
  std::optional<std::vector<Json>> values;  ///< `enum` and `const` without null
  Node values_node;
  Node constant;
  std::map<std::string, Node> bounds;  ///< the tightest value of each keyword
  std::map<std::string, Node> formats;
  std::map<std::string, Node> patterns;
  std::vector<Member> members;
  std::map<std::string, Node> required;
  bool forbids_more = false;  ///< whether additional members are forbidden
  Conjunction additional;     ///< the schema of additional members
  Conjunction items;          ///< the schema of items beyond `prefix_items`
  std::vector<Conjunction> prefix_items;
  std::vector<Union> unions;
  Node discriminator;  ///< of a schema without alternatives, or with one
  std::vector<Constraint> constraints;
  Node fallback;  ///< `default`
  bool deprecated = false;
  bool read_only = false;
  bool write_only = false;

  const Member* find_member(std::string_view name) const;
  bool has_constraint(std::string_view keyword) const;
  /// Whether all values except null are valid.
  bool accepts_all_but_null() const;
  /// "'string' or 'null'"
  std::string type_text() const;
};

/// Throws BadDocument for references that cannot be resolved and keywords with invalid values.
Schema read_schema(const Document& document, const Conjunction& conjunction);

/// The schema at a node; empty if the node is empty.
inline Conjunction conjunction_of(const Node& node) {
  return node ? Conjunction{node} : Conjunction();
}

/// The names of types in messages: "'integer' or 'string'".
std::string type_names(unsigned types, bool nullable);

/// A value for a message; long values are cut.
std::string value_text(const Json& value);
/// "'a', 'b'"
std::string list_text(const std::vector<Json>& values);

}  // namespace fairway::diff
