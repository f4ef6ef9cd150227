#include "frontend/handlers/caught_errors.hpp"

#include <clang/AST/CXXInheritance.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/errors/lost_statements.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

enum class Match { never, perhaps, always };

bool is_http_error_itself(const clang::CXXRecordDecl& record) {
  return record.getQualifiedNameAsString() == "fw::HttpError";
}

/// Whether `catch` with the class `caught` takes an exception of the class `type`.
Match match(const clang::CXXRecordDecl& caught, const clang::CXXRecordDecl& type) {
  if (caught.getCanonicalDecl() == type.getCanonicalDecl()) return Match::always;
  clang::CXXBasePaths paths;
  if (!type.hasDefinition() || !caught.hasDefinition()) return Match::perhaps;
  if (!type.isDerivedFrom(&caught, paths)) return Match::never;
  const clang::QualType base = caught.getASTContext().getRecordType(&caught);
  const bool is_usable =
      !paths.isAmbiguous(base->getCanonicalTypeUnqualified()) &&
      std::ranges::any_of(paths, [](const auto& path) { return path.Access == clang::AS_public; });
  return is_usable ? Match::always : Match::perhaps;
}

Match match(const clang::CXXCatchStmt& handler, const clang::CXXRecordDecl* type) {
  if (handler.getExceptionDecl() == nullptr) return Match::always;
  const clang::QualType written = handler.getCaughtType();
  if (written.isNull() || written->isDependentType()) return Match::perhaps;
  const auto* caught = record_of(written);
  if (caught == nullptr) return Match::never;
  if (type != nullptr) return match(*caught, *type);
  if (is_http_error_itself(*caught)) return Match::always;
  // A class that is derived from HttpError may have other bases.
  const auto* definition = caught->getDefinition();
  const bool is_base = definition != nullptr && caught->isInStdNamespace() &&
                       (caught->getName() == "exception" || caught->getName() == "runtime_error");
  return is_base ? Match::always : Match::perhaps;
}

/// Functions of the standard library that raise the exception again, or give it to others.
constexpr std::array<llvm::StringLiteral, 4> kPassing = {
    "std::current_exception", "std::rethrow_exception", "std::throw_with_nested",
    "std::rethrow_if_nested"};

/// Whether objects of the class have the exception that is being handled.
bool keeps_exception(const clang::CXXRecordDecl& type) {
  if (type.getQualifiedNameAsString() == "std::nested_exception") return true;
  return type.hasDefinition() &&
         std::ranges::any_of(type.getDefinition()->bases(), [](const auto& base) {
           const auto* parent = record_of(base.getType());
           return parent != nullptr && keeps_exception(*parent);
         });
}

constexpr int kMaxCallsInHandler = 8;

/// Finds out whether a `catch` block may raise its exception again, or pass on more than its
/// message: another error may have its status or its code, also after the block.
class CatchReader {
 public:
  CatchReader(const FileContext& context, const clang::VarDecl* exception)
      : context_(context), exception_(exception) {}

  bool passes_on(const clang::Stmt& block) {
    visit(block, 0);
    return passes_on_;
  }

