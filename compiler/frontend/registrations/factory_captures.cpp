#include "frontend/registrations/factory_captures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "frontend/tree/type_queries.hpp"
#include "frontend/tree/views.hpp"

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

/// What such a value is, for diagnostics.
const char* view_name(clang::QualType type) {
  return type->isPointerType() ? "a pointer to it" : "a view of it";
}

/// What a function consists of, if it only returns a value: `return text.substr(1);`.
const clang::Expr* only_result(const clang::FunctionDecl& function) {
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function.getBody());
  const bool is_one = body != nullptr && body->size() == 1;
  const auto* result = is_one ? llvm::dyn_cast<clang::ReturnStmt>(body->body_front()) : nullptr;
  return result == nullptr ? nullptr : result->getRetValue();
}

/// `std::move` of the algorithms has more arguments.
bool returns_argument(const clang::CallExpr& call) {
  return call.getNumArgs() == 1 && is_std_call(call, {"move", "forward", "as_const"});
}

/// Whether the class keeps what its constructor gets, as it is.
bool keeps_arguments(const clang::CXXConstructorDecl& constructor) {
  if (constructor.isCopyOrMoveConstructor() && constructor.isTrivial()) return true;
  const clang::CXXRecordDecl& made = *constructor.getParent();
  return is_in_namespace(made, "std") || is_in_namespace(made, "fw") || made.isLambda();
}

/// Whether a class is copied into an object of its base.
bool is_sliced(const clang::CastExpr& cast) {
  const bool is_to_base = cast.getCastKind() == clang::CK_DerivedToBase ||
                          cast.getCastKind() == clang::CK_UncheckedDerivedToBase;
  return is_to_base && cast.getType()->isRecordType();
}

/// Whether a structured binding names what an element refers to: `auto [a, b] = std::tie(c, d)`.
bool is_of_reference(const clang::BindingDecl& binding) {
  if (const clang::VarDecl* holder = binding.getHoldingVar()) {
    return holder->getType()->isLValueReferenceType();
  }
  const clang::Expr* named = binding.getBinding();
  const auto* member =
      named == nullptr ? nullptr : llvm::dyn_cast<clang::MemberExpr>(named->IgnoreImplicit());
  return member != nullptr && member->getMemberDecl()->getType()->isReferenceType();
}

/// Whether the function is the call of a closure that has a copy of the variable.
bool is_of_copy(const clang::FunctionDecl& function, const clang::ValueDecl& variable) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr && method->getParent()->isLambda() &&
         std::ranges::any_of(method->getParent()->captures(), [&](const auto& capture) {
           return capture.capturesVariable() && capture.getCapturedVar() == &variable &&
                  capture.getCaptureKind() == clang::LCK_ByCopy;
         });
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
    if (const auto* variable = whole_variable(*reference->getDecl())) {
      initialiser_of(*variable, depth);
    }
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) {
    called(*call, depth);
  } else if (const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(&e)) {
    value(*list->getSubExpr(), depth);
  } else if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
    const clang::CXXConstructorDecl& constructor = *construct->getConstructor();
    if (!constructor.isCopyOrMoveConstructor() && !keeps_arguments(constructor)) return;
    for (const clang::Expr* argument : construct->arguments()) value(*argument, depth);
  } else if (const auto* braces = llvm::dyn_cast<clang::InitListExpr>(&e)) {
    for (const clang::Expr* initialiser : braces->inits()) value(*initialiser, depth);
  }
}

/// Checks a value that a closure stores, such as a pointer to a local variable, or a view of it.
void FactoryCaptures::copy(const clang::Expr& expression, int depth) {
  const Local local = is_view(expression.getType()) ? object_at(expression, depth) : nullptr;
  if (local == nullptr) return value(expression, depth);
  report(local, strip_wrappers(expression).getSourceRange(), view_name(expression.getType()));
}

void FactoryCaptures::copied_variable(const clang::ValueDecl& declaration,
                                      clang::SourceLocation use, int depth) {
  const auto* variable = whole_variable(declaration);
  if (variable == nullptr || variable->getInit() == nullptr) return;
  const Local local = object_at_variable(*variable, depth);
  if (local == nullptr) return initialiser_of(*variable, depth);
  report(local, use, view_name(variable->getType()));
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
  if (returns_argument(call)) {
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
  if (initialiser == nullptr || depth >= kMaxNames || !visited_.insert(&variable).second) return;
  if (is_lambda_type(variable.getType()) || keeps_its_value(variable)) {
    value(*initialiser, depth + 1);
  }
}

/// The local variable that an expression names, or whose part it is.
FactoryCaptures::Local FactoryCaptures::object_of(const clang::Expr& expression, int depth) {
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
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&e);
  return call != nullptr && call->isGLValue() ? object_of_call(*call, depth) : nullptr;
}

