// What a factory does with its router besides registering routes in statements of their own.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include <string>

#include "frontend/registration_call.hpp"
#include "frontend/unit.hpp"

namespace fairway::frontend {

/// Reports registrations that are no statements of the factory (`registration-not-top-level`),
/// registration methods that are not named (`computed-method`), and every way in which the router
/// reaches code that could register routes (`router-escapes`). At most one report per statement
/// and error: code that goes on to use an alias is not reported again.
class RouterUses {
 public:
  RouterUses(Unit& unit, const clang::VarDecl& router) : unit_(unit), router_(router) {}

  /// A statement of the factory that is no registration.
  void statement(const clang::Stmt& statement);
  /// The handler of a registration: may capture the router, since registration is closed when it
  /// runs, but may not register.
  void handler(const clang::Expr& argument);
  /// The options of a registration, in which lambdas are called as late as handlers.
  void options(const clang::Expr& argument);
  /// Whether `expression` is the router's own name, perhaps with `&`.
  bool is_the_router(const clang::Expr& expression) const;
  void report_nested(const RegistrationCall& call, const std::string& where);

 private:
  /// Where in the factory a node is.
  struct Position {
    std::string construct;                       ///< innermost, as messages name it: "a 'for' loop"
    std::string use = "is passed on or stored";  ///< what happens to a router that is named here
    const clang::NamedDecl* receiver = nullptr;  ///< who gets it
    bool in_handler = false;
    bool in_options = false;  ///< of a registration, but in no lambda
    bool has_error = false;   ///< inside an expression that Clang reports itself
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

  Unit& unit_;
  const clang::VarDecl& router_;
  bool escaped_ = false;       ///< some alias of the router exists
  bool escaped_here_ = false;  ///< and the statement at hand has been reported for it
  llvm::SmallVector<const clang::Decl*, 2> reported_callables_;
};

}  // namespace fairway::frontend
