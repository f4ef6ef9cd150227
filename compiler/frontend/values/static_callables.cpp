// Callables. For a member that takes a function, only its presence is recorded.
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_context.hpp"

namespace fairway::frontend::statics {
namespace {

/// A conversion that calls a function of the user.
bool is_foreign_conversion(const clang::CastExpr& cast) {
  if (cast.getCastKind() != clang::CK_UserDefinedConversion) return false;
  const auto* member =
      llvm::dyn_cast<clang::CXXMemberCallExpr>(cast.getSubExpr()->IgnoreImplicit());
  if (member == nullptr) return false;
  const clang::CXXRecordDecl* owner = member->getRecordDecl();
  return owner != nullptr && !owner->isInStdNamespace() && !is_in_namespace(*owner, "fw") &&
         !is_in_namespace(*owner, "nlohmann");
}

/// Looks through the conversion of a function to `std::function`.
bool is_empty(const clang::Expr& expression, int depth) {
  const clang::Expr& e = strip_wrappers(*without_wrappers(&expression));
  if (llvm::isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::CXXScalarValueInitExpr,
                clang::ImplicitValueInitExpr>(e)) {
    return true;
  }
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&e)) {
    if (list->getType()->isRecordType()) return false;  // an object that can be called
    return list->getNumInits() == 0 ||
           (list->getNumInits() == 1 && is_empty(*list->getInit(0), depth));
  }
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
    if (!is_std_type(construct->getType(), {"function"})) return false;
    return construct->getNumArgs() == 0 ||
           llvm::isa<clang::CXXDefaultArgExpr>(construct->getArg(0)) ||
           is_empty(*construct->getArg(0), depth);
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  const auto* variable =
      reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  const clang::Expr* initialiser = variable == nullptr ? nullptr : variable->getAnyInitializer();
  return initialiser != nullptr && depth < kMaxNames && variable->getType().isConstQualified() &&
         is_empty(*initialiser, depth + 1);
}

}  // namespace

const clang::Expr* without_wrappers(const clang::Expr* e) {
  while (true) {
    if (const auto* full = llvm::dyn_cast<clang::FullExpr>(e)) {
      e = full->getSubExpr();
    } else if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e)) {
      e = temporary->getSubExpr();
    } else if (const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(e)) {
      e = bound->getSubExpr();
    } else if (const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(e)) {
      e = list->getSubExpr();
    } else if (const auto* parenthesised = llvm::dyn_cast<clang::ParenExpr>(e)) {
      e = parenthesised->getSubExpr();
    } else if (const auto* parameter = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e);
               parameter != nullptr && !parameter->getAssociatedDecl()->isInStdNamespace()) {
      e = parameter->getReplacement();
    } else if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(e);
               cast != nullptr && !is_duration(cast->getType()) && !is_foreign_conversion(*cast)) {
      e = cast->getSubExpr();
    } else {
      return e;
    }
  }
}

bool is_callable(clang::QualType type) {
  if (type.isNull()) return false;
  type = type.getNonReferenceType();
  return is_lambda_type(type) || is_std_type(type, {"function"}) || type->isFunctionPointerType() ||
         type->isFunctionType();
}

Value callable(const clang::Expr& e) {
  Value value;
  if (!is_empty(e, 0)) value.kind = Value::Kind::function;
  return value;
}

}  // namespace fairway::frontend::statics
