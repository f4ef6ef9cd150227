// Where handlers' bodies are: what Clang finds wrong in them is left to the build of the program.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include "frontend/unit.hpp"

namespace fairway::frontend {

/// The function that `argument` is or names, or all call operators of a function object; those of
/// other files have no bodies.
llvm::SmallVector<const clang::FunctionDecl*, 1> handler_functions(const Unit& unit,
                                                                   const clang::Expr& argument);

/// Remembers the body of the handler that `argument` is or names, where it is in this file.
void note_handler(Unit& unit, const clang::Expr& argument);

/// Remembers the bodies of the other lambdas of `factory` that look like handlers. Clang drops a
/// statement with certain errors as a whole: the handler in it is not to be blamed for these
/// errors, but must not hide them either.
void note_lost_handlers(Unit& unit, const clang::FunctionDecl& factory);

}  // namespace fairway::frontend
