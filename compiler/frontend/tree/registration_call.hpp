// Recognizes calls such as `app.get(…)`.
#pragma once

#include <clang/AST/Expr.h>

#include <optional>
#include <string>

namespace fairway::frontend {

struct RegistrationCall {
  const clang::Expr* expression = nullptr;
  const clang::Expr* object = nullptr;  ///< the object of the call
  std::string function;                 ///< "del"
  std::string method;                   ///< "DELETE"
  clang::SourceLocation name;
  llvm::SmallVector<const clang::Expr*, 4> arguments;
  /// Whether Clang has chosen an overload. Otherwise none matches, or an argument has an error or
  /// depends on a template parameter.
  bool resolved = false;
};

/// Empty if `node` is not a call of a registration method on a router.
std::optional<RegistrationCall> registration_call(const clang::Stmt& node);

/// The expression inside parentheses, temporaries and their clean-up.
const clang::Expr& strip_wrappers(const clang::Expr& expression);

/// The first argument if it is a string literal, for diagnostics about calls whose path is not
/// known.
std::string route_hint(const RegistrationCall& call);

}  // namespace fairway::frontend