/// The local variable that the result of a call refers to.
FactoryCaptures::Local FactoryCaptures::object_of_call(const clang::CallExpr& call, int depth) {
  if (depth >= kMaxNames) return nullptr;
  if (returns_argument(call) || is_std_call(call, {"addressof", "ref", "cref"})) {
    return object_of(*call.getArg(0), depth);
  }
  if (viewed_object(call) != nullptr) return kept(object_viewed(call, depth));
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || is_in_namespace(*callee, "std")) return nullptr;
  const Local of_result = object_of_result(*callee, depth);
  const auto* parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(of_result);
  if (parameter == nullptr) return of_result;
  // An operator's first argument is its object.
  const bool has_object =
      llvm::isa<clang::CXXOperatorCallExpr>(call) && llvm::isa<clang::CXXMethodDecl>(callee);
  const unsigned index = parameter->getFunctionScopeIndex() + (has_object ? 1 : 0);
  const bool is_own = index < call.getNumArgs() && parameter->getDeclContext() == callee;
  return is_own ? kept(source(*call.getArg(index), depth)) : nullptr;
}

/// The variable or the parameter that what a function returns refers to.
FactoryCaptures::Local FactoryCaptures::object_of_result(const clang::FunctionDecl& function,
                                                         int depth) {
  const auto [known, is_new] = results_.emplace(&function, nullptr);
  const clang::Expr* result = only_result(function);
  if (!is_new || result == nullptr) return known->second;
  const clang::QualType type = function.getReturnType();
  const Local local = type->isReferenceType() ? object_of(*result, depth + 1)
                      : is_view(type)         ? object_at(*result, depth + 1)
                                              : nullptr;
  if (local == nullptr || is_of_copy(function, *local)) return nullptr;
  return results_[&function] = local;
}

/// The local variable whose content a member function of the standard library shows.
FactoryCaptures::Local FactoryCaptures::object_viewed(const clang::CallExpr& call, int depth) {
  const clang::Expr& object = *viewed_object(call);
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParens());
  if (member == nullptr || !member->isArrow()) {
    return is_owner(object.getType()) ? object_of(object, depth) : source(object, depth);
  }
  // What a view in a container refers to is not known.
  const clang::QualType pointee = llvm::cast<clang::CXXMemberCallExpr>(call).getObjectType();
  if (!is_view(pointee) || is_owner(pointee)) return object_at(object, depth);
  const auto* address = llvm::dyn_cast<clang::UnaryOperator>(object.IgnoreParenImpCasts());
  return address != nullptr && address->getOpcode() == clang::UO_AddrOf
             ? object_at(*address->getSubExpr(), depth)
             : nullptr;
}

/// The local variable that a value refers to, or that the expression names.
FactoryCaptures::Local FactoryCaptures::source(const clang::Expr& expression, int depth) {
  return is_view(expression.getType()) ? object_at(expression, depth)
                                       : object_of(expression, depth);
}

/// The local variable that a pointer or a view is known to refer to.
FactoryCaptures::Local FactoryCaptures::object_at(const clang::Expr& pointer, int depth) {
  const clang::Expr* e = pointer.IgnoreParens();
  while (llvm::isa<clang::CastExpr, clang::FullExpr, clang::MaterializeTemporaryExpr>(e)) {
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(e)) {
      if (cast->getCastKind() == clang::CK_ArrayToPointerDecay) {
        return object_of(*cast->getSubExpr(), depth);
      }
      if (is_sliced(*cast)) return nullptr;
    }
    e = llvm::cast<clang::Expr>(*e->child_begin())->IgnoreParens();
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e)) {
    return unary->getOpcode() == clang::UO_AddrOf ? object_of(*unary->getSubExpr(), depth)
                                                  : nullptr;
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
    // What a view in a container refers to is not known.
    if (!call->isGLValue()) return object_of_call(*call, depth);
    return returns_argument(*call) ? object_at(*call->getArg(0), depth) : nullptr;
  }
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    return is_view(construct->getType()) ? object_at_constructed(*construct, depth) : nullptr;
  }
  if (const auto* braces = llvm::dyn_cast<clang::InitListExpr>(e)) {
    for (const clang::Expr* initialiser : braces->inits()) {
      const Local local = initialiser->isGLValue()          ? object_of(*initialiser, depth)
                          : is_view(initialiser->getType()) ? object_at(*initialiser, depth)
                                                            : nullptr;
      if (local != nullptr) return local;
    }
    return nullptr;
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e);
  if (reference == nullptr) return nullptr;
  if (llvm::isa<clang::ParmVarDecl>(reference->getDecl())) return reference->getDecl();
  const auto* variable = whole_variable(*reference->getDecl());
  return variable == nullptr ? nullptr : object_at_variable(*variable, depth);
}

