// What is known of each type of the DSL, as one table: its name, its JSON Schema, which range it
// takes, and what a value must be. The parser, the printer, the validator and the mapping to JSON
// Schema all read it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "schema/schema.hpp"

namespace fw::schema {

/// What a range after a type (`:1-5`) limits.
enum class RangeOf {
  nothing,  ///< the type takes no range
  value,    ///< the number itself
  length,   ///< code points of the text
  count,    ///< items of the array
};

struct KindInfo {
  Kind kind;
  std::string_view name;         ///< As the DSL writes it.
  std::string_view json_type;    ///< JSON Schema `type`; empty for any value.
  std::string_view json_format;  ///< JSON Schema `format`; empty for none.
  std::string_view demand;       ///< Follows "<field> must be".
  RangeOf range = RangeOf::nothing;
  bool (*has_format)(std::string_view) = {};  ///< The check of a text format; null for none.
  std::string_view json_pattern = {};  ///< JSON Schema `pattern`, where the format allows too much.
};

const KindInfo& info(Kind kind);

/// The row of a type name; null when there is no such type.
const KindInfo* find_kind(std::string_view name);

/// All rows, in the order in which a list of types is shown.
std::span<const KindInfo> all_kinds();

/// True for whole numbers only: a fraction has no meaning as a bound of this type.
constexpr bool has_whole_bounds(Kind kind) { return kind != Kind::number; }

/// The shortest decimal text of a bound, without exponent: `5`, `-0.5`.
std::string bound_text(double bound);

}  // namespace fw::schema
