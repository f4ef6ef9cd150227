#include "frontend/factory_captures.hpp"

#include <fmt/format.h>

#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// A reference that extends the lifetime of a temporary is like a variable.
bool holds_temporary(const clang::VarDecl& reference) {
  const clang::Expr* e = reference.getInit();
  while (e != nullptr) {
    if (const auto* full = llvm::dyn_cast<clang::FullExpr>(e)) {
      e = full->getSubExpr();
    } else if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(e)) {
      e = cast->getSubExpr();
    } else if (const auto* parentheses = llvm::dyn_cast<clang::ParenExpr>(e)) {
      e = parentheses->getSubExpr();
    } else {
      break;
    }
  }
  const auto* temporary = llvm::dyn_cast_or_null<clang::MaterializeTemporaryExpr>(e);
  return temporary != nullptr && temporary->getExtendingDecl() == &reference;
}

bool is_std_call(const clang::CallExpr& call, std::initializer_list<llvm::StringRef> names) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  return callee != nullptr && callee->isInStdNamespace() && callee->getDeclName().isIdentifier() &&
         llvm::is_contained(names, callee->getName());
}

/// Whether a copy of a value refers to what the value refers to.
bool is_view(clang::QualType type) {
  return type->isPointerType() || is_std_type(type, {"basic_string_view", "span"});
}

/// What a value of such a type is, for diagnostics.
const char* view_name(clang::QualType type) {
  return type->isPointerType() ? "a pointer to it" : "a view of it";
}

/// The object whose content a call returns a view of: `text.c_str()`, and the conversion of a
/// std::string to a std::string_view.
const clang::Expr* viewed_object(const clang::Expr& expression) {
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&expression);
  if (call == nullptr || call->getMethodDecl() == nullptr) return nullptr;
  const clang::CXXMethodDecl& method = *call->getMethodDecl();
  const bool gives_view = method.getParent()->isInStdNamespace() &&
                          (llvm::isa<clang::CXXConversionDecl>(method) ||
                           (method.getDeclName().isIdentifier() &&
                            (method.getName() == "c_str" || method.getName() == "data")));
  return gives_view && is_view(call->getType()) ? call->getImplicitObjectArgument() : nullptr;
}

bool reads(const clang::Stmt& parent) {
  const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&parent);
  return cast != nullptr &&
         (cast->getCastKind() == clang::CK_LValueToRValue || cast->getType().isConstQualified());
}

}  // namespace

FactoryCaptures::FactoryCaptures(FileContext& context, const clang::FunctionDecl& factory)
    : context_(context), factory_(factory) {
  if (const clang::Stmt* body = factory.getBody()) find_writes(*body);
}

void FactoryCaptures::check(const RegistrationCall& call) {
  call_ = &call;
  in_options_ = call.arguments.size() == 3;
  if (in_options_) value(*call.arguments[1], 0);
  in_options_ = false;
  value(*call.arguments.back(), 0);
}

/// Checks a value that is the handler or a part of it or of the options.
void FactoryCaptures::value(const clang::Expr& expression, int depth) {
  const clang::Expr& e = strip_wrappers(*strip_wrappers(expression).IgnoreParenCasts());
  if (const auto* closure = llvm::dyn_cast<clang::LambdaExpr>(&e)) return lambda(*closure, depth);
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    if (const auto* variable = own_variable(*reference->getDecl())) {
      initialiser_of(*variable, depth);
    }
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) {
    called(*call, depth);
  } else if (const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(&e)) {
    value(*list->getSubExpr(), depth);
  } else if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
    for (const clang::Expr* argument : construct->arguments()) value(*argument, depth);
  } else if (const auto* braces = llvm::dyn_cast<clang::InitListExpr>(&e)) {
    for (const clang::Expr* initialiser : braces->inits()) value(*initialiser, depth);
  }
}