/// The local variable that the value of a variable refers to.
FactoryCaptures::Local FactoryCaptures::object_at_variable(const clang::VarDecl& variable,
                                                           int depth) {
  if (variable.getInit() == nullptr || depth >= kMaxNames || !is_view(variable.getType()) ||
      !keeps_its_value(variable)) {
    return nullptr;
  }
  const auto [known, is_new] = objects_.emplace(&variable, nullptr);
  if (!is_new) return known->second;
  return objects_[&variable] = object_at(*variable.getInit(), depth + 1);
}

/// The local variable of the first argument that a view is known to be made of. Other constructors
/// may only read what they get.
FactoryCaptures::Local FactoryCaptures::object_at_constructed(const clang::CXXConstructExpr& view,
                                                              int depth) {
  const clang::CXXConstructorDecl& constructor = *view.getConstructor();
  if (view.getNumArgs() == 0 || !keeps_arguments(constructor)) return nullptr;
  if (constructor.isCopyOrMoveConstructor()) return object_at(*view.getArg(0), depth);
  if (is_made_of_ranges(view.getType())) {
    for (const clang::Expr* argument : view.arguments()) {
      if (const Local local = object_at_element(view.getType(), *argument, depth)) return local;
    }
    return nullptr;
  }
  const std::vector<clang::QualType> elements = stored_elements(view.getType());
  if (elements.size() != view.getNumArgs()) return nullptr;
  for (unsigned index = 0; index < elements.size(); ++index) {
    const Local local = object_at_element(elements[index], *view.getArg(index), depth);
    if (local != nullptr) return local;
  }
  return nullptr;
}

/// The local variable that an element of a type refers to, if it is initialised with a value.
FactoryCaptures::Local FactoryCaptures::object_at_element(clang::QualType element,
                                                          const clang::Expr& initialiser,
                                                          int depth) {
  const clang::QualType type = initialiser.getType();
  if (element->isLValueReferenceType()) {
    const bool is_same = type.getCanonicalType().getUnqualifiedType() ==
                         element.getNonReferenceType().getCanonicalType().getUnqualifiedType();
    return is_same && initialiser.isLValue() ? object_of(initialiser, depth) : nullptr;
  }
  if (!is_view(element)) return nullptr;
  const bool is_same = type.getCanonicalType().getUnqualifiedType() ==
                       element.getCanonicalType().getUnqualifiedType();
  if (is_same || (is_plain_view(element) && is_plain_view(type))) {
    return object_at(initialiser, depth);
  }
  const bool is_of_array = element->isPointerType() && type->isArrayType();
  return is_of_array || (is_made_of_ranges(element) && is_owner(type))
             ? kept(object_of(initialiser, depth))
             : nullptr;
}

FactoryCaptures::Local FactoryCaptures::object_named(const clang::ValueDecl& declaration,
                                                     int depth) {
  if (llvm::isa<clang::ParmVarDecl>(declaration)) return &declaration;  // of a function it calls
  const auto* variable = own_variable(declaration);
  const auto* binding = llvm::dyn_cast<clang::BindingDecl>(&declaration);
  if (variable == nullptr || (binding != nullptr && is_of_reference(*binding))) return nullptr;
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

/// The same without structured bindings, which have a part of the value of the variable.
const clang::VarDecl* FactoryCaptures::whole_variable(const clang::ValueDecl& declaration) const {
  return llvm::isa<clang::BindingDecl>(declaration) ? nullptr : own_variable(declaration);
}

bool FactoryCaptures::keeps_its_value(const clang::VarDecl& variable) const {
  return variable.getType().isConstQualified() || !written_.contains(&variable);
}

/// The variable, if its content is destroyed with it.
FactoryCaptures::Local FactoryCaptures::kept(Local local) const {
  return local == nullptr || passed_.contain(*local) ? nullptr : local;
}

void FactoryCaptures::find_writes(const clang::Stmt& node) {
  for (const clang::Stmt* child : node.children()) {
    if (child == nullptr) continue;
    passed_.add_from(*child);
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(child);
    // Lambdas that are not mutable name the variable with a constant type.
    const bool may_write =
        reference != nullptr && !reference->getType().isConstQualified() && !reads(node);
    if (may_write) written_.insert(reference->getDecl());
    find_writes(*child);
  }
}

void FactoryCaptures::report(Local local, clang::SourceRange range, const char* view) {
  if (llvm::isa<clang::ParmVarDecl>(local)) return;  // what it refers to is the caller's
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
