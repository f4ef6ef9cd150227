#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// The object and the name in `object.name`.
bool name_member(MemberUse& use, const clang::Expr* callee) {
  if (callee == nullptr) return false;
  const clang::Expr* e = callee->IgnoreParens();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(e)) {
    use.object = member->getBase();
    use.name = member->getMemberDecl()->getNameAsString();
  } else if (const auto* overloads = llvm::dyn_cast<clang::UnresolvedMemberExpr>(e);
             overloads != nullptr && !overloads->isImplicitAccess()) {
    use.object = overloads->getBase();
    use.name = overloads->getMemberName().getAsString();
  } else if (const auto* dependent = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(e);
             dependent != nullptr && !dependent->isImplicitAccess()) {
    use.object = dependent->getBase();
    use.name = dependent->getMember().getAsString();
  }
  return use.object != nullptr;
}

}  // namespace

std::optional<MemberUse> member_use(const clang::Stmt& node) {
  MemberUse use;
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node)) {
    use = {subscript->getLHS(), "[]", {subscript->getRHS()}};
    return use;
  }
  if (const auto* operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node)) {
    if (operation->getOperator() != clang::OO_Subscript || operation->getNumArgs() != 2) {
      return std::nullopt;
    }
    use = {operation->getArg(0), "[]", {operation->getArg(1)}};
    return use;
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
    if (!name_member(use, call->getCallee())) return std::nullopt;
    for (const clang::Expr* argument : call->arguments()) {
      if (!llvm::isa<clang::CXXDefaultArgExpr>(argument)) use.arguments.push_back(argument);
    }
    return use;
  }
  if (const auto* broken = llvm::dyn_cast<clang::RecoveryExpr>(&node)) {
    const auto parts = broken->subExpressions();
    if (parts.empty() || !name_member(use, parts.front())) return std::nullopt;
    use.arguments.append(parts.begin() + 1, parts.end());
    return use;
  }
  return std::nullopt;
}

std::string called_name(const clang::Expr& callee) {
  const clang::Expr* e = callee.IgnoreParenImpCasts();
  if (const auto* overloads = llvm::dyn_cast<clang::OverloadExpr>(e)) {
    if (overloads->getNumDecls() == 0) return "";
    return (*overloads->decls_begin())->getUnderlyingDecl()->getQualifiedNameAsString();
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(e)) {
    return member->getMemberDecl()->getQualifiedNameAsString();
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  return name == nullptr ? "" : name->getDecl()->getQualifiedNameAsString();
}

const clang::FunctionDecl* called_function(const clang::CallExpr& call) {
  if (const clang::FunctionDecl* function = call.getDirectCallee()) return function;
  const auto* overloads = llvm::dyn_cast<clang::OverloadExpr>(call.getCallee()->IgnoreParens());
  if (overloads == nullptr || overloads->getNumDecls() != 1) return nullptr;
  return (*overloads->decls_begin())->getUnderlyingDecl()->getAsFunction();
}

bool takes(const clang::FunctionDecl& function, std::size_t arguments) {
  const bool is_open =
      function.isVariadic() ||
      llvm::any_of(function.parameters(), [](const auto* each) { return each->isParameterPack(); });
  return function.getMinRequiredArguments() <= arguments &&
         (is_open || arguments <= function.getNumParams());
}

bool may_be_overridden(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr && method->isVirtual() && !method->hasAttr<clang::FinalAttr>() &&
         !method->getParent()->isEffectivelyFinal();
}

}  // namespace fairway::frontend