/// Checks a value that a closure stores, such as a pointer to a local variable, or a view of it.
void FactoryCaptures::copy(const clang::Expr& expression, int depth) {
  if (!is_view(expression.getType())) return value(expression, depth);
  if (const Local local = object_at(expression, depth)) {
    report(local, strip_wrappers(expression).getSourceRange(), view_name(expression.getType()));
  }
}

void FactoryCaptures::copied_variable(const clang::ValueDecl& declaration,
                                      clang::SourceLocation use, int depth) {
  const auto* variable = own_variable(declaration);
  if (variable == nullptr || variable->getInit() == nullptr) return;
  if (!is_view(variable->getType())) return initialiser_of(*variable, depth);
  if (!keeps_its_value(*variable)) return;
  if (const Local local = object_at(*variable->getInit(), depth + 1)) {
    report(local, use, view_name(variable->getType()));
  }
}

void FactoryCaptures::lambda(const clang::LambdaExpr& lambda, int depth) {
  for (const auto& capture : lambda.captures()) {
    if (!capture.capturesVariable()) continue;
    const clang::ValueDecl& captured = *capture.getCapturedVar();
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&captured);
    if (variable != nullptr && lambda.isInitCapture(&capture)) {
      const clang::Expr* initialiser = variable->getInit();
      if (initialiser == nullptr) continue;
      if (!variable->getType()->isReferenceType()) {
        copy(*initialiser, depth);
      } else if (const Local local = object_of(*initialiser, depth)) {
        report(local, capture.getLocation());
      }
    } else if (capture.getCaptureKind() == clang::LCK_ByRef) {
      if (const Local local = object_named(captured, depth)) report(local, capture.getLocation());
    } else {
      copied_variable(captured, capture.getLocation(), depth);
    }
  }
}

void FactoryCaptures::called(const clang::CallExpr& call, int depth) {
  if (is_std_call(call, {"move", "forward", "as_const"})) {
    value(*call.getArg(0), depth);
  } else if (is_std_call(call, {"ref", "cref"})) {
    if (const Local local = object_of(*call.getArg(0), depth)) {
      report(local, call.getArg(0)->getSourceRange());
    }
  } else if (is_std_call(call, {"bind", "bind_front"})) {
    for (const clang::Expr* argument : call.arguments()) copy(*argument, depth);
  }
}

/// Checks the initialiser of a local closure, function or set of options.
void FactoryCaptures::initialiser_of(const clang::VarDecl& variable, int depth) {
  const clang::Expr* initialiser = variable.getInit();
  if (initialiser == nullptr || depth >= kMaxNames) return;
  if (is_lambda_type(variable.getType()) || keeps_its_value(variable)) {
    value(*initialiser, depth + 1);
  }
}

/// The local variable that an expression names, or whose part it is.
FactoryCaptures::Local FactoryCaptures::object_of(const clang::Expr& expression, int depth) const {
  const clang::Expr& e = strip_wrappers(*strip_wrappers(expression).IgnoreParenCasts());
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    return object_named(*reference->getDecl(), depth);
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) {
    const bool is_part = llvm::isa<clang::FieldDecl>(member->getMemberDecl()) &&
                         !member->getMemberDecl()->getType()->isReferenceType();
    if (!is_part) return nullptr;
    return member->isArrow() ? object_at(*member->getBase(), depth)
                             : object_of(*member->getBase(), depth);
  }
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&e)) {
    return object_at(*element->getBase(), depth);
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&e)) {
    return unary->getOpcode() == clang::UO_Deref ? object_at(*unary->getSubExpr(), depth) : nullptr;
  }
  return nullptr;
}

