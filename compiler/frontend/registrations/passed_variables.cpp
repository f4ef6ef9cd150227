#include "frontend/registrations/passed_variables.hpp"

#include "frontend/tree/type_queries.hpp"
#include "frontend/tree/views.hpp"

namespace fairway::frontend {
namespace {

/// Functions of the standard library that leave the content where it is.
bool only_reads(const clang::FunctionDecl& function) {
  constexpr llvm::StringLiteral kNames[] = {
      "as_const",  "begin",         "cbegin",           "cref", "data",   "empty",
      "end",       "back_inserter", "forward_as_tuple", "get",  "get_if", "inserter",
      "make_pair", "make_tuple",    "rbegin",           "rend", "size",   "ssize",
      "tie"};
  return function.isInStdNamespace() && function.getDeclName().isIdentifier() &&
         llvm::is_contained(kNames, function.getName());
}

/// The framework and its JSON copy what they keep, unless the argument is of std::move. So do the
/// constructors of the standard library.
bool copies(const clang::FunctionDecl& function) {
  return is_in_namespace(function, "fw") || is_in_namespace(function, "nlohmann");
}

/// Whether a member function may move the content of its object.
bool takes_content(const clang::CXXMethodDecl& method) {
  if (method.isConst() || method.isStatic() || method.getParent()->isLambda()) return false;
  if (!is_in_namespace(method, "std") && !is_in_namespace(method, "__gnu_cxx")) return true;
  return method.getDeclName().isIdentifier() &&
         (method.getName() == "swap" || method.getName() == "extract");
}

/// Algorithms that get iterators, and may move the elements.
bool takes_elements(const clang::FunctionDecl& function) {
  constexpr llvm::StringLiteral kNames[] = {"for_each", "make_move_iterator", "move",
                                            "move_backward", "swap_ranges"};
  return function.isInStdNamespace() && function.getDeclName().isIdentifier() &&
         llvm::is_contained(kNames, function.getName());
}

bool names_temporary(const clang::Expr& argument) {
  const clang::Expr* e = argument.IgnoreParens();
  while (const auto* cast = llvm::dyn_cast<clang::CastExpr>(e)) {
    e = cast->getSubExpr()->IgnoreParens();
  }
  return llvm::isa<clang::MaterializeTemporaryExpr>(e);
}

}  // namespace

void PassedVariables::add_from(const clang::Stmt& node) {
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) return add_from_call(*call);
  const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node);
  if (construct == nullptr || copies(*construct->getConstructor()) ||
      is_in_namespace(*construct->getConstructor(), "std")) {
    return;
  }
  const auto parameters = construct->getConstructor()->parameters();
  for (unsigned index = 0; index < construct->getNumArgs() && index < parameters.size(); ++index) {
    add_argument(*construct->getArg(index), parameters[index]->getType());
  }
}

void PassedVariables::add_from_call(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr) {  // a pointer to a function, or a function that is not known yet
    for (const clang::Expr* argument : call.arguments()) {
      add_argument(*argument, {});
    }
    return;
  }
  if (only_reads(*callee) || copies(*callee)) return;
  if (takes_elements(*callee)) {
    for (const clang::Expr* argument : call.arguments()) add_all(*argument);
    return;
  }
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call);
  const bool is_operator = method != nullptr && llvm::isa<clang::CXXOperatorCallExpr>(call);
  const clang::Expr* object = member != nullptr ? member->getImplicitObjectArgument()
                              : is_operator && call.getNumArgs() > 0 ? call.getArg(0)
                                                                     : nullptr;
  if (object != nullptr && method != nullptr && takes_content(*method)) {
    if (!object->getType().isConstQualified()) add_all(*object);
  }
  const unsigned first = is_operator ? 1 : 0;
  for (unsigned index = first; index < call.getNumArgs(); ++index) {
    const unsigned parameter = index - first;
    add_argument(*call.getArg(index), parameter < callee->getNumParams()
                                          ? callee->getParamDecl(parameter)->getType()
                                          : clang::QualType());
  }
}

void PassedVariables::add_argument(const clang::Expr& argument, clang::QualType parameter) {
  const clang::QualType type = argument.getType();
  const bool is_by_reference = parameter.isNull() || parameter->isReferenceType();
  const bool is_constant =
      type.isConstQualified() ||
      (!parameter.isNull() && parameter.getNonReferenceType().isConstQualified());
  if (argument.isGLValue() && is_by_reference) {
    if (!is_constant && !names_temporary(argument)) add_all(argument);
    return;
  }
  // A pointer, a view or an iterator through which an object with content can be modified.
  const bool is_to_object = type->isPointerType() && !type->getPointeeType().isConstQualified() &&
                            type->getPointeeType()->isRecordType();
  if (is_to_object) add_all(argument);
}

void PassedVariables::add_all(const clang::Stmt& expression) {
  if (llvm::isa<clang::LambdaExpr>(expression)) return;  // its body is read as well
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression)) {
    add(*reference->getDecl());
  }
  for (const clang::Stmt* child : expression.children()) {
    if (child != nullptr) add_all(*child);
  }
}

void PassedVariables::add(const clang::ValueDecl& variable) {
  if (!variables_.insert(&variable).second) return;
  if (const auto* binding = llvm::dyn_cast<clang::BindingDecl>(&variable)) {
    if (binding->getDecomposedDecl() != nullptr) add(*binding->getDecomposedDecl());
    return;
  }
  const auto* declared = llvm::dyn_cast<clang::VarDecl>(&variable);
  if (declared == nullptr || declared->getInit() == nullptr) return;
  const bool refers = declared->getType()->isReferenceType() || is_view(declared->getType());
  if (refers) add_all(*declared->getInit());
}

}  // namespace fairway::frontend
