#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>

#include "frontend/file_reading.hpp"

namespace fairway::frontend {
namespace {

/// The first value that the function returns, ignoring nested lambdas.
const clang::Expr* returned_value(const clang::Stmt& node) {
  if (llvm::isa<clang::LambdaExpr>(node)) return nullptr;
  if (const auto* statement = llvm::dyn_cast<clang::ReturnStmt>(&node)) {
    return statement->getRetValue();
  }
  for (const clang::Stmt* child : node.children()) {
    if (child == nullptr) continue;
    if (const auto* found = returned_value(*child)) return found;
  }
  return nullptr;
}

}  // namespace

void check_handler_result(FileContext& context, const RegistrationCall& call) {
  const auto functions = handler_functions(context, *call.arguments.back());
  if (functions.size() != 1) return;
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = functions.front()->getBody(defined);
  if (body == nullptr || defined->getNumParams() != 2) return;
  const clang::ParmVarDecl& response = *defined->getParamDecl(1);
  if (response.isReferenced()) return;
  const clang::Expr* value = returned_value(*body);
  if (value == nullptr || value->getType()->isVoidType() || value->containsErrors() ||
      value->isTypeDependent()) {
    return;
  }
  const clang::QualType type = value->getType().getUnqualifiedType();
  auto& diagnostic = context.report(model::rules::handler_returns_value,
                                    fmt::format("the handler returns '{}' and sends no response",
                                                type.getAsString(context.ast.getPrintingPolicy())),
                                    context.at.of(*value));
  diagnostic.method = call.method;
  diagnostic.route = route_hint(call);
  diagnostic.help =
      fmt::format("the return value of a handler is ignored: send it with '{}.json(…)'",
                  response.getName().empty() ? "res" : response.getNameAsString());
}

}  // namespace fairway::frontend