/// The local variable that a pointer or a view is known to refer to.
FactoryCaptures::Local FactoryCaptures::object_at(const clang::Expr& pointer, int depth) const {
  const clang::Expr* e = pointer.IgnoreParens();
  while (llvm::isa<clang::CastExpr, clang::MaterializeTemporaryExpr>(e)) {
    const auto* cast = llvm::dyn_cast<clang::CastExpr>(e);
    if (cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay) {
      return object_of(*cast->getSubExpr(), depth);
    }
    e = llvm::cast<clang::Expr>(*e->child_begin())->IgnoreParens();
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e)) {
    return unary->getOpcode() == clang::UO_AddrOf ? object_of(*unary->getSubExpr(), depth)
                                                  : nullptr;
  }
  if (const clang::Expr* object = viewed_object(*e)) {
    return is_view(object->getType()) ? object_at(*object, depth) : object_of(*object, depth);
  }
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    const bool is_view_of = is_view(construct->getType()) && construct->getNumArgs() > 0;
    if (!is_view_of) return nullptr;
    const clang::Expr& source = *construct->getArg(0);
    const bool has_view = is_view(source.getType()) || viewed_object(*source.IgnoreImplicit());
    return has_view ? object_at(source, depth) : object_of(source, depth);
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
    return is_std_call(*call, {"addressof"}) ? object_of(*call->getArg(0), depth) : nullptr;
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e);
  const auto* variable = reference == nullptr ? nullptr : own_variable(*reference->getDecl());
  if (variable == nullptr || variable->getInit() == nullptr || depth >= kMaxNames ||
      !is_view(variable->getType()) || !keeps_its_value(*variable)) {
    return nullptr;
  }
  return object_at(*variable->getInit(), depth + 1);
}

FactoryCaptures::Local FactoryCaptures::object_named(const clang::ValueDecl& declaration,
                                                     int depth) const {
  const auto* variable = own_variable(declaration);
  if (variable == nullptr) return nullptr;
  if (!variable->getType()->isReferenceType() || holds_temporary(*variable)) return &declaration;
  if (variable->getInit() == nullptr || depth >= kMaxNames) return nullptr;
  return object_of(*variable->getInit(), depth + 1);
}

/// The named variable, if it is a local variable of the factory and neither a parameter nor static.
const clang::VarDecl* FactoryCaptures::own_variable(const clang::ValueDecl& declaration) const {
  const clang::ValueDecl* named = &declaration;
  if (const auto* binding = llvm::dyn_cast<clang::BindingDecl>(named)) {
    named = binding->getDecomposedDecl();
  }
  const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(named);
  const bool is_own = variable != nullptr && !llvm::isa<clang::ParmVarDecl>(variable) &&
                      variable->hasLocalStorage() && variable->getDeclContext() == &factory_;
  return is_own ? variable : nullptr;
}

bool FactoryCaptures::keeps_its_value(const clang::VarDecl& variable) const {
  return variable.getType().isConstQualified() || !written_.contains(&variable);
}

void FactoryCaptures::find_writes(const clang::Stmt& node) {
  for (const clang::Stmt* child : node.children()) {
    if (child == nullptr) continue;
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(child);
    // Lambdas that are not mutable name the variable with a constant type.
    const bool may_write =
        reference != nullptr && !reference->getType().isConstQualified() && !reads(node);
    if (may_write) written_.insert(reference->getDecl());
    find_writes(*child);
  }
}

void FactoryCaptures::report(Local local, clang::SourceRange range, const char* view) {
  if (!reported_.emplace(local, range.getBegin()).second) return;
  const std::string name = local->getNameAsString();
  auto& diagnostic =
      context_.report(model::rules::captures_factory_local,
                      fmt::format("{} refers to '{}', a local variable of the factory",
                                  in_options_ ? "a function in the options" : "the handler", name),
                      context_.at.of(range));
  diagnostic.method = call_->method;
  diagnostic.route = route_hint(*call_);
  diagnostic.help = fmt::format(
      "capture {} by value{}, declare it 'static', or keep it in a service: '{}' is destroyed when "
      "the factory returns, before the first request",
      view == nullptr ? "it" : "'" + name + "' itself",
      view == nullptr ? "" : fmt::format(" instead of {}", view), name);
  diagnostic.notes.push_back(
      {fmt::format("'{}' is defined here", name), context_.at.token(local->getLocation())});
}

}  // namespace fairway::frontend
