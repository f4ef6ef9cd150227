// [captures-factory-local] Finds handlers that refer to local variables of their factory.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <map>
#include <set>
#include <utility>

#include "frontend/registrations/passed_variables.hpp"
#include "frontend/source/file_context.hpp"
#include "frontend/tree/registration_call.hpp"

namespace fairway::frontend {

/// Reports handlers and callables in options that refer to local variables of the factory, which
/// are destroyed before the first request. Reports only certain errors: captures by reference, and
/// pointers to local variables or views of them, also through other local references, pointers and
/// lambdas, member functions of the standard library, and functions that only return a value.
class FactoryCaptures {
 public:
  FactoryCaptures(FileContext& context, const clang::FunctionDecl& factory);

  /// Checks a registration that Clang has resolved.
  void check(const RegistrationCall& call);

 private:
  using Local = const clang::ValueDecl*;

  void value(const clang::Expr& expression, int depth);
  void copy(const clang::Expr& expression, int depth);
  void copied_variable(const clang::ValueDecl& declaration, clang::SourceLocation use, int depth);
  void lambda(const clang::LambdaExpr& lambda, int depth);
  void called(const clang::CallExpr& call, int depth);
  void initialiser_of(const clang::VarDecl& variable, int depth);

  Local object_of(const clang::Expr& expression, int depth);
  Local object_of_call(const clang::CallExpr& call, int depth);
  Local object_of_result(const clang::FunctionDecl& function, int depth);
  Local object_viewed(const clang::CallExpr& call, int depth);
  Local source(const clang::Expr& expression, int depth);
  Local object_at(const clang::Expr& pointer, int depth);
  Local object_at_variable(const clang::VarDecl& variable, int depth);
  Local object_at_constructed(const clang::CXXConstructExpr& view, int depth);
  Local object_at_element(clang::QualType element, const clang::Expr& initialiser, int depth);
  Local object_named(const clang::ValueDecl& declaration, int depth);
  const clang::VarDecl* own_variable(const clang::ValueDecl& declaration) const;
  const clang::VarDecl* whole_variable(const clang::ValueDecl& declaration) const;
  bool keeps_its_value(const clang::VarDecl& variable) const;
  Local kept(Local local) const;
  void find_writes(const clang::Stmt& node);
  /// `view` is what is captured instead of the variable, "a view of it", or null.
  void report(Local local, clang::SourceRange range, const char* view = nullptr);

  FileContext& context_;
  const clang::FunctionDecl& factory_;
  std::set<const clang::Decl*>
      written_;  ///< variables that may be modified after their initialisation
  PassedVariables passed_;
  const RegistrationCall* call_ = nullptr;
  bool in_options_ = false;
  std::map<const clang::VarDecl*, Local> objects_;       ///< what their values refer to
  std::map<const clang::FunctionDecl*, Local> results_;  ///< what their results refer to
  std::set<const clang::VarDecl*> visited_;              ///< whose initialisers have been checked
  std::set<std::pair<Local, clang::SourceLocation>> reported_;
};

}  // namespace fairway::frontend
