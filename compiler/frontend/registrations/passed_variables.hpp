// Variables whose content a function may have taken.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <set>

namespace fairway::frontend {

/// The variables that are arguments of std::move, of `swap` and of other functions that get a
/// reference or a pointer through which they can move the content: it may outlive the variable.
class PassedVariables {
 public:
  /// Adds the variables that `node`, without its parts, passes.
  void add_from(const clang::Stmt& node);
  bool contain(const clang::ValueDecl& variable) const { return variables_.contains(&variable); }

 private:
  void add_argument(const clang::Expr& argument, clang::QualType parameter);
  void add_from_call(const clang::CallExpr& call);
  /// The variables of an expression, and those that they refer to.
  void add_all(const clang::Stmt& expression);
  void add(const clang::ValueDecl& variable);

  std::set<const clang::ValueDecl*> variables_;
};

}  // namespace fairway::frontend
