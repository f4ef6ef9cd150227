// Resolves static values.
#pragma once

#include <clang/AST/Expr.h>

#include <optional>
#include <string_view>

#include "frontend/source/file_context.hpp"
#include "model/value.hpp"

namespace fairway::frontend {

/// The purpose of a value, which determines the rule that is violated if it is not static.
/// `builder` is the string of a schema builder, `reexport` the file of a re-export.
enum class Purpose { path, options, builder, reexport };

/// A value, or the reasons why it is not static.
struct StaticValue {
  std::optional<model::Value> value;  ///< empty without reasons if Clang has reported an error
  bool is_complete = true;            ///< false if members of options were omitted
  model::Diagnostics reasons = {};    ///< for the smallest parts that are not static
};

/// Resolves `expression` without reporting.
StaticValue evaluate(const FileContext& context, const clang::Expr& expression, Purpose purpose);

/// Resolves `expression` and reports why it is not static. Diagnostics have `method` and `route`.
std::optional<model::Value> resolve_static(FileContext& context, const clang::Expr& expression,
                                           Purpose purpose, std::string_view method,
                                           std::string_view route);

/// The options of a registration. Members that are not static are reported and omitted.
struct StaticOptions {
  std::optional<model::Value> value;
  bool is_complete = true;
};
StaticOptions resolve_options(FileContext& context, const clang::Expr& expression,
                              std::string_view method, std::string_view route);

}  // namespace fairway::frontend
