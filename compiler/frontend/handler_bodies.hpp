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

/// Remembers the bodies of all lambdas of `factory` that look like handlers: Clang drops a
/// statement with certain faults as a whole, and the handler in it should not be blamed too.
void note_handlers_of(Unit& unit, const clang::FunctionDecl& factory);

}  // namespace fairway::frontend
