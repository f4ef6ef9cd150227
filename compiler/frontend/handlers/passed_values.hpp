// What the functions that a handler calls get as constants: `send(res, 404, problem)`.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <cstddef>
#include <map>
#include <set>

#include "frontend/handlers/response_state.hpp"

namespace fairway::frontend {

/// Whether it is a string or a constant view of one, or a reference by which it cannot be changed.
bool is_text(clang::QualType type);

/// Whether the body of the function only reads the value of the variable.
bool is_only_read(const clang::VarDecl& variable, const clang::Stmt& body);

/// The values of parameters, while the bodies of their functions are visited, and which variables
/// and members keep the values that they are initialised with.
class PassedValues {
 public:
  /// Null: not known.
  const Statuses* statuses(const clang::ValueDecl& parameter) const;
  /// Only if the function with this body does not change the parameter.
  void set_statuses(const clang::ParmVarDecl& parameter, const clang::Stmt& body,
                    Statuses statuses);
  const Texts* texts(const clang::ValueDecl& parameter) const;
  void set_texts(const clang::ParmVarDecl& parameter, const clang::Stmt& body, Texts texts);
  void forget(const clang::ParmVarDecl& parameter);

  /// Whether a variable of a function, or a capture of a lambda, always has its first value.
  bool is_kept(const clang::VarDecl& variable) const;
  /// Whether no body so far changes the member of any object.
  bool is_kept(const clang::FieldDecl& member) const { return !changed_.contains(&member); }
  /// A body is visited: it may change members.
  void enter(const clang::Stmt& body);
  std::size_t changed_members() const { return changed_.size(); }

 private:
  bool keeps(const clang::VarDecl& variable, const clang::Stmt& body) const;

  std::map<const clang::ValueDecl*, Statuses> statuses_;
  std::map<const clang::ValueDecl*, Texts> texts_;
  mutable std::map<const clang::VarDecl*, bool> only_read_;
  std::set<const clang::Stmt*> entered_;
  std::set<const clang::FieldDecl*> changed_;
};

}  // namespace fairway::frontend
