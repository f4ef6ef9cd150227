// The errors that a handler raises.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/handlers/raise_options.hpp"
#include "frontend/source/file_context.hpp"
#include "model/sent_response.hpp"
#include "model/value.hpp"

namespace fairway::frontend {

/// Whether a function with this name ends the request with an error: `app.raise`.
bool is_raise(llvm::StringRef function);

/// Collects the errors while the body of a handler is visited, with their statuses and codes, as
/// far as they are constant. Follows calls into functions of the file. Types that are generated
/// from the routes, and values of them, need not be known.
class RaisedErrors {
 public:
  RaisedErrors(const FileContext& context, const clang::FunctionDecl& handler)
      : context_(context), seen_{&handler} {}

  /// A node of the body, without its children.
  void see(const clang::Stmt& node);
  /// In source order; the errors of a function are where it is first called.
  std::vector<model::SentResponse> take() { return std::move(errors_); }

 private:
  using Arguments = llvm::ArrayRef<const clang::Expr*>;

  void broken(const clang::RecoveryExpr& expression);
  void construction(Arguments arguments);
  bool raises(const std::string& function, Arguments arguments);
  void options(const clang::Expr& expression);
  void add_options(const RaiseMembers& members);
  void parameters(Arguments given, const clang::FunctionDecl& function);
  std::vector<int> statuses_of(const clang::Expr& expression) const;
  std::optional<model::Value> value_of(const clang::Expr& expression) const;
  std::string text_of(const clang::Expr* expression) const;
  void add_key(const clang::Expr& key);
  void add(const std::vector<int>& statuses, const clang::Expr* message,
           std::initializer_list<const clang::Expr*> codes);
  void keep(const model::SentResponse& error);
  void follow(const clang::FunctionDecl& function);
  void walk(const clang::Stmt& statement);

  const FileContext& context_;
  std::set<const clang::FunctionDecl*> seen_;
  std::vector<model::SentResponse> errors_;
};

}  // namespace fairway::frontend
