// The way of a response through the statements of a handler.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "frontend/handlers/response_callee.hpp"
#include "frontend/handlers/response_paths.hpp"
#include "frontend/handlers/response_state.hpp"
#include "frontend/handlers/response_use.hpp"
#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Visits a handler in the order in which it runs: all branches of a choice, loops until nothing
/// changes, and the bodies of functions and lambdas where they are called. A lambda that other code
/// gets is called at any time from there on.
class ResponseFlow {
 public:
  ResponseFlow(const FileContext& context, ResponseUse& use)
      : context_(context), use_(use), paths_(use) {}

  void run(const clang::Stmt& handler);
  /// Whether a condition of the compiler decides which statements an instance of a template has.
  bool is_conditional() const { return is_conditional_; }

 private:
  /// A body that is being visited.
  struct Frame {
    const clang::Stmt* body;
    const clang::CallExpr* call;  ///< null for the handler and for a lambda that other code calls
    std::size_t outer_objects;
    ResponseState exit = {};
    std::optional<HeldResponse> result = {};
  };
  ResponseState& state() { return use_.state(); }

  // An expression is visited as a value that other code gets, as one that remains where it is known
  // (`held`), or as a statement, whose value nobody gets.
  void visit(const clang::Stmt& statement);
  void value(const clang::Expr& expression);
  void held(const clang::Expr& expression);
  void parts(const clang::Stmt& node);
  void visit_if_there(const clang::Stmt* statement);
  bool visit_statement(const clang::Stmt& node);
  bool visit_expression(const clang::Expr& node);

  void declaration(const clang::DeclStmt& statement);
  std::optional<bool> constant(const clang::Expr& condition);
  void choice(const clang::IfStmt& choice);
  void choice(const clang::SwitchStmt& choice);
  void choice(const clang::ConditionalOperator& choice);
  void choice(const clang::BinaryConditionalOperator& choice);
  void loop(const clang::WhileStmt& loop);
  void loop(const clang::DoStmt& loop);
  void loop(const clang::ForStmt& loop);
  void loop(const clang::CXXForRangeStmt& loop);
  /// A loop whose condition is checked before each round.
  struct Loop {
    const clang::Stmt* condition = nullptr;
    const clang::Stmt* variable = nullptr;
    const clang::Stmt* body = nullptr;
    const clang::Stmt* step = nullptr;
    bool is_endless = false;  ///< it ends by `break` only
  };
  void rounds(const Loop& loop);
  void attempt(const clang::CXXTryStmt& attempt);
  /// Null: nothing.
  void returned(const clang::Expr* result);
  /// Null: an empty branch. `condition`: the value that it always has; then only one is reached.
  void either(const clang::Stmt* one, const clang::Stmt* other,
              std::optional<bool> condition = std::nullopt);
  void captures(const clang::LambdaExpr& lambda);
  void call(const clang::CallExpr& call);
  /// An object that may have the response from here on.
  void construct(const clang::CXXConstructExpr& construct);
  void construct(const clang::Expr& list, llvm::ArrayRef<clang::Expr*> parts);
  void members(const clang::CXXConstructorDecl& constructor);
  void member(const clang::FieldDecl& member, const clang::Expr& value, HeldResponse& made);
  void base(const clang::Expr& value, HeldResponse& made);
  /// Of a function of the standard library that calls lambdas before it returns. False for others.
  bool call_within(const clang::CallExpr& call);
  void call_elsewhere();
  void use_of_response(const clang::Stmt& node, const MemberUse& use);

  /// Without a function that is being visited: it calls itself.
  std::optional<ResponseCallee> unless_visited(std::optional<ResponseCallee> callee) const;
  bool is_visited(const clang::Stmt& body) const;
  bool may_lack_branch(const clang::IfStmt& choice) const;
  void run_once(const clang::Stmt& handler, bool keeps);
  void enter(const clang::Stmt& body, const clang::CallExpr* call,
             const clang::CXXConstructorDecl* constructor = nullptr);
  void prepare(const ResponseCallee& callee);
  void keep_in(const clang::Expr& target);
  void escape(const clang::Expr& expression);
  void escape(const clang::CXXRecordDecl& lambda);

  const FileContext& context_;
  ResponseUse& use_;
  std::vector<Frame> frames_;
  ResponsePaths paths_;
  std::set<const clang::ValueDecl*> holders_;  ///< variables that have the response, unseen
  std::size_t mentions_ = 0;                   ///< of these
  bool is_kept_ = false;                       ///< any code may have the response
  unsigned visited_ = 0;
  bool is_conditional_ = false;
  std::map<const clang::Expr*, std::optional<bool>> constants_;  ///< the values of conditions
};

}  // namespace fairway::frontend
