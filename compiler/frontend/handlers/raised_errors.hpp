// The errors that a handler raises.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "frontend/handlers/caught_errors.hpp"
#include "frontend/handlers/error_arguments.hpp"
#include "frontend/source/file_context.hpp"
#include "model/sent_response.hpp"

namespace fairway::frontend {

/// Collects the errors that leave a handler, with their statuses and codes, as far as they are
/// constant. Follows calls into functions of the file, and objects of error classes to where they
/// are raised. Types that are generated from the routes, and values of them, need not be known.
class RaisedErrors {
 public:
  RaisedErrors(const FileContext& context, const clang::FunctionDecl& handler)
      : context_(context),
        caught_(context),
        arguments_(context),
        handler_(handler),
        functions_{&handler} {}

  /// The body of the handler.
  void read(const clang::Stmt& body) {
    visit(body);
    lost(handler_, body);
  }
  /// In source order; the errors of a function are where it is first called.
  std::vector<model::SentResponse> take() { return std::move(errors_); }

 private:
  using Arguments = llvm::ArrayRef<const clang::Expr*>;
  using Attempts = std::vector<const clang::CXXTryStmt*>;
  /// Where an object of an error class is raised.
  enum class Raised { here, anywhere, nowhere };
  /// The object that is being read.
  struct Error {
    Raised raised = Raised::here;
    const clang::CXXRecordDecl* type = nullptr;  ///< null: not known
    bool operator==(const Error&) const = default;
    auto operator<=>(const Error&) const = default;
  };

  // Statements and expressions.
  void visit(const clang::Stmt& node);
  void visit_parts(const clang::Stmt& node);
  void visit_expression(const clang::Expr& node);
  void choice(const clang::IfStmt& choice, const clang::Stmt* taken);
  void attempt(const clang::CXXTryStmt& attempt);
  void add_attempt(const clang::CXXTryStmt& attempt);
  void lost(const clang::FunctionDecl& function, const clang::Stmt& body);
  void declare(const clang::VarDecl& variable);
  void lambda(const clang::LambdaExpr& lambda, bool is_called_here);
  void call(const clang::CallExpr& call);
  bool pass(const clang::Expr& argument, const clang::FunctionDecl& function, unsigned index);
  void follow(const clang::FunctionDecl& function, bool is_used = false,
              const clang::CallExpr* call = nullptr);
  void enter(const clang::FunctionDecl& function, const clang::Stmt& body, Arguments given);
  void members(const clang::CXXConstructorDecl& constructor, Error error);
  void construct_other(const clang::CXXConstructExpr& construct);
  void made(clang::QualType type, Arguments arguments);
  void escape(const clang::FunctionDecl& function);
  void escape(const clang::Expr& value);

  // Objects of error classes.
  void value(const clang::Expr& expression, Error error, int depth = 0);
  bool values_of(const clang::FunctionDecl& function, Arguments given, Error error, int depth);
  void unseen(const clang::Expr& object, Error error);
  void made_for(const clang::Stmt& node, Error error);
  void made_in(const clang::Stmt& node, const clang::VarDecl* owner, Error error);
  void made_by_factory(const clang::CallExpr& call, Error error);
  void made_error(clang::QualType type, Arguments arguments);
  void any_constructor(const clang::CXXRecordDecl& type);
  void elements(const clang::Stmt& node, Error error);
  void objects(const clang::Stmt& node, Error error);
  void construct(const clang::CXXConstructExpr& construct, Error error, int depth);
  void unresolved(const clang::Expr& e);
  void possible_construction(clang::QualType type, Arguments arguments);
  void result(const clang::CallExpr& call, Error error, int depth);

  // The errors.
  void broken(const clang::RecoveryExpr& expression);
  void constructed(const clang::CXXConstructorDecl& constructor, Arguments arguments);
  void raise(const std::string& function, Arguments arguments);
  bool raises(const std::string& function, Arguments arguments);
  void parameters(Arguments given, const clang::FunctionDecl& function);
  void keep_read();
  void keep(const model::SentResponse& error);

  const FileContext& context_;
  CaughtErrors caught_;
  ErrorArguments arguments_;
  const clang::FunctionDecl& handler_;
  Attempts attempts_;            ///< around what is visited, sorted
  Error error_;                  ///< which the members and arguments that are read belong to
  bool is_result_used_ = false;  ///< whether other code gets what the function returns
  std::vector<clang::SourceRange> called_lambdas_;  ///< bodies, which are followed where called
  std::set<const clang::FunctionDecl*> functions_;
  std::set<const clang::FunctionDecl*> returning_;  ///< whose results are being read
  std::set<const clang::VarDecl*> owners_;          ///< whose objects are being read
  /// With the constant arguments, also of the functions around a lambda.
  std::set<std::tuple<const clang::FunctionDecl*, Attempts, Error, bool, std::vector<std::string>>>
      followed_;
  std::map<const clang::ParmVarDecl*, bool> only_read_;
  std::set<std::pair<const clang::Expr*, Attempts>> defaults_;  ///< that have been visited
  std::vector<model::SentResponse> errors_;
};

}  // namespace fairway::frontend
