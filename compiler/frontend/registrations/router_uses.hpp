// Finds uses of the router in a factory that are not registrations.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include <string>

#include "frontend/source/file_context.hpp"
#include "frontend/tree/registration_call.hpp"

namespace fairway::frontend {

/// Reports registrations that are not statements of the factory (`registration-not-top-level`),
/// computed registration methods (`computed-method`), and uses that pass the router to code that
/// could register routes (`router-escapes`). Reports each error once per statement; further uses of
/// an alias are not reported.
class RouterUses {
 public:
  RouterUses(FileContext& context, const clang::VarDecl& router)
      : context_(context), router_(router) {}

  /// Checks a statement of the factory that is not a registration.
  void statement(const clang::Stmt& statement);
  /// Checks the handler of a registration. It may capture the router, because routes can no longer
  /// be registered when it runs, but must not register routes.
  void handler(const clang::Expr& argument);
  /// Checks the options of a registration. Lambdas in them run as late as handlers.
  void options(const clang::Expr& argument);
  /// Whether `expression` is the name of the router, possibly with `&`.
  bool is_the_router(const clang::Expr& expression) const;
  void report_nested(const RegistrationCall& call, const std::string& where);

 private:
  /// The position of a node in the factory.
  struct Position {
    std::string construct;  ///< the innermost construct, for messages: "a 'for' loop"
    std::string use = "is passed on or stored";  ///< the use of a router at this position
    const clang::NamedDecl* receiver = nullptr;  ///< the variable or function that gets it
    bool in_handler = false;
    bool in_options = false;  ///< of a registration, but in no lambda
    bool has_error = false;   ///< inside an expression for which Clang reports an error
  };

  void argument(const clang::Expr& argument);
  void scan(const clang::Stmt& node, Position position);
  void scan_children(const clang::Stmt& node, const Position& position);
  void block(const clang::CompoundStmt& block, Position position);
  void declaration(const clang::DeclStmt& statement, const Position& position);
  void call(const clang::CallExpr& call, const Position& position);
  void registration(const RegistrationCall& call, const Position& position);
  void lambda(const clang::LambdaExpr& lambda, const Position& position);
  void captures(const clang::LambdaExpr& lambda, bool is_handler, const Position& position);
  void name(const clang::DeclRefExpr& reference, const Position& position);
  void computed(const clang::Expr& e);

  FileContext& context_;
  const clang::VarDecl& router_;
  bool escaped_ = false;       ///< an alias of the router exists
  bool escaped_here_ = false;  ///< it has been reported for the current statement
  llvm::SmallVector<const clang::Decl*, 2> reported_callables_;
};

}  // namespace fairway::frontend
