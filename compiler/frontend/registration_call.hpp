// A call of `app.get(…)` and its kind, as it is written.
#pragma once

#include <clang/AST/Expr.h>

#include <optional>
#include <string>

namespace fairway::frontend {

struct RegistrationCall {
  const clang::Expr* expression = nullptr;
  const clang::Expr* object = nullptr;  ///< what the method is called on
  std::string function;                 ///< "del"
  std::string method;                   ///< "DELETE"
  clang::SourceLocation name;
  llvm::SmallVector<const clang::Expr*, 4> arguments;
  /// Clang has chosen an overload. Otherwise none fits, or an argument has an error or depends on a
  /// template parameter.
  bool resolved = false;
};

/// Nothing when `node` itself is no call of a registration method on a router.
std::optional<RegistrationCall> registration_call(const clang::Stmt& node);

/// The expression inside parentheses, temporaries and their clean-up.
const clang::Expr& bare(const clang::Expr& expression);

/// The text of the first argument where it is a literal: the route, as far as it is known.
std::string route_hint(const RegistrationCall& call);

}  // namespace fairway::frontend
