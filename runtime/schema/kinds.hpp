// The table of types: the name in the DSL, the JSON Schema, the meaning of a range, and the
// description of valid values. The parser, the printer, the validator and the conversion to JSON
// Schema use it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "schema/node.hpp"

namespace fw::schema {

/// The property that a range after a type (`:1-5`) limits.
enum class RangeOf {
  nothing,  ///< the type does not allow a range
  value,    ///< the number itself
  length,   ///< code points of the text
  count,    ///< items of the array
};

struct KindInfo {
  Kind kind;
  std::string_view name;         ///< The name in the DSL and in keys of messages.
  std::string_view json_type;    ///< JSON Schema `type`; empty for any value.
  std::string_view json_format;  ///< JSON Schema `format`; empty for none.
  std::string_view demand;       ///< The end of the message "<field> must be …".
  RangeOf range = RangeOf::nothing;
  /// The check of a string format; null for other types.
  bool (*has_format)(std::string_view) = {};
  std::string_view example = {};  ///< A string of the format, for tests and for patterns.
  /// Strings of the format, for contract tests: `[a-f0-9]` is a character of the set, and `{3,8}`
  /// or `{4}` after it says how many.
  std::string_view sample = {};
  /// JSON Schema `pattern`, if the format alone allows too much.
  std::string_view json_pattern = {};
  /// The other format of JSON Schema that all strings of this one have, too.
  std::string_view json_wider = {};
  bool overlaps = false;  ///< A string of another format may have this one, too.
};

const KindInfo& info(Kind kind);

/// The row of a type name of the DSL; null if there is no such type.
const KindInfo* find_kind(std::string_view name);

/// The rows of the types of the DSL, in the order of lists of types in messages.
std::span<const KindInfo> all_kinds();

/// Whether no string has the formats of both types.
bool are_disjoint_formats(const KindInfo& one, const KindInfo& two);

/// Whether the bounds of the type must be integers.
constexpr bool has_whole_bounds(Kind kind) { return kind != Kind::number; }

/// The shortest decimal text of a bound, without exponent: `5`, `-0.5`.
std::string bound_text(double bound);

}  // namespace fw::schema
