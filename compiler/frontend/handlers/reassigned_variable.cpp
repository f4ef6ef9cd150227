#include "frontend/handlers/reassigned_variable.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include "frontend/tree/registration_call.hpp"

namespace fairway::frontend {
namespace {

class AssignmentFinder : public clang::RecursiveASTVisitor<AssignmentFinder> {
 public:
  explicit AssignmentFinder(const clang::VarDecl& variable) : variable_(variable) {}

  bool found() const { return found_; }

  bool VisitBinaryOperator(const clang::BinaryOperator* node) {
    return note(node->isAssignmentOp() && names(node->getLHS()));
  }
  bool VisitUnaryOperator(const clang::UnaryOperator* node) {
    return note(node->getOpcode() == clang::UO_AddrOf && names(node->getSubExpr()));
  }
  bool VisitCXXMemberCallExpr(const clang::CXXMemberCallExpr* node) {
    const clang::CXXMethodDecl* method = node->getMethodDecl();
    return note(method != nullptr && !method->isConst() &&
                names(node->getImplicitObjectArgument()));
  }
  bool VisitCallExpr(const clang::CallExpr* node) {
    const clang::FunctionDecl* function = node->getDirectCallee();
    if (function == nullptr) return true;
    const bool has_object =
        llvm::isa<clang::CXXOperatorCallExpr>(node) && llvm::isa<clang::CXXMethodDecl>(function);
    if (has_object && !llvm::cast<clang::CXXMethodDecl>(function)->isConst() &&
        !note(names(node->getArg(0)))) {
      return false;
    }
    const unsigned first = has_object ? 1 : 0;
    for (unsigned i = first; i < node->getNumArgs() && i - first < function->getNumParams(); ++i) {
      const clang::QualType type = function->getParamDecl(i - first)->getType();
      if (!note(changes(type) && names(node->getArg(i)))) return false;
    }
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl* other) {
    return note(other != &variable_ && changes(other->getType()) && names(other->getInit()));
  }

 private:
  static bool changes(clang::QualType type) {
    return type->isLValueReferenceType() && !type.getNonReferenceType().isConstQualified();
  }

  bool names(const clang::Expr* expression) const {
    if (expression == nullptr) return false;
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&strip_wrappers(*expression));
    return reference != nullptr && reference->getDecl() == &variable_;
  }

  /// Whether to continue.
  bool note(bool is_changed) {
    found_ = found_ || is_changed;
    return !found_;
  }

  const clang::VarDecl& variable_;
  bool found_ = false;
};

}  // namespace

bool may_be_reassigned(const FileContext& context, const clang::VarDecl& variable) {
  if (variable.getType().isConstQualified() || variable.getType()->isReferenceType()) return false;
  AssignmentFinder finder(variable);
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext())) {
    if (function->getBody() != nullptr) finder.TraverseStmt(function->getBody());
    return finder.found();
  }
  // Declarations of a precompiled header are left out.
  for (clang::Decl* declaration : context.ast.getTranslationUnitDecl()->noload_decls()) {
    if (finder.found()) break;
    if (context.at.in_main_file(declaration->getLocation())) finder.TraverseDecl(declaration);
  }
  return finder.found();
}

}  // namespace fairway::frontend
