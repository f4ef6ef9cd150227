// The values of `fw::RaiseOptions` that an expression may have.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// A member of `fw::RaiseOptions`.
struct RaiseMember {
  const clang::Expr* value = nullptr;  ///< null: the default, or unknown
  bool is_unknown = false;
  bool operator==(const RaiseMember&) const = default;
};

struct RaiseMembers {
  RaiseMember status = {};
  RaiseMember message = {};
  RaiseMember code = {};
  bool operator==(const RaiseMembers&) const = default;
};

bool is_raise_options(clang::QualType type);

/// Whether a function with this name ends the request with an error: `app.raise`.
bool is_raise(llvm::StringRef function);

/// The arguments of a call, without the object of an operator.
llvm::ArrayRef<const clang::Expr*> arguments_of(const clang::CallExpr& call);
/// The constructor in the source that is called, of `using Base::Base`, too.
const clang::CXXConstructorDecl& written_constructor(const clang::CXXConstructExpr& construct);
bool is_http_error(const clang::CXXConstructorDecl& constructor);

/// Of options in braces, with or without their type, of variables that have them, and of what
/// functions of the file return. Leaves out what cannot be known: a variable that other code may
/// change. A member that is assigned on some paths only, or changed otherwise, is unknown.
std::vector<RaiseMembers> raise_options(const FileContext& context, const clang::Expr& expression);

/// What the function raises, itself or in functions that it calls, if its parameter at `index` has
/// the options of `argument`.
std::vector<RaiseMembers> raised_options(const FileContext& context,
                                         const clang::FunctionDecl& function, unsigned index,
                                         const clang::Expr& argument);

}  // namespace fairway::frontend
