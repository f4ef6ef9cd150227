// The values of `fw::RaiseOptions` that an expression may have.
#pragma once

#include <clang/AST/Expr.h>

#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// The members; null for the default.
struct RaiseMembers {
  const clang::Expr* status = nullptr;
  const clang::Expr* message = nullptr;
  const clang::Expr* code = nullptr;
};

bool is_raise_options(clang::QualType type);

/// Of options in braces, with or without their type, of variables that have them, and of what
/// functions of the file return. Leaves out what cannot be known: a variable that other code may
/// change, or whose members are assigned on some paths only.
std::vector<RaiseMembers> raise_options(const FileContext& context, const clang::Expr& expression);

/// Whether the function raises its parameter as it gets it.
bool raises_parameter(const FileContext& context, const clang::FunctionDecl& function,
                      const clang::ParmVarDecl& parameter);

}  // namespace fairway::frontend
