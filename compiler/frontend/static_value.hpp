// Values that can be known without running anything.
#pragma once

#include <clang/AST/Expr.h>

#include <optional>
#include <string_view>

#include "frontend/unit.hpp"
#include "model/value.hpp"

namespace fairway::frontend {

/// What a value is for: decides which diagnostic a value that is not static gets. `builder` is the
/// string that a schema builder is given, `reexport` the file that a re-export names.
enum class Purpose { path, options, builder, reexport };

/// Resolves `expression`. Nothing, and a diagnostic about the smallest part that is not static,
/// when that cannot be done; nothing and no diagnostic when Clang has found a fault there itself.
/// `method` and `route` go into the diagnostic.
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
