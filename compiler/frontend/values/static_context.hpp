// Resolves static values. The functions for each kind of expression are in a separate file and
// share a context. They report nothing, but add the reasons why a value is not static to the
// context. The rest of the front end uses static_value.hpp.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "frontend/source/file_context.hpp"
#include "frontend/source/locations.hpp"
#include "frontend/values/named_types.hpp"
#include "frontend/values/static_value.hpp"
#include "model/diagnostic.hpp"
#include "model/value.hpp"

namespace fairway::frontend::statics {

using model::Value;

/// Empty if the expression is not static; then the context has the reason, or Clang has reported an
/// error.
using Result = std::optional<Value>;

/// Constants that are initialised with each other are followed up to this depth, as Clang follows
/// nested brackets.
constexpr std::size_t kMaxConstants = 256;

struct Context {
  const clang::ASTContext& ast;
  const Locations& at;
  const std::vector<DifferingToken>& differing_tokens;
  Purpose purpose;
  NamedTypes* types = nullptr;  ///< null: `fw::type` is not read
  std::set<const clang::VarDecl*> visiting =
      {};  ///< variables whose initialisers are being resolved
  model::Diagnostics reasons = {};
  bool lacks_members = false;  ///< members of the options were omitted because they are not static
};

// static_value.cpp: any expression.
Result resolve(Context& c, const clang::Expr& expression);

// static_literals.cpp: strings and numbers.
Result string(Context& c, const clang::StringLiteral& literal);
/// The characters in a member of an argument of a template: `Name.text` in
/// `template <Fixed Name>`. Empty if it is another expression.
std::optional<Result> text_of_argument(Context& c, const clang::MemberExpr& member);
Result integer(Context& c, const clang::IntegerLiteral& literal);
Result operation(Context& c, const clang::UnaryOperator& unary);
Result zero(clang::QualType type);
Result enumerator(Context& c, const clang::Expr& use, const clang::EnumConstantDecl& declaration);
/// Converts numbers like the program does.
Result convert(Context& c, Value value, const clang::Expr& expression);

// static_names.cpp: constants and enumerators.
Result constant(Context& c, const clang::Expr& use, const clang::ValueDecl& declaration);

// static_structures.cpp: braces and constructors.
Result braces(Context& c, const clang::InitListExpr& list);
Result construction(Context& c, const clang::CXXConstructExpr& construct);

// static_durations.cpp: std::chrono, as milliseconds.
bool is_duration(clang::QualType type);
Result user_defined_literal(Context& c, const clang::UserDefinedLiteral& literal);
Result duration(Context& c, const clang::Expr& e);

// static_calls.cpp: the framework's builders.
Result call(Context& c, const clang::CallExpr& expression);

// static_callables.cpp: members that take functions.
bool is_callable(clang::QualType type);
/// Null for a callable that is known to be empty, otherwise of kind `function`.
Value callable(const clang::Expr& e);
/// Removes parentheses, casts and temporaries, and puts the arguments of templates for their
/// parameters. What the standard library computes for its own may depend on the compiler.
const clang::Expr* without_wrappers(const clang::Expr* e);

// static_reasons.cpp: why a value is not static. Each returns an empty result.

/// `why` completes "route options are not static: ". `variable` is shown where it is defined.
Result not_static(Context& c, const clang::Expr& e, const std::string& why,
                  const clang::VarDecl* variable = nullptr);
Result built_by_helper(Context& c, const clang::CallExpr& call, const clang::NamedDecl* callee);
Result misused_builder(Context& c, const clang::Expr& e, const std::string& what,
                       const clang::VarDecl* variable = nullptr);
Result foreign_conversion(Context& c, const clang::Expr& e);
/// Clang accepts designators in any order, in contrast to the standard and other compilers.
model::Diagnostic& wrong_order(Context& c, clang::SourceLocation designator,
                               const clang::FieldDecl& field, const clang::FieldDecl& before);

/// Describes the kind of an expression: "the operator '+'".
std::string describe(const clang::Expr& e);
/// "a value of the type 'std::vector<int>'"
std::string describe_type(const Context& c, clang::QualType type);
/// "a call of 'name'"
std::string describe_call(const clang::NamedDecl* callee);

}  // namespace fairway::frontend::statics
