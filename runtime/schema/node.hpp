// Schemas of requests, written in the DSL (docs/validation.md) or as C++ types, shared by the route
// compiler and the runtime: one parser, one validator, one mapping to JSON Schema.
//
//   auto parsed = fw::schema::parse_dsl("integer:1-100?");
//   if (auto* node = std::get_if<fw::schema::Node>(&parsed)) { ... }
#pragma once

#include <fairway/errors.hpp>
#include <fairway/generated/schema_kind.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fw::schema {

struct Field;
struct Node;
class Pattern;

/// The types that contain themselves, by name.
using Definitions = std::map<std::string, std::shared_ptr<const Node>>;

/// One schema: a type with its constraints. Plain data.
struct Node {
  Kind kind = Kind::any;
  bool required = true;  ///< A type without a suffix is required.
  bool deprecated = false;
  bool unique_items = false;  ///< `array`: no two items are equal.
  /// `integer`: of std::uint64_t, up to 2^64-1. Others are integers of std::int64_t.
  bool is_unsigned = false;
  std::string name = {};      ///< Of a C++ struct or enumeration; empty for other schemas.
  std::optional<double> min;  ///< Minimum value, string length in code points, or number of items.
  std::optional<double> max;  ///< Like `min`, for the maximum; both are inclusive.
  std::vector<std::string> values;  ///< `enumeration`: the listed values, in order.
  std::string pattern;              ///< `string`: a regular expression; empty if there is none.
  std::shared_ptr<const Pattern> expression;    ///< `pattern`, compiled; null if there is none.
  std::optional<nlohmann::json> default_value;  ///< The value of an absent member.
  /// `array`: the schema of each item; null means any item. `map`: of each member.
  std::shared_ptr<const Node> items;
  std::vector<Field> fields;       ///< `object`: declared members, in declaration order.
  std::vector<Node> alternatives;  ///< `one_of`: in the order of declaration.
  /// `one_of`: the member that tells the alternatives apart, an enumeration in each of them. Empty
  /// if each alternative has another JSON type.
  std::string discriminator;
  std::weak_ptr<const Node> target;                ///< `reference`: the type, kept by the root.
  std::shared_ptr<const Definitions> definitions;  ///< Of the root: the targets of references.
  std::string description;  ///< From `compile_field(...).description(...)` or a doc comment.

  /// Whether a validated object has the member.
  bool is_always_there() const { return required || default_value; }
};

/// A named member of an object or of a request location.
struct Field {
  std::string name;
  Node node;
};

/// A syntax error in a DSL string. `offset` and `length` count bytes of the string.
struct DslError {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string message;           ///< Lower case, no final period: "unknown type 'strin'".
  std::string help;              ///< What to write instead; may be empty.
  std::string replacement = {};  ///< A safe replacement for that part; may be empty.
};

/// Parses a DSL string such as `string:1-50?`, `array<string>:1-5`, `integer:1-100=20` or
/// `string:/^[a-z]+$/`. A range is `N` (exactly), `N-` (at least), `-N` (at most) or `N-M`, both
/// inclusive; the grammar is in parse.cpp.
std::variant<Node, DslError> parse_dsl(std::string_view text);

/// The canonical DSL string of a node that was parsed from one; the inverse of `parse_dsl`.
std::string to_dsl(const Node& node);

enum class Source {
  text,  ///< param, query, header, cookie: every value is a string
  json,  ///< body: values have JSON types; the same conversions apply
};

/// Validates `input` against the fields of `object` (kind object) and converts it. The result has
/// the converted copy; `errors` is empty if and only if the input is valid. Unknown members are
/// kept. Errors name a field by its path, `user/addr/city` or `items/0/id`. The missing required
/// fields of an object come first, then its invalid values, each in the order of declaration. If
/// the input is absent (null) but required, or nested more than 512 levels deep, the error is in
/// the field `value`. At most 1,000 errors are listed. Thread-safe: reads only its arguments, and
/// has no state.
ValidationResult validate(const Node& object, const nlohmann::json& input, Source source);
/// Like above, but moves the input into the result.
ValidationResult validate(const Node& object, nlohmann::json&& input, Source source);

/// JSON Schema 2020-12 (the dialect of OpenAPI 3.1) of a node: types, formats, bounds,
/// enumerations, nested objects with `required`, items, alternatives, description. Named types are
/// written where they are used; those that contain themselves are in `$defs` of the root.
nlohmann::json to_json_schema(const Node& node);

/// The node of a JSON Schema that the route compiler made from a C++ type: the schemas that
/// `to_json_schema` makes, with `$ref` to named types in `$defs`. The node has the named types
/// where they are used, and a `reference` where a type is inside itself. Throws
/// std::invalid_argument with the JSON pointer for any other schema.
Node node_of_schema(const nlohmann::ordered_json& schema);

/// The type that a `reference` stands for, or the node itself. Needs the root of the node.
const Node& resolved(const Node& node);

}  // namespace fw::schema
