// Values that can be known without running anything.
#pragma once

#include <clang/AST/Expr.h>

#include <optional>
#include <string_view>

#include "frontend/unit.hpp"
#include "model/value.hpp"

namespace fairway::frontend {

/// What a value is for: decides which rule a value that is not static breaks. `builder` is the
/// string that a schema builder takes, `reexport` the file that a re-export names.
enum class Purpose { path, options, builder, reexport };

/// A value, or why there is none.
struct StaticValue {
  std::optional<model::Value> value;  ///< nothing and no reason: Clang has found an error there
  bool is_complete = true;            ///< false when members of options are left out
  model::Diagnostics reasons = {};    ///< about the smallest parts that are not static
};

/// Resolves `expression` and reports nothing.
StaticValue evaluate(const Unit& unit, const clang::Expr& expression, Purpose purpose);

/// Resolves `expression` and reports why it cannot be; `method` and `route` are those of the
/// diagnostics.
std::optional<model::Value> resolve_static(Unit& unit, const clang::Expr& expression,
                                           Purpose purpose, std::string_view method,
                                           std::string_view route);

/// The options of a registration. Members that are not static are reported and left out.
struct StaticOptions {
  std::optional<model::Value> value;
  bool is_complete = true;
};
StaticOptions resolve_options(Unit& unit, const clang::Expr& expression, std::string_view method,
                              std::string_view route);

}  // namespace fairway::frontend
