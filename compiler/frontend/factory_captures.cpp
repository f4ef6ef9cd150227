#include "frontend/factory_captures.hpp"

#include <fmt/format.h>

#include <algorithm>

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

bool refers(clang::QualType type, int depth);

bool has_reference(const clang::CXXRecordDecl& record, int depth) {
  return std::ranges::any_of(record.fields(),
                             [&](const auto* field) { return refers(field->getType(), depth); }) ||
         std::ranges::any_of(record.bases(),
                             [&](const auto& base) { return refers(base.getType(), depth); });
}

/// Whether a value of the type is or contains a pointer or a reference to an object.
bool refers(clang::QualType type, int depth) {
  type = type.getCanonicalType();
  if (const auto* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  if (type->isPointerType() || type->isReferenceType()) {
    return !type->getPointeeType()->isFunctionType();
  }
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() && depth < kMaxNames &&
         has_reference(*record, depth + 1);
}

/// Whether a copy of a value refers to what the value refers to: pointers, and classes without a
/// destructor that contain one, such as std::string_view and iterators. What owns an object has a
/// destructor. Closures and functions are checked by what they capture.
bool is_view(clang::QualType type) {
  type = type.getCanonicalType();
  if (type->isPointerType()) return refers(type, 0);
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() && !record->isLambda() &&
         !is_framework_type(type) && !is_std_type(type, {"reference_wrapper"}) &&
         record->hasTrivialDestructor() && has_reference(*record, 0);
}

/// What a value of such a type is, for diagnostics.
const char* view_name(clang::QualType type) {
  return type->isPointerType() ? "a pointer to it" : "a view of it";
}

/// A member function of a container, a string, a view or an iterator. What a std::shared_ptr points
/// to may have other owners.
bool is_member_of_range(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method == nullptr) return false;
  const clang::CXXRecordDecl& owner = *method->getParent();
  clang::ASTContext& ast = owner.getASTContext();
  const bool is_of_library =
      owner.isInStdNamespace() ||
      ast.getSourceManager().isInSystemHeader(owner.getLocation());  // iterators of GCC
  return is_of_library &&
         (is_view(ast.getRecordType(&owner)) || !owner.lookup(&ast.Idents.get("begin")).empty());
}

/// The object whose content a member function of the standard library returns a view of, or a
/// reference to: `text.c_str()`, `text[0]`, the conversion of a std::string to a std::string_view.
const clang::Expr* viewed_object(const clang::Expr& expression) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&expression);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  if (callee == nullptr || !is_member_of_range(*callee)) return nullptr;
  if (!callee->getReturnType()->isReferenceType() && !is_view(call->getType())) return nullptr;
  if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(call)) {
    return member->getImplicitObjectArgument();
  }
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call) && call->getNumArgs() > 0;
  return is_operator ? call->getArg(0) : nullptr;
}

bool has_argument(llvm::ArrayRef<clang::TemplateArgument> arguments, clang::QualType type) {
  return std::ranges::any_of(arguments, [&](const clang::TemplateArgument& argument) {
    if (argument.getKind() == clang::TemplateArgument::Pack) {
      return has_argument(argument.pack_elements(), type);
    }
    return argument.getKind() == clang::TemplateArgument::Type &&
           argument.getAsType().getCanonicalType().getUnqualifiedType() ==
               type.getCanonicalType().getUnqualifiedType();
  });
}

/// What a function consists of, if it only returns a value: `return text.substr(1);`.
const clang::Expr* only_result(const clang::FunctionDecl& function) {
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function.getBody());
  const bool is_one = body != nullptr && body->size() == 1;
  const auto* result = is_one ? llvm::dyn_cast<clang::ReturnStmt>(body->body_front()) : nullptr;
  return result == nullptr ? nullptr : result->getRetValue();
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
  const Local local = is_view(expression.getType()) ? object_at(expression, depth) : nullptr;
  if (local == nullptr) return value(expression, depth);
  report(local, strip_wrappers(expression).getSourceRange(), view_name(expression.getType()));
}

void FactoryCaptures::copied_variable(const clang::ValueDecl& declaration,
                                      clang::SourceLocation use, int depth) {
  const auto* variable = own_variable(declaration);
  if (variable == nullptr || variable->getInit() == nullptr) return;
  const bool is_known_view = is_view(variable->getType()) && keeps_its_value(*variable);
  const Local local = is_known_view ? object_at(*variable->getInit(), depth + 1) : nullptr;
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
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&e);
  return call != nullptr && call->isGLValue() ? object_of_call(*call, depth) : nullptr;
}

