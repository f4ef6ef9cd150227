// What a handler takes and returns, by its declaration, or by the type of the object that calls it.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/TypeLoc.h>

#include <optional>
#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// A type in the source.
struct WrittenType {
  clang::QualType type;
  clang::TypeLoc written;  ///< null if it is not known
  model::Range range;
};

struct HandlerType {
  std::vector<WrittenType> parameters;
  WrittenType result;
};

/// Where the type of a parameter is written.
model::Range type_range(const FileContext& context, const clang::ParmVarDecl& parameter);

/// The type of the object that the framework keeps: the F of `RouteHandler(F handler)`. The type of
/// the expression if Clang has made no such object.
clang::QualType type_of_handler(const clang::Expr& argument);

HandlerType type_of_function(const FileContext& context, const clang::FunctionDecl& handler);

/// The type of a `std::function`, which calls any function that fits, or of a pointer to a function
/// that is not known; empty if the function that `argument` is or names has the same.
std::optional<HandlerType> type_of_callable(const FileContext& context,
                                            const clang::Expr& argument);

}  // namespace fairway::frontend