 private:
  void visit(const clang::Stmt& node, int depth) {
    if (passes_on_) return;
    if (const auto* raised = llvm::dyn_cast<clang::CXXThrowExpr>(&node)) {
      passes_on_ = raised->getSubExpr() == nullptr;
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
               member != nullptr && is_exception(*member->getBase())) {
      return read(*member);
    } else if (is_exception(node)) {
      passes_on_ = true;
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      return visit_call(*call, depth);
    } else if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
      visit_constructor(*construct->getConstructor(), depth);
    } else if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node)) {
      for (const clang::Decl* each : declaration->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(each);
        if (variable != nullptr) visit_destructor(variable->getType(), depth);
      }
    } else if (llvm::isa<clang::CXXBindTemporaryExpr>(node)) {
      visit_destructor(llvm::cast<clang::Expr>(node).getType(), depth);
    } else if (const auto* broken = llvm::dyn_cast<clang::RecoveryExpr>(&node)) {
      const auto parts = broken->subExpressions();
      const std::string name = parts.empty() ? "" : called_name(*parts.front());
      passes_on_ = !llvm::StringRef(name).starts_with("fw::") || is_one_of(kPassing, name);
    } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
      // Other code may call a function that it gets.
      passes_on_ = llvm::isa<clang::FunctionDecl>(name->getDecl());
    }
    visit_parts(node, depth);
  }

  void visit_parts(const clang::Stmt& node, int depth) {
    const clang::Expr* by_default = default_of(node);
    if (by_default != nullptr && defaults_.insert(by_default).second) visit(*by_default, depth);
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) visit(*child, depth);
    }
  }

  void visit_call(const clang::CallExpr& call, int depth) {
    const std::string name = called_name(*call.getCallee());
    passes_on_ = is_one_of(kPassing, name);
    const clang::FunctionDecl* function = called_function(call);
    if (function == nullptr) {
      passes_on_ = true;
    } else {
      visit_function(*function, depth);
    }
    const clang::Expr& callee = strip_wrappers(*call.getCallee());
    if (!llvm::isa<clang::DeclRefExpr>(callee)) visit(callee, depth);
    for (const clang::Expr* argument : call.arguments()) visit(*argument, depth);
  }

  void visit_function(const clang::FunctionDecl& function, int depth) {
    const bool is_library = is_in_namespace(function, "fw") || is_in_namespace(function, "std") ||
                            function.getBuiltinID() != 0 ||
                            context_.at.sources().isInSystemHeader(function.getLocation());
    if (is_library) {
      // It may call any function.
      const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
      passes_on_ = passes_on_ ||
                   (method != nullptr &&
                    is_std_type(context_.ast.getRecordType(method->getParent()), {"function"}) &&
                    method->getOverloadedOperator() == clang::OO_Call);
      return;
    }
    const clang::FunctionDecl& pattern = pattern_of(function);
    const clang::Stmt* body = pattern.getBody();
    if (body == nullptr || may_be_overridden(function) || depth == kMaxCallsInHandler) {
      passes_on_ = true;
    } else if (visited_.insert(&pattern).second) {
      visit_members(pattern, depth);
      visit(*body, depth + 1);
    }
  }

  void visit_constructor(const clang::CXXConstructorDecl& constructor, int depth) {
    if (keeps_exception(*constructor.getParent())) {
      passes_on_ = true;
      return;
    }
    if (constructor.isUserProvided()) return visit_function(constructor, depth);
    if (visited_.insert(&constructor).second) visit_members(constructor, depth);
  }

  /// Of the object, its members and its bases.
  void visit_destructor(clang::QualType type, int depth) {
    const auto* record = context_.ast.getBaseElementType(type)->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition() || !destroyed_.insert(record).second ||
        context_.at.sources().isInSystemHeader(record->getLocation())) {
      return;
    }
    const clang::CXXDestructorDecl* destructor = record->getDestructor();
    if (destructor != nullptr && destructor->isUserProvided()) {
      // Few may raise an exception.
      const bool is_seen = pattern_of(*destructor).getBody() != nullptr;
      if (is_seen || destructor->getExceptionSpecType() == clang::EST_NoexceptFalse) {
        visit_function(*destructor, depth);
      }
    }
    for (const clang::FieldDecl* each : record->getDefinition()->fields()) {
      visit_destructor(each->getType(), depth);
    }
    for (const clang::CXXBaseSpecifier& each : record->getDefinition()->bases()) {
      visit_destructor(each.getType(), depth);
    }
  }

  void visit_members(const clang::FunctionDecl& function, int depth) {
    const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function);
    if (constructor == nullptr) return;
    for (const clang::CXXCtorInitializer* each : constructor->inits()) {
      if (each->getInit() != nullptr) visit(*each->getInit(), depth + 1);
    }
  }

  void read(const clang::MemberExpr& member) {
    const clang::NamedDecl& declared = *member.getMemberDecl();
    passes_on_ = !declared.getDeclName().isIdentifier() || declared.getName() != "what";
  }

  bool is_exception(const clang::Stmt& node) const {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
    const auto* name = expression == nullptr
                           ? nullptr
                           : llvm::dyn_cast<clang::DeclRefExpr>(&strip_wrappers(*expression));
    return name != nullptr && exception_ != nullptr && name->getDecl() == exception_;
  }

  const FileContext& context_;
  const clang::VarDecl* exception_;
  std::set<const clang::FunctionDecl*> visited_;
  std::set<const clang::CXXRecordDecl*> destroyed_;  ///< whose destructors have been visited
  std::set<const clang::Expr*> defaults_;            ///< that have been visited
  bool passes_on_ = false;
};

}  // namespace

bool is_error_class(const clang::CXXRecordDecl* type) {
  if (type == nullptr || !type->hasDefinition()) return false;
  constexpr std::array<llvm::StringLiteral, 2> kClasses = {"HttpError", "ValidationError"};
  return std::ranges::any_of(kClasses, [&](llvm::StringRef name) {
    const auto* known = framework_class(type->getASTContext(), name);
    return known != nullptr && match(*known, *type) == Match::always;
  });
}

bool is_object_of_error(const clang::Expr& expression) {
  const auto* type = record_of(expression.getType());
  if (type == nullptr) return false;
  const bool is_pointer = type->getName() == "exception_ptr" && is_in_namespace(*type, "std");
  return is_pointer || is_error_class(type);
}

bool may_hold_error(clang::QualType type) {
  const auto* special =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record_of(type));
  if (special == nullptr || !is_std_type(type, {"unique_ptr", "shared_ptr", "optional"})) {
    return false;
  }
  const clang::QualType held = type_argument(*special, 0);
  return !held.isNull() && is_error_class(record_of(held));
}

const clang::Expr* default_of(const clang::Stmt& node) {
  if (const auto* argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(&node)) {
    return argument->getExpr();
  }
  const auto* member = llvm::dyn_cast<clang::CXXDefaultInitExpr>(&node);
  return member == nullptr ? nullptr : member->getExpr();
}

bool CaughtErrors::ends(const clang::CXXTryStmt& attempt, const clang::CXXRecordDecl* type) {
  if (condition_in(context_, attempt.getSourceRange()) != nullptr) return false;
  for (unsigned i = 0; i < attempt.getNumHandlers(); ++i) {
    const clang::CXXCatchStmt& handler = *attempt.getHandler(i);
    const Match takes = match(handler, type);
    if (takes == Match::never) continue;
    if (!ends(handler)) return false;
    if (takes == Match::always) return true;
  }
  return false;
}

bool CaughtErrors::ends(const clang::CXXCatchStmt& handler) {
  const auto [known, is_new] = known_.try_emplace(&handler, false);
  if (!is_new) return known->second;
  const clang::Stmt& block = *handler.getHandlerBlock();
  const bool ends = !has_lost_words(context_, block) &&
                    !CatchReader(context_, handler.getExceptionDecl()).passes_on(block);
  known_[&handler] = ends;
  return ends;
}

}  // namespace fairway::frontend
