#include "frontend/handlers/never_returns.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/errors/compile_errors.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/handlers/raise_options.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// Functions that call others.
constexpr int kMaxCalls = 4;

bool never_returns_at(const FileContext& context, const clang::CallExpr& call, int depth);

/// Whether the body may be left by a jump.
bool has_jumps(const clang::Stmt& node) {
  if (llvm::isa<clang::LambdaExpr>(node)) return false;
  if (llvm::isa<clang::ReturnStmt, clang::CoreturnStmt, clang::GotoStmt, clang::IndirectGotoStmt,
                clang::AsmStmt>(node)) {
    return true;
  }
  return std::any_of(node.child_begin(), node.child_end(), [](const clang::Stmt* child) {
    return child != nullptr && has_jumps(*child);
  });
}

/// Whether nothing after the statement is reached, as far as it shows.
bool always_ends(const FileContext& context, const clang::Stmt& node, int depth) {
  const auto ends = [&](const clang::Stmt* part) {
    return part != nullptr && always_ends(context, *part, depth);
  };
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node)) {
    return std::any_of(block->body_begin(), block->body_end(), ends);
  }
  if (const auto* choice = llvm::dyn_cast<clang::IfStmt>(&node)) {
    return ends(choice->getThen()) && ends(choice->getElse());
  }
  if (const auto* attempt = llvm::dyn_cast<clang::CXXTryStmt>(&node)) {
    bool all_end = ends(attempt->getTryBlock());
    for (unsigned i = 0; i < attempt->getNumHandlers(); ++i) {
      all_end = all_end && ends(attempt->getHandler(i)->getHandlerBlock());
    }
    return all_end;
  }
  const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
  if (expression == nullptr) return false;
  const clang::Expr& written = strip_wrappers(*expression);
  if (llvm::isa<clang::CXXThrowExpr>(written)) return true;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&written);
  return call != nullptr && never_returns_at(context, *call, depth);
}

bool never_returns_at(const FileContext& context, const clang::CallExpr& call, int depth) {
  const clang::FunctionDecl* function = called_function(call);
  if (function != nullptr && function->isNoReturn()) return true;
  if (is_raise(called_name(*call.getCallee()))) return true;
  // `app` may have a type that is not known.
  const auto use = member_use(call);
  if (use && use->name == "raise" && use->object->isTypeDependent()) return true;
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  if (function == nullptr || (method != nullptr && method->isVirtual()) || depth == kMaxCalls) {
    return false;
  }
  const clang::Stmt* body = pattern_of(*function).getBody();
  const auto is_of_body = [&](const ErrorCollector::Error& error) {
    return belongs_to(context, body->getSourceRange(), error);
  };
  return body != nullptr && is_read(context, *function, *body) &&
         condition_around(context, function->getLocation()) == nullptr &&
         condition_in(context, body->getSourceRange()) == nullptr &&
         std::ranges::none_of(context.errors.errors(), is_of_body) && !has_jumps(*body) &&
         always_ends(context, *body, depth + 1);
}

}  // namespace

bool never_returns(const FileContext& context, const clang::CallExpr& call) {
  return never_returns_at(context, call, 0);
}

}  // namespace fairway::frontend
