// Finds registrations that depend on macros of the compiler, such as `#ifdef __clang__`. The
// program is built by another compiler, or with other macros, than the file is read with.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/Lex/PPCallbacks.h>

#include <memory>
#include <string>
#include <vector>

#include "frontend/file_context.hpp"

namespace fairway::frontend {

/// Collects the conditions of the file that mention a macro of the compiler.
std::unique_ptr<clang::PPCallbacks> observe_conditions(std::vector<CompilerCondition>& conditions,
                                                       const clang::SourceManager& sources);

/// [registration-not-top-level] Reports conditions that select code of the factory. Conditions in
/// handlers are allowed, and so are those that select directives only, such as `#pragma GCC …`.
void check_conditions(FileContext& context, const clang::FunctionDecl& factory);

/// The first condition in this range that selects code; null if there is none.
const CompilerCondition* condition_in(const FileContext& context, clang::SourceRange range);

}  // namespace fairway::frontend