/// The local variable that the result of a call refers to.
FactoryCaptures::Local FactoryCaptures::object_of_call(const clang::CallExpr& call,
                                                       int depth) const {
  if (depth >= kMaxNames) return nullptr;
  if (is_std_call(call, {"addressof", "ref", "cref", "move", "forward", "as_const"})) {
    return object_of(*call.getArg(0), depth);
  }
  if (const clang::Expr* object = viewed_object(call)) return source(*object, depth);
  const clang::FunctionDecl* callee = call.getDirectCallee();
  const clang::Expr* result =
      callee == nullptr || callee->isInStdNamespace() ? nullptr : only_result(*callee);
  if (result == nullptr) return nullptr;
  const Local of_result = call.isGLValue()          ? object_of(*result, depth + 1)
                          : is_view(call.getType()) ? object_at(*result, depth + 1)
                                                    : nullptr;
  const auto* parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(of_result);
  if (parameter == nullptr) return of_result;
  // An operator's first argument is its object.
  const bool has_object =
      llvm::isa<clang::CXXOperatorCallExpr>(call) && llvm::isa<clang::CXXMethodDecl>(callee);
  const unsigned index = parameter->getFunctionScopeIndex() + (has_object ? 1 : 0);
  const bool is_own = index < call.getNumArgs() && parameter->getDeclContext() == callee;
  return is_own ? source(*call.getArg(index), depth) : nullptr;
}

/// The local variable that a value refers to, or that the expression names.
FactoryCaptures::Local FactoryCaptures::source(const clang::Expr& expression, int depth) const {
  return is_view(expression.getType()) ? object_at(expression, depth)
                                       : object_of(expression, depth);
}

/// The local variable that a pointer or a view is known to refer to.
FactoryCaptures::Local FactoryCaptures::object_at(const clang::Expr& pointer, int depth) const {
  const clang::Expr* e = pointer.IgnoreParens();
  while (llvm::isa<clang::CastExpr, clang::FullExpr, clang::MaterializeTemporaryExpr>(e)) {
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
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
    // What a view in a container refers to is not known.
    if (!call->isGLValue()) return object_of_call(*call, depth);
    const bool is_same = is_std_call(*call, {"move", "forward", "as_const"});
    return is_same ? object_at(*call->getArg(0), depth) : nullptr;
  }
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    // Other constructors may only read what they get.
    const bool is_known = construct->getConstructor()->getParent()->isInStdNamespace() ||
                          construct->getConstructor()->isCopyOrMoveConstructor();
    if (!is_known || !is_view(construct->getType())) return nullptr;
    return first_source(*construct, depth);
  }
  if (const auto* braces = llvm::dyn_cast<clang::InitListExpr>(e)) {
    for (const clang::Expr* initialiser : braces->inits()) {
      const bool is_reference = initialiser->isGLValue();
      const bool may_refer = is_reference || is_view(initialiser->getType());
      const Local local = !may_refer     ? nullptr
                          : is_reference ? source(*initialiser, depth)
                                         : object_at(*initialiser, depth);
      if (local != nullptr) return local;
    }
    return nullptr;
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e);
  if (reference != nullptr && llvm::isa<clang::ParmVarDecl>(reference->getDecl())) {
    return reference->getDecl();
  }
  const auto* variable = reference == nullptr ? nullptr : own_variable(*reference->getDecl());
  if (variable == nullptr || variable->getInit() == nullptr || depth >= kMaxNames ||
      !is_view(variable->getType()) || !keeps_its_value(*variable)) {
    return nullptr;
  }
  return object_at(*variable->getInit(), depth + 1);
}

/// The local variable of the first argument that a view may be made of.
FactoryCaptures::Local FactoryCaptures::first_source(const clang::CXXConstructExpr& view,
                                                     int depth) const {
  const auto* made =
      llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(view.getConstructor()->getParent());
  for (const clang::Expr* argument : view.arguments()) {
    const clang::Expr& written = *argument->IgnoreImplicit();
    const clang::QualType type = written.getType();
    // A std::pair<const char*, Point> has a copy of the Point.
    const bool is_copied = type->isArithmeticType() || type->isEnumeralType() ||
                           (!is_view(type) && made != nullptr &&
                            has_argument(made->getTemplateArgs().asArray(), type));
    if (is_copied) continue;
    const Local local = source(viewed_object(written) != nullptr ? written : *argument, depth);
    if (local != nullptr) return local;
  }
  return nullptr;
}

FactoryCaptures::Local FactoryCaptures::object_named(const clang::ValueDecl& declaration,
                                                     int depth) const {
  if (llvm::isa<clang::ParmVarDecl>(declaration)) return &declaration;  // of a function it calls
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
