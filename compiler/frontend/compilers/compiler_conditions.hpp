// Finds registrations, constants and members that depend on macros of the compiler, such as
// `#ifdef __clang__`. The program is built by another compiler, or with other macros, than the file
// is read with.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// [registration-not-top-level] Reports conditions that select code of the factory. Conditions in
/// handlers are allowed, and so are those that select directives only, such as `#pragma GCC …`.
void check_conditions(FileContext& context, const clang::FunctionDecl& factory);
/// The same for conditions around the export and around what it names.
void check_conditions(FileContext& context, const clang::VarDecl& exported);
/// The same for conditions around the handler of a route, and around the types in its signature and
/// what it returns if its result is deduced. Where all branches are read, only the results count.
void check_handler_conditions(FileContext& context, const clang::FunctionDecl& handler,
                              const std::string& method, const std::string& route);

/// The first condition in this range that selects code; null if there is none.
const CompilerCondition* condition_in(const FileContext& context, clang::SourceRange range);
/// The condition around a location or around an #include of its file; null if there is none.
/// Headers of the system have none.
const CompilerCondition* condition_around(const FileContext& context,
                                          clang::SourceLocation location);

/// What depends on a condition, or on a token that differs: a constant, a function, an alias or a
/// macro.
struct Dependence {
  const CompilerDifference* condition = nullptr;  ///< null if there is none
  clang::SourceRange use = {};                    ///< where it is used
};
/// Whether it is a token of the file.
bool is_token(const FileContext& context, const CompilerDifference& difference);
/// Shows the condition or the token.
model::Note note_of(const FileContext& context, const Dependence& dependence);
/// The first use in an expression, or in what it is initialised with. Bodies of lambdas do not
/// count.
Dependence dependence_of(const FileContext& context, const clang::Expr& expression);
/// The same of what decides the type of the expression, without conditions whose branches are all
/// read: what a handler sends is compared.
Dependence type_dependence_of(const FileContext& context, const clang::Expr& expression);
/// The first use in the type and the initialiser of a member. Tokens of the initialiser that are no
/// errors do not count.
Dependence dependence_of(const FileContext& context, const clang::FieldDecl& field);
/// The first use in the name of a base class.
Dependence dependence_of(const FileContext& context, const clang::CXXBaseSpecifier& base);

}  // namespace fairway::frontend
