#include "frontend/handlers/reassigned_variable.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/SmallPtrSet.h>

#include <algorithm>
#include <array>
#include <utility>

#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// Finds the names of the variable in places where its value is neither read, copied nor called: it
/// is assigned there, or code gets a reference or a pointer with which it may do so.
class AssignmentFinder : public clang::RecursiveASTVisitor<AssignmentFinder> {
 public:
  explicit AssignmentFinder(const clang::VarDecl& variable) : variable_(variable) {}

  bool found() const {
    return std::any_of(uses_.begin(), uses_.end(),
                       [&](const auto* each) { return !reads_.contains(each); });
  }

  bool VisitDeclRefExpr(const clang::DeclRefExpr* node) {
    // A copy in a lambda is const.
    if (node->getDecl() == &variable_ && !node->getType().isConstQualified()) uses_.insert(node);
    return true;
  }
  bool VisitInitListExpr(clang::InitListExpr* node) {
    const clang::InitListExpr* whole = node->getSemanticForm();
    // Only in this form are members copied.
    for (unsigned i = 0; whole != nullptr && i < whole->getNumInits(); ++i) {
      if (whole->getInit(i) != nullptr) {
        TraverseStmt(const_cast<clang::Expr*>(
            whole->getInit(i)));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
      }
    }
    return true;
  }
  bool VisitImplicitCastExpr(const clang::ImplicitCastExpr* node) {
    const bool is_const =
        node->getCastKind() == clang::CK_NoOp && node->getType().isConstQualified();
    if (is_const || node->getCastKind() == clang::CK_LValueToRValue) note_read(node->getSubExpr());
    return true;
  }
  bool VisitExplicitCastExpr(const clang::ExplicitCastExpr* node) {
    if (node->getCastKind() == clang::CK_ToVoid) note_read(node->getSubExpr());
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr* node) {
    note_read(node->getCallee());
    // Others get it as const, call it, copy it, or take its value.
    constexpr std::array<llvm::StringLiteral, 4> kReading = {"std::as_const", "std::invoke",
                                                             "std::bind_front", "std::move"};
    if (node->getNumArgs() > 0 && is_one_of(kReading, called_name(*node->getCallee()))) {
      note_read(node->getArg(0));
    }
    return true;
  }
  bool VisitCXXConstructExpr(const clang::CXXConstructExpr* node) {
    // Its constructor takes any callable by a forwarding reference, and copies it.
    if (node->getNumArgs() == 1 && is_std_type(node->getType(), {"function"})) {
      note_read(node->getArg(0));
    }
    return true;
  }
  bool VisitReturnStmt(const clang::ReturnStmt* node) {
    const clang::Expr* returned = node->getRetValue();
    if (returned != nullptr && returned->isPRValue()) {
      note_read(&strip_wrappers(*returned->IgnoreUnlessSpelledInSource()));
    }
    return true;
  }
  bool VisitLambdaExpr(const clang::LambdaExpr* node) {
    // What the body does with a captured variable is visited in the body.
    auto initialiser = node->capture_init_begin();
    for (const clang::LambdaCapture& capture : node->captures()) {
      if (capture.capturesVariable() && !node->isInitCapture(&capture)) note_read(*initialiser);
      ++initialiser;
    }
    return true;
  }
  bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc) { return true; }

 private:
  void note_read(const clang::Expr* expression) {
    if (expression == nullptr) return;
    expression = expression->IgnoreParens();
    if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
      note_read(choice->getTrueExpr());
      note_read(choice->getFalseExpr());
    } else if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
      reads_.insert(reference);
    }
  }

  const clang::VarDecl& variable_;
  llvm::SmallPtrSet<const clang::DeclRefExpr*, 8> uses_;
  llvm::SmallPtrSet<const clang::DeclRefExpr*, 8> reads_;
};

/// Finds calls that may change the variable.
class ChangeFinder : public clang::RecursiveASTVisitor<ChangeFinder> {
 public:
  explicit ChangeFinder(const clang::VarDecl& variable) : variable_(variable) {}

  LaterValues take() { return std::move(found_); }

  bool VisitCallExpr(const clang::CallExpr* node) {
    const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(node);
    const auto* operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(node);
    const bool is_assignment = operation != nullptr && operation->isAssignmentOp();
    const clang::Expr* object = member != nullptr ? member->getImplicitObjectArgument()
                                : is_assignment   ? operation->getArg(0)
                                                  : nullptr;
    const llvm::ArrayRef<const clang::Expr*> arguments(node->getArgs(), node->getNumArgs());
    if (object != nullptr && names_variable(*object)) {
      for (const clang::Expr* each : arguments.drop_front(is_assignment ? 1 : 0)) {
        found_.values.push_back(each);
      }
      return true;
    }
    const clang::FunctionDecl* function = called_function(*node);
    const bool is_library = function != nullptr && is_in_namespace(*function, "std");
    if (is_library || operation != nullptr) return true;
    for (const clang::Expr* each : arguments) {
      const bool is_given = each->isGLValue() && !each->getType().isConstQualified();
      if (is_given && is_variable(*each)) found_.may_have_others = true;
    }
    return true;
  }

 private:
  bool is_variable(const clang::Expr& expression) const {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&strip_wrappers(expression));
    return name != nullptr && name->getDecl() == &variable_;
  }
  bool names_variable(const clang::Stmt& node) const {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    if (name != nullptr && name->getDecl() == &variable_) return true;
    return std::any_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
      return child != nullptr && names_variable(*child);
    });
  }

  const clang::VarDecl& variable_;
  LaterValues found_;
};

/// Visits where the file may use the variable.
template <class Finder>
void find_uses(const FileContext& context, const clang::VarDecl& variable, Finder& finder) {
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext())) {
    if (function->getBody() != nullptr) finder.TraverseStmt(function->getBody());
    return;
  }
  // Declarations of a precompiled header are left out.
  for (clang::Decl* declaration : context.ast.getTranslationUnitDecl()->noload_decls()) {
    if (context.at.in_main_file(declaration->getLocation())) finder.TraverseDecl(declaration);
  }
}

}  // namespace

bool may_be_reassigned(const FileContext& context, const clang::VarDecl& variable) {
  if (variable.getType().isConstQualified() || variable.getType()->isReferenceType()) return false;
  AssignmentFinder finder(variable);
  find_uses(context, variable, finder);
  return finder.found();
}

LaterValues later_values(const FileContext& context, const clang::VarDecl& variable) {
  ChangeFinder finder(variable);
  find_uses(context, variable, finder);
  return finder.take();
}

}  // namespace fairway::frontend
