#include "frontend/tree/registration_call.hpp"

#include <clang/AST/ExprCXX.h>

#include "frontend/tree/type_queries.hpp"
#include "model/registration_words.hpp"

namespace fairway::frontend {
namespace {

bool name_method(RegistrationCall& call, const clang::DeclarationName& name) {
  if (!name.isIdentifier()) return false;
  for (const model::RegistrationMethod& method : model::kRegistrationMethods) {
    if (name.getAsIdentifierInfo() != nullptr &&
        name.getAsIdentifierInfo()->getName() == llvm::StringRef(method.function)) {
      call.function = method.function;
      call.method = method.http;
      return true;
    }
  }
  return false;
}

/// `app.socket` of a call whose arguments do not fit: it has one overload only.
bool name_only(RegistrationCall& call, const clang::Expr& callee) {
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&callee);
  if (member == nullptr || member->isImplicitAccess()) return false;
  const clang::QualType object = member->getBase()->getType();
  if (!is_router(member->isArrow() ? object->getPointeeType() : object)) return false;
  call.object = member->getBase();
  call.name = member->getMemberLoc();
  return name_method(call, member->getMemberDecl()->getDeclName());
}

bool name_unresolved(RegistrationCall& call, const clang::Expr* callee) {
  if (callee != nullptr && name_only(call, *callee->IgnoreParens())) return true;
  const auto* member = callee == nullptr
                           ? nullptr
                           : llvm::dyn_cast<clang::UnresolvedMemberExpr>(callee->IgnoreParens());
  if (member == nullptr || member->isImplicitAccess() || !is_router(member->getBaseType())) {
    return false;
  }
  call.object = member->getBase();
  call.name = member->getMemberLoc();
  return name_method(call, member->getMemberName());
}

const clang::StringLiteral* first_string(const clang::Stmt& node) {
  if (const auto* literal = llvm::dyn_cast<clang::StringLiteral>(&node)) return literal;
  for (const clang::Stmt* child : node.children()) {
    if (child == nullptr) continue;
    if (const auto* found = first_string(*child)) return found;
  }
  return nullptr;
}

}  // namespace

std::optional<RegistrationCall> registration_call(const clang::Stmt& node) {
  RegistrationCall result;
  result.expression = llvm::dyn_cast<clang::Expr>(&node);
  if (const auto* member_call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node)) {
    const clang::CXXMethodDecl* method = member_call->getMethodDecl();
    if (method != nullptr) {
      if (method->getParent()->getQualifiedNameAsString() != "fw::Router" ||
          !name_method(result, method->getDeclName())) {
        return std::nullopt;
      }
      result.object = member_call->getImplicitObjectArgument();
      result.name = member_call->getExprLoc();
      result.resolved = true;
      result.arguments.append(member_call->arg_begin(), member_call->arg_end());
      return result;
    }
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
    if (!name_unresolved(result, call->getCallee())) return std::nullopt;
    result.arguments.append(call->arg_begin(), call->arg_end());
    return result;
  }
  if (const auto* broken = llvm::dyn_cast<clang::RecoveryExpr>(&node)) {
    const auto parts = broken->subExpressions();
    if (parts.empty() || !name_unresolved(result, parts.front())) return std::nullopt;
    for (const clang::Expr* part : parts.drop_front()) result.arguments.push_back(part);
    return result;
  }
  return std::nullopt;
}

const clang::Expr& strip_wrappers(const clang::Expr& expression) {
  const clang::Expr* e = &expression;
  while (true) {
    const clang::Expr* before = e;
    e = e->IgnoreParenImpCasts();
    if (const auto* full = llvm::dyn_cast<clang::FullExpr>(e)) e = full->getSubExpr();
    if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e)) {
      e = temporary->getSubExpr();
    }
    if (const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(e)) e = bound->getSubExpr();
    if (e == before) return *e;
  }
}

std::string route_hint(const RegistrationCall& call) {
  if (call.arguments.empty()) return {};
  const auto* text = first_string(*call.arguments.front());
  return text != nullptr && text->getCharByteWidth() == 1 ? text->getString().str() : std::string();
}

}  // namespace fairway::frontend
