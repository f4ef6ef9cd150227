#include "frontend/handlers/raised_errors.hpp"

#include <clang/Sema/Sema.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/errors/compile_errors.hpp"
#include "frontend/errors/error_collector.hpp"
#include "frontend/errors/lost_calls.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/handlers/passed_values.hpp"
#include "frontend/handlers/raise_options.hpp"
#include "frontend/handlers/response_callee.hpp"
#include "frontend/handlers/response_use.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

constexpr std::string_view kHttpError = "fw::HttpError";
/// Functions of one handler that are followed as instances of templates.
constexpr std::size_t kMaxInstantiations = 100;
/// How often functions are followed, each once for the `try` statements around its calls. Beyond
/// that, these are ignored.
constexpr std::size_t kMaxFollowed = 1000;
/// After so many, no arguments of functions are known.
constexpr std::size_t kMaxWithConstants = 500;
/// Calls of a function within itself whose arguments are known.
constexpr std::size_t kMaxRecursions = 4;
/// Functions by which a lambda is passed to where it is called.
constexpr int kMaxPassed = 4;
constexpr std::string_view kRethrow = "std::rethrow_exception";
constexpr std::string_view kMakePointer = "std::make_exception_ptr";
constexpr std::string_view kFromKey = "fw::HttpError::from_key";

/// The object in `error.what()`, and in a cast to void; null for other expressions.
const clang::Expr* only_read_by(const clang::Stmt& node) {
  const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&node);
  if (cast != nullptr && cast->getType()->isVoidType()) return &strip_wrappers(*cast->getSubExpr());
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
  const bool is_reading = member != nullptr && (is_in_namespace(*member->getMemberDecl(), "fw") ||
                                                is_in_namespace(*member->getMemberDecl(), "std"));
  return is_reading ? &strip_wrappers(*member->getBase()) : nullptr;
}

/// The variable, a copy of it, or `std::move(variable)`.
bool is_value_of(const clang::Expr& expression, const clang::VarDecl& variable) {
  const clang::Expr& e = strip_wrappers(expression);
  const auto* copy = llvm::dyn_cast<clang::CXXConstructExpr>(&e);
  if (copy != nullptr && copy->getConstructor()->isCopyOrMoveConstructor() &&
      copy->getNumArgs() > 0) {
    return is_value_of(*copy->getArg(0), variable);
  }
  if (const clang::Expr* same = passed_through(e)) return is_value_of(*same, variable);
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  return name != nullptr && name->getDecl() == &variable;
}

/// Whether any part of the statement is so. Captures of lambdas are no parts, but their bodies.
bool has_part(const clang::Stmt& node,
              llvm::function_ref<std::optional<bool>(const clang::Stmt&)> is) {
  if (const auto known = is(node)) return *known;
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
    auto initialiser = lambda->capture_init_begin();
    for (const clang::LambdaCapture& capture : lambda->captures()) {
      const clang::Expr* made = *initialiser++;
      if (lambda->isInitCapture(&capture) && made != nullptr && has_part(*made, is)) return true;
    }
    return has_part(*lambda->getBody(), is);
  }
  return std::ranges::any_of(node.children(), [&](const clang::Stmt* child) {
    return child != nullptr && has_part(*child, is);
  });
}

/// The body of the function that declares the variable; null if Clang may have dropped parts of it.
const clang::Stmt* scope_of(const FileContext& context, const clang::VarDecl& variable) {
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
  const clang::Stmt* body = function == nullptr ? nullptr : function->getBody();
  if (body == nullptr) return nullptr;
  // Of uses of a lambda it is known which are missing.
  if (is_lambda_type(variable.getType())) {
    return has_lost_uses(context, variable, *body) ? nullptr : body;
  }
  const bool has_errors =
      std::ranges::any_of(context.errors.errors(), [&](const ErrorCollector::Error& error) {
        return belongs_to(context, body->getSourceRange(), error);
      });
  return has_errors ? nullptr : body;
}

/// Whether the object may be raised where it has another name.
bool may_be_raised_elsewhere(const FileContext& context, const clang::VarDecl& variable) {
  const clang::Stmt* scope = scope_of(context, variable);
  const auto is_given = [&](const clang::Stmt& node) -> std::optional<bool> {
    const clang::Expr* used = nullptr;
    if (const auto* raised = llvm::dyn_cast<clang::CXXThrowExpr>(&node)) {
      used = raised->getSubExpr();
    } else if (const auto* returned = llvm::dyn_cast<clang::ReturnStmt>(&node)) {
      used = returned->getRetValue();
    } else if (const clang::Expr* object = only_read_by(node)) {
      used = object;
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      const bool is_raised = called_name(*call->getCallee()) == kRethrow && call->getNumArgs() == 1;
      if (is_raised) used = call->getArg(0);
    }
    if (used != nullptr && is_value_of(*used, variable)) return false;
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    return name == nullptr ? std::nullopt : std::optional(name->getDecl() == &variable);
  };
  return scope == nullptr || has_part(*scope, is_given);
}

const clang::ParmVarDecl* called_parameter(const FileContext& context,
                                           const clang::FunctionDecl& function, unsigned index,
                                           int depth);
bool passes_to_be_called(const FileContext& context, const clang::CallExpr& call,
                         const clang::VarDecl& variable, int depth);

/// Whether the file calls the function that a variable or a parameter has, and does nothing else
/// with it but pass it to functions that do the same with a parameter of its type.
bool is_only_called(const FileContext& context, const clang::VarDecl& variable, int depth = 0) {
  const clang::Stmt* scope = scope_of(context, variable);
  const auto is_given = [&](const clang::Stmt& node) -> std::optional<bool> {
    const auto names_variable = [&](const clang::Stmt& part) -> std::optional<bool> {
      const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&part);
      return name == nullptr ? std::nullopt : std::optional(name->getDecl() == &variable);
    };
    const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node);
    if (call != nullptr && call->getOperator() == clang::OO_Call &&
        called_function(*call) != nullptr && is_value_of(*call->getArg(0), variable)) {
      return std::ranges::any_of(call->arguments() | std::views::drop(1),
                                 [&](const auto* each) { return has_part(*each, names_variable); });
    }
    const auto* passing = llvm::dyn_cast<clang::CallExpr>(&node);
    if (passing != nullptr && passes_to_be_called(context, *passing, variable, depth)) {
      return false;
    }
    return names_variable(node);
  };
  return scope != nullptr && !has_part(*scope, is_given);
}

/// Whether arguments of the call are the variable, in no other way, and the function only calls
/// them.
bool passes_to_be_called(const FileContext& context, const clang::CallExpr& call,
                         const clang::VarDecl& variable, int depth) {
  const clang::FunctionDecl* function = called_function(call);
  if (function == nullptr || depth == kMaxPassed) return false;
  bool is_passed = false;
  const auto arguments = arguments_of(call);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    if (is_value_of(*arguments[i], variable)) {
      const auto* parameter = called_parameter(context, *function, i, depth + 1);
      if (parameter == nullptr || !is_lambda_type(parameter->getType())) return false;
      is_passed = true;
    } else if (has_part(*arguments[i], [&](const clang::Stmt& part) -> std::optional<bool> {
                 const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&part);
                 return name == nullptr ? std::nullopt
                                        : std::optional(name->getDecl() == &variable);
               })) {
      return false;
    }
  }
  return is_passed;
}

/// The parameter of a function whose body is read if the function only calls it; otherwise null.
const clang::ParmVarDecl* called_parameter(const FileContext& context,
                                           const clang::FunctionDecl& function, unsigned index,
                                           int depth) {
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = instantiated(context, function).getBody(defined);
  if (body == nullptr || may_be_overridden(function) || !is_read(context, function, *body) ||
      index >= defined->getNumParams()) {
    return nullptr;
  }
  const clang::ParmVarDecl& parameter = *defined->getParamDecl(index);
  return is_only_called(context, parameter, depth) ? &parameter : nullptr;
}

/// Whether it is the operand of `sizeof` or the like.
bool is_never_run(const clang::Stmt& node) {
  const auto* type = llvm::dyn_cast<clang::CXXTypeidExpr>(&node);
  if (type != nullptr) return !type->isPotentiallyEvaluated();
  return llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::RequiresExpr>(
      node);
}

/// The branch of `if constexpr` that is compiled; null: there is none. Empty for other statements,
/// and if a macro of the compiler decides.
std::optional<const clang::Stmt*> taken_branch(const FileContext& context,
                                               const clang::IfStmt& choice) {
  if (!choice.isConstexpr() || choice.getCond()->isValueDependent() ||
      choice.getCond()->containsErrors() ||
      dependence_of(context, *choice.getCond()).condition != nullptr) {
    return std::nullopt;
  }
  const auto taken = choice.getNondiscardedCase(context.ast);
  return taken ? std::optional<const clang::Stmt*>(*taken) : std::nullopt;
}

/// The function that the call executes; null if that may be another one than the source names.
const clang::FunctionDecl* executed_by(const clang::CallExpr& call) {
  const clang::FunctionDecl* function = called_function(call);
  if (function == nullptr || !may_be_overridden(*function)) return function;
  const auto* method = llvm::cast<clang::CXXMethodDecl>(function);
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&strip_wrappers(*call.getCallee()));
  if (member == nullptr) return nullptr;
  // `Base::check()`, or an object whose class is known.
  return member->hasQualifier() ? method : method->getDevirtualizedMethod(member->getBase(), false);
}

clang::QualType template_argument(clang::QualType type, unsigned index) {
  const auto* special =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record_of(type));
  return special == nullptr ? clang::QualType() : type_argument(*special, index);
}

/// Whether the expression names a function: then the next ones are the arguments of a call.
bool is_callee(const clang::Expr& expression) {
  const clang::Expr& e = strip_wrappers(expression);
  return llvm::isa<clang::OverloadExpr, clang::CXXDependentScopeMemberExpr>(e) ||
         e.getType()->isFunctionType() || e.hasPlaceholderType();
}

/// The class whose constructor it is; null for other functions.
const clang::CXXRecordDecl* constructed_class(const clang::FunctionDecl& function) {
  const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function);
  return constructor == nullptr ? nullptr : constructor->getParent();
}

/// Whether the type of an argument is not known.
bool has_unknown(llvm::ArrayRef<const clang::Expr*> arguments) {
  return llvm::any_of(arguments, [](const clang::Expr* each) {
    return each->isTypeDependent() || each->containsErrors();
  });
}

/// An object that the standard library constructs with the arguments.
struct MadeObject {
  clang::QualType type;
  llvm::ArrayRef<const clang::Expr*> arguments;
};

/// The type that is the first argument of an instance of a template, `std::make_unique<T>`; a null
/// type for others.
clang::QualType first_argument(const clang::FunctionDecl& function) {
  const auto* given = function.getTemplateSpecializationArgs();
  const bool is_type = given != nullptr && given->size() > 0 &&
                       given->get(0).getKind() == clang::TemplateArgument::Type;
  return is_type ? given->get(0).getAsType() : clang::QualType();
}

/// Of `std::make_unique<T>(…)`, `items.emplace_back(…)` and the like; without a type for others.
MadeObject made_by_library(const clang::CallExpr& call, const clang::FunctionDecl& function) {
  if (!is_in_namespace(function, "std") || !function.getDeclName().isIdentifier()) return {};
  constexpr std::array<llvm::StringLiteral, 3> kMake = {"make_unique", "make_shared",
                                                        "make_optional"};
  const llvm::ArrayRef<const clang::Expr*> arguments(call.getArgs(), call.getNumArgs());
  const llvm::StringRef name = function.getName();
  if (is_one_of(kMake, name)) return {first_argument(function), arguments};
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method == nullptr || !name.contains("emplace")) return {};
  const clang::QualType owner = function.getASTContext().getRecordType(method->getParent());
  if (name == "emplace_back" || name == "emplace_front" ||
      (name == "emplace" && is_std_type(owner, {"optional"}))) {
    return {template_argument(owner, 0), arguments};
  }
  if (name == "emplace" && is_std_type(owner, {"variant", "any"})) {
    return {first_argument(function), arguments};
  }
  if (name == "try_emplace" && !arguments.empty()) {
    return {template_argument(owner, 1), arguments.drop_front()};
  }
  return {};
}

/// Of `std::optional<T>(std::in_place, …)`; without a type for others.
MadeObject made_in_place(const clang::CXXConstructExpr& construct) {
  const llvm::ArrayRef<const clang::Expr*> arguments(construct.getArgs(), construct.getNumArgs());
  const bool is_in_place = is_std_type(construct.getType(), {"optional"}) && !arguments.empty() &&
                           is_std_type(arguments[0]->getType(), {"in_place_t"});
  if (!is_in_place) return {};
  return {template_argument(construct.getType(), 0), arguments.drop_front()};
}

/// The function of which only the number of arguments decides that it is called; null if several
/// take as many.
const clang::FunctionDecl* overload_called_by(const clang::CallExpr& call) {
  const auto* overloads = llvm::dyn_cast<clang::OverloadExpr>(call.getCallee()->IgnoreParens());
  if (overloads == nullptr) return nullptr;
  const clang::FunctionDecl* found = nullptr;
  for (const clang::NamedDecl* each : overloads->decls()) {
    const clang::FunctionDecl* function = each->getUnderlyingDecl()->getAsFunction();
    if (function == nullptr) return nullptr;
    if (!frontend::takes(*function, call.getNumArgs())) continue;
    if (found != nullptr) return nullptr;
    found = function;
  }
  return found;
}

MadeObject made_by(const clang::Stmt& node) {
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
    return made_in_place(*construct);
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  const clang::FunctionDecl* function = call == nullptr ? nullptr : called_function(*call);
  return function == nullptr ? MadeObject() : made_by_library(*call, *function);
}

}  // namespace

void RaisedErrors::visit(const clang::Stmt& node) {
  if (is_never_run(node)) return;
  const auto* choice = llvm::dyn_cast<clang::IfStmt>(&node);
  if (const auto taken = choice == nullptr ? std::nullopt : taken_branch(context_, *choice)) {
    this->choice(*choice, *taken);
  } else if (const auto* attempt = llvm::dyn_cast<clang::CXXTryStmt>(&node)) {
    this->attempt(*attempt);
  } else if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node)) {
    for (const clang::Decl* each : declaration->decls()) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(each);
      if (variable != nullptr && variable->getInit() != nullptr) declare(*variable);
    }
  } else if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node)) {
    for (const clang::Stmt* each : block->body()) {
      const auto* unused = llvm::dyn_cast<clang::Expr>(each);
      const bool is_object = unused != nullptr && is_object_of_error(*unused);
      is_object ? value(*unused, {.raised = Raised::nowhere}) : visit(*each);
    }
  } else if (const auto* returned = llvm::dyn_cast<clang::ReturnStmt>(&node);
             returned != nullptr && returned->getRetValue() != nullptr &&
             is_object_of_error(*returned->getRetValue())) {
    // The calls of a function that is followed raise it or not.
    value(*returned->getRetValue(),
          {.raised = is_result_used_ ? Raised::anywhere : Raised::nowhere});
  } else if (const auto* expression = llvm::dyn_cast<clang::Expr>(&node)) {
    visit_expression(*expression);
  } else {
    visit_parts(node);
  }
}

void RaisedErrors::visit_parts(const clang::Stmt& node) {
  const clang::Expr* by_default = default_of(node);
  if (by_default != nullptr && defaults_.insert({by_default, attempts_}).second) visit(*by_default);
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) visit(*child);
  }
}

void RaisedErrors::visit_expression(const clang::Expr& node) {
  if (const auto* raised = llvm::dyn_cast<clang::CXXThrowExpr>(&node)) {
    if (raised->getSubExpr() != nullptr) value(*raised->getSubExpr(), {});
    return;
  }
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
    return this->lambda(*lambda, false);
  }
  if (const clang::Expr* object = only_read_by(node);
      object != nullptr && is_object_of_error(*object)) {
    return value(*object, {.raised = Raised::nowhere});
  }
  // Other code gets the object.
  if (node.isPRValue() && is_object_of_error(node)) {
    return value(node, {.raised = Raised::anywhere});
  }
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
    return construct_other(*construct);
  }
  const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&node);
  if (llvm::isa<clang::CXXUnresolvedConstructExpr, clang::RecoveryExpr>(node) ||
      (cast != nullptr && cast->getCastKind() == clang::CK_Dependent)) {
    unresolved(node);
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
    return this->call(*call);
  } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl());
    if (function != nullptr) escape(*function);
  }
  visit_parts(node);
}

/// Other code gets the function: it may be called where the statements around it end no exceptions.
void RaisedErrors::escape(const clang::FunctionDecl& function) {
  const Attempts outer = std::exchange(attempts_, {});
  follow(function, true);
  attempts_ = outer;
}

/// Other code gets the object, and may call it.
void RaisedErrors::escape(const clang::Expr& value) {
  const auto* type = record_of(value.getType());
  if (type == nullptr || !type->hasDefinition() || type->isLambda()) return;
  const auto operators =
      type->lookup(context_.ast.DeclarationNames.getCXXOperatorName(clang::OO_Call));
  for (const clang::NamedDecl* each : operators) {
    const auto* function = each->getUnderlyingDecl()->getAsFunction();
    if (function != nullptr && !may_be_overridden(*function)) escape(*function);
  }
}

/// An object of a class that is none of errors.
void RaisedErrors::construct_other(const clang::CXXConstructExpr& construct) {
  const clang::CXXConstructorDecl& constructor = written_constructor(construct);
  follow(constructor);
  const Arguments arguments(construct.getArgs(), construct.getNumArgs());
  const MadeObject object = made_in_place(construct);
  made(object.type, object.arguments);
  parameters(arguments, constructor);
  if (!constructor.isCopyOrMoveConstructor()) {
    for (const clang::Expr* each : arguments) escape(*each);
  }
  visit_parts(construct);
}

/// An object of the class that the library constructs with the arguments.
void RaisedErrors::made(clang::QualType type, Arguments arguments) {
  const auto* record = type.isNull() ? nullptr : record_of(type);
  const bool is_known = record != nullptr && record->hasDefinition() && !is_error_class(record);
  if (is_known && has_unknown(arguments)) return possible_construction(type, arguments);
  if (!is_known || context_.at.sources().isInSystemHeader(record->getLocation())) return;
  const clang::CXXConstructorDecl* constructor = chosen_constructor(context_, type, arguments);
  if (constructor == nullptr) return;
  follow(*constructor);
  parameters(arguments, *constructor);
}

/// The objects of an error class that the library constructs for the local variables that the
/// expression names: `error.emplace(404, …)`.
void RaisedErrors::made_for(const clang::Stmt& node, Error error) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node);
  const auto* variable =
      name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  if (variable != nullptr && owners_.insert(variable).second) {
    if (const clang::Expr* initialiser = variable->getInit()) {
      made_in(*initialiser, nullptr, error);
      made_for(*initialiser, error);
    }
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
    const clang::Stmt* body = function == nullptr ? nullptr : function->getBody();
    if (body != nullptr) made_in(*body, variable, error);
    owners_.erase(variable);
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) made_by_factory(*call, error);
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) made_for(*child, error);
  }
}

/// The objects that the library constructs in a function which returns a pointer to one, or a
/// std::optional: `throw *make_error(404)`.
void RaisedErrors::made_by_factory(const clang::CallExpr& call, Error error) {
  const clang::FunctionDecl* function = called_function(call);
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = function == nullptr || !may_hold_error(function->getReturnType())
                                ? nullptr
                                : instantiated(context_, *function).getBody(defined);
  if (body == nullptr || may_be_overridden(*function) || !is_read(context_, *function, *body) ||
      !returning_.insert(defined).second) {
    return;
  }
  enter(*defined, *body, arguments_of(call));
  made_in(*body, nullptr, error);
  arguments_.leave();
  returning_.erase(defined);
}

/// `owner`: only what its member functions construct.
void RaisedErrors::made_in(const clang::Stmt& node, const clang::VarDecl* owner, Error error) {
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node);
  const clang::Expr* object_of_call = call == nullptr ? nullptr : call->getImplicitObjectArgument();
  const bool is_owned =
      owner == nullptr || (object_of_call != nullptr && is_value_of(*object_of_call, *owner));
  const MadeObject object = is_owned ? made_by(node) : MadeObject();
  const auto* record = object.type.isNull() ? nullptr : record_of(object.type);
  if (record != nullptr && record->hasDefinition() && is_error_class(record)) {
    const Error outer = std::exchange(error_, error);
    made_error(object.type, object.arguments);
    error_ = outer;
  }
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) made_in(*child, owner, error);
  }
}

void RaisedErrors::made_error(clang::QualType type, Arguments arguments) {
  if (has_unknown(arguments)) return possible_construction(type, arguments);
  const clang::CXXConstructorDecl* constructor = chosen_constructor(context_, type, arguments);
  const bool is_copy = constructor == nullptr || constructor->isCopyOrMoveConstructor();
  if (!is_copy) constructed(*constructor, arguments);
}

/// `if constexpr` with one of its branches, or null.
void RaisedErrors::choice(const clang::IfStmt& choice, const clang::Stmt* taken) {
  for (const clang::Stmt* each : {choice.getInit(), taken}) {
    if (each != nullptr) visit(*each);
  }
}

void RaisedErrors::attempt(const clang::CXXTryStmt& attempt) {
  const Attempts outer = attempts_;
  add_attempt(attempt);
  visit(*attempt.getTryBlock());
  attempts_ = outer;
  for (unsigned i = 0; i < attempt.getNumHandlers(); ++i) {
    visit(*attempt.getHandler(i)->getHandlerBlock());
  }
}

void RaisedErrors::add_attempt(const clang::CXXTryStmt& attempt) {
  const auto position = std::ranges::lower_bound(attempts_, &attempt);
  if (position == attempts_.end() || *position != &attempt) attempts_.insert(position, &attempt);
}

/// Calls in statements that Clang drops, because a type is not generated yet.
void RaisedErrors::lost(const clang::FunctionDecl& function, const clang::Stmt& body) {
  const clang::SourceRange own = body.getSourceRange();
  for (const LostCall& call : lost_calls(context_, function, body)) {
    // Those in a lambda count where it is called.
    const bool is_in_lambda = std::ranges::any_of(called_lambdas_, [&](clang::SourceRange lambda) {
      return lambda != own && own.fullyContains(lambda) &&
             lambda.fullyContains({call.location, call.location});
    });
    if (is_in_lambda) continue;
    const Attempts outer = attempts_;
    const auto add_around = [&](const clang::Stmt& node, const auto& self) -> void {
      const auto* attempt = llvm::dyn_cast<clang::CXXTryStmt>(&node);
      const bool is_around =
          attempt != nullptr &&
          attempt->getTryBlock()->getSourceRange().fullyContains({call.location, call.location});
      if (is_around) add_attempt(*attempt);
      for (const clang::Stmt* child : node.children()) {
        if (child != nullptr) self(*child, self);
      }
    };
    add_around(body, add_around);
    follow(*call.function);
    attempts_ = outer;
  }
}

void RaisedErrors::declare(const clang::VarDecl& variable) {
  const clang::Expr& initialiser = *variable.getInit();
  const clang::Expr& written = strip_wrappers(initialiser);
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&written);
      lambda != nullptr && is_lambda_type(variable.getType()) &&
      is_only_called(context_, variable)) {
    const bool is_read = context_.at.in_main_file(lambda->getBeginLoc());
    if (is_read) called_lambdas_.push_back(lambda->getBody()->getSourceRange());
    return this->lambda(*lambda, is_read);
  }
  if (!is_object_of_error(initialiser)) {
    // `Order order(body.id)`.
    const auto arguments = unresolved_arguments(initialiser);
    const bool is_error = is_error_class(record_of(variable.getType()));
    if (arguments && !is_error && has_unknown(*arguments)) {
      possible_construction(variable.getType(), *arguments);
    }
    return visit(initialiser);
  }
  value(initialiser, {.raised = may_be_raised_elsewhere(context_, variable) ? Raised::anywhere
                                                                            : Raised::nowhere});
}

/// `is_called_here`: calls of the lambda are followed, and there are no others.
void RaisedErrors::lambda(const clang::LambdaExpr& lambda, bool is_called_here) {
  for (const auto& capture : lambda.captures()) {
    if (!lambda.isInitCapture(&capture)) continue;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
    if (variable != nullptr && variable->getInit() != nullptr) visit(*variable->getInit());
  }
  if (is_called_here) return;
  // It may be called where the statements around it end no exceptions.
  const Attempts outer = std::exchange(attempts_, {});
  const bool was_used = std::exchange(is_result_used_, true);
  visit(*lambda.getBody());
  is_result_used_ = was_used;
  attempts_ = outer;
}

void RaisedErrors::call(const clang::CallExpr& call) {
  const std::string name = called_name(*call.getCallee());
  const Arguments arguments(call.getArgs(), call.getNumArgs());
  if (name == kRethrow && arguments.size() == 1) return value(*arguments[0], {});
  if (is_raise(name)) {
    raise(name, arguments);
    return visit_parts(call);
  }
  const clang::FunctionDecl* function = called_function(call);
  const clang::FunctionDecl* executed =
      function == nullptr ? overload_called_by(call) : executed_by(call);
  if (executed != nullptr) {
    follow(*executed, false, &call);
    parameters(arguments_of(call), *executed);
    const MadeObject object = made_by_library(call, *executed);
    made(object.type, object.arguments);
  }
  // `[&] { … }()`.
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call) && function != nullptr;
  const auto* called =
      is_operator ? llvm::dyn_cast<clang::LambdaExpr>(&strip_wrappers(*arguments[0])) : nullptr;
  // `std::visit(lambda, …)`.
  const auto callees = lambda_callees_of(context_, call);
  if (callees) {
    for (const clang::CXXMethodDecl* each : callees->functions) follow(*each, true);
  }
  const auto written_arguments = arguments_of(call);
  for (const clang::Expr* each : written_arguments) escape(*each);
  for (const clang::Stmt* child : call.children()) {
    const auto* argument = llvm::dyn_cast_or_null<clang::Expr>(child);
    const clang::Expr* written = argument == nullptr ? nullptr : &strip_wrappers(*argument);
    const auto* lambda = llvm::dyn_cast_or_null<clang::LambdaExpr>(written);
    const bool is_called =
        lambda != nullptr && (lambda == called || (callees && argument == callees->argument));
    // `find(1)`, `(&find)(1)`.
    const bool is_callee = argument == call.getCallee() && function != nullptr &&
                           llvm::isa<clang::DeclRefExpr, clang::UnaryOperator>(written);
    if (is_called) {
      this->lambda(*lambda, context_.at.in_main_file(lambda->getBeginLoc()));
    } else if (child != nullptr && !is_callee) {
      const auto found = std::ranges::find(written_arguments, argument);
      const auto index = static_cast<unsigned>(found - written_arguments.begin());
      const bool is_passed = argument != nullptr && found != written_arguments.end() &&
                             executed != nullptr && pass(*argument, *executed, index);
      if (!is_passed) visit(*child);
    }
  }
}

/// A lambda for a parameter that the function only calls. Returns false for other arguments.
bool RaisedErrors::pass(const clang::Expr& argument, const clang::FunctionDecl& function,
                        unsigned index) {
  const auto* lambda =
      llvm::dyn_cast<clang::LambdaExpr>(&strip_wrappers(*argument.IgnoreUnlessSpelledInSource()));
  if (lambda == nullptr || !context_.at.in_main_file(lambda->getBeginLoc()) ||
      functions_.size() >= kMaxInstantiations) {
    return false;
  }
  const clang::ParmVarDecl* parameter = called_parameter(context_, function, index, 0);
  if (parameter == nullptr) return false;
  // The calls in the function are followed to the lambda.
  if (is_lambda_type(parameter->getType())) {
    this->lambda(*lambda, true);
    return true;
  }
  if (!is_std_type(parameter->getType(), {"function"})) return false;
  this->lambda(*lambda, true);
  const bool was_used = std::exchange(is_result_used_, true);
  const auto visit_where_called = [&](const clang::Stmt& node, const auto& self) -> void {
    const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node);
    const bool is_call = call != nullptr && call->getOperator() == clang::OO_Call &&
                         is_value_of(*call->getArg(0), *parameter);
    if (is_call) visit(*lambda->getBody());
    const auto* attempt = llvm::dyn_cast<clang::CXXTryStmt>(&node);
    for (const clang::Stmt* child : node.children()) {
      if (child == nullptr) continue;
      const Attempts outer = attempts_;
      if (attempt != nullptr && child == attempt->getTryBlock()) add_attempt(*attempt);
      self(*child, self);
      attempts_ = outer;
    }
  };
  const auto* owner = llvm::cast<clang::FunctionDecl>(parameter->getDeclContext());
  visit_where_called(*owner->getBody(), visit_where_called);
  is_result_used_ = was_used;
  return true;
}

/// `is_used`: other code gets what the function returns. `call`: which calls it, if that is known.
void RaisedErrors::follow(const clang::FunctionDecl& function, bool is_used,
                          const clang::CallExpr* call) {
  const clang::FunctionDecl* defined = nullptr;
  const bool is_bounded = functions_.size() < kMaxInstantiations;
  const clang::Stmt* body =
      is_bounded ? instantiated(context_, function).getBody(defined) : nullptr;
  if (body == nullptr) body = pattern_of(function).getBody(defined);
  if (body == nullptr || !is_read(context_, function, *body)) return;
  const bool is_error = is_error_class(constructed_class(*defined));
  const Error error = is_error ? error_ : Error();
  if (followed_.size() > kMaxFollowed) attempts_.clear();
  functions_.insert(defined);
  const bool may_have_constants = call != nullptr && followed_.size() <= kMaxWithConstants &&
                                  arguments_.depth_of(*defined) < kMaxRecursions;
  Arguments given;
  std::vector<std::string> constants;
  if (may_have_constants) {
    constants = arguments_.constants(arguments_of(*call));
    if (!constants.empty()) given = arguments_of(*call);
    const auto outer = arguments_.constants_around(*defined);
    constants.insert(constants.end(), outer.begin(), outer.end());
  }
  if (!followed_.insert({defined, attempts_, error, is_used, constants}).second) return;
  enter(*defined, *body, given);
  const Error outer = std::exchange(error_, {});
  const bool was_used = std::exchange(is_result_used_, is_used);
  const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(defined);
  if (constructor != nullptr) members(*constructor, error);
  if (constructor != nullptr && llvm::isa<clang::CXXTryStmt>(body)) {
    visit_parts(*body);  // its handlers raise their exceptions again
  } else {
    visit(*body);
  }
  lost(*defined, *body);
  arguments_.leave();
  is_result_used_ = was_used;
  error_ = outer;
}

/// The parameters that the function does not change have the values of the arguments.
void RaisedErrors::enter(const clang::FunctionDecl& function, const clang::Stmt& body,
                         Arguments given) {
  const auto is_changed = [&](const clang::ParmVarDecl& parameter) {
    const clang::QualType type = parameter.getType().getNonReferenceType();
    if (!type->isIntegralOrEnumerationType() && !is_text(type)) return false;
    const auto [known, is_new] = only_read_.try_emplace(&parameter, true);
    if (is_new) known->second = is_only_read(parameter, body);
    return !known->second;
  };
  llvm::SmallVector<const clang::Expr*, 4> kept(given.begin(), given.end());
  for (unsigned i = 0; i < kept.size() && i < function.getNumParams(); ++i) {
    if (is_changed(*function.getParamDecl(i))) kept[i] = nullptr;
  }
  arguments_.enter(function, kept);
}

/// `error`: the object that is constructed.
void RaisedErrors::members(const clang::CXXConstructorDecl& constructor, Error error) {
  // Nobody catches an object of another class as its base that is one of errors.
  if (!is_error_class(constructor.getParent())) error.raised = Raised::nowhere;
  for (const clang::CXXCtorInitializer* initialiser : constructor.inits()) {
    if (initialiser->getInit() == nullptr) continue;
    const bool is_part =
        !initialiser->isAnyMemberInitializer() && is_object_of_error(*initialiser->getInit());
    is_part ? value(*initialiser->getInit(), error) : visit(*initialiser->getInit());
  }
}

/// An expression whose value is an object of an error class, or a std::exception_ptr with one.
void RaisedErrors::value(const clang::Expr& expression, Error error, int depth) {
  const clang::Expr& e = strip_wrappers(expression);
  if (error.type == nullptr && is_error_class(record_of(e.getType()))) {
    error.type = record_of(e.getType());
  }
  const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&e);
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
    this->construct(*construct, error, depth);
  } else if (cast != nullptr && cast->getCastKind() != clang::CK_Dependent) {
    value(*cast->getSubExpr(), error, depth);
  } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&e)) {
    visit(*choice->getCond());
    value(*choice->getTrueExpr(), error, depth);
    value(*choice->getFalseExpr(), error, depth);
  } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const bool is_known =
        variable != nullptr && !llvm::isa<clang::ParmVarDecl>(variable) && depth < kMaxNames;
    const clang::Expr* initialiser = is_known ? variable->getAnyInitializer() : nullptr;
    if (initialiser == nullptr) {
      unseen(e, error);
    } else if (const auto written = unresolved_arguments(*initialiser)) {
      const Error outer = std::exchange(error_, error);
      possible_construction(variable->getType(), *written);
      error_ = outer;
    } else {
      value(*initialiser, error, depth + 1);
    }
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) {
    result(*call, error, depth);
  } else {
    const Error outer = std::exchange(error_, error);
    unresolved(e);
    error_ = outer;
    if (e.isLValue()) unseen(e, error);
    visit_parts(e);
  }
}

/// An object whose constructor is not known.
void RaisedErrors::unresolved(const clang::Expr& e) {
  if (const auto* construct = llvm::dyn_cast<clang::CXXUnresolvedConstructExpr>(&e)) {
    possible_construction(construct->getTypeAsWritten(), arguments_of(*construct));
  } else if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&e)) {
    // One argument in parentheses.
    possible_construction(cast->getTypeAsWritten(), {cast->getSubExpr()});
  } else if (const auto* parts = llvm::dyn_cast<clang::RecoveryExpr>(&e)) {
    broken(*parts);
  }
}

/// Arguments whose types are not all known, and therefore not the constructor.
void RaisedErrors::possible_construction(clang::QualType type, Arguments arguments) {
  if (qualified_type_name(type) == kHttpError) {
    arguments_.http_error(arguments);
    return keep_read();
  }
  const auto* record = record_of(type);
  if (record == nullptr || !context_.sema.isCompleteType(record->getLocation(), type)) return;
  if (!is_error_class(record)) {
    if (context_.at.sources().isInSystemHeader(record->getLocation())) return;
    for (const auto* each : possible_constructors(context_, *record, arguments)) follow(*each);
    return;
  }
  if (is_in_namespace(*record, "fw")) {
    arguments_.validation_error(arguments);
    return keep_read();
  }
  for (const auto* each : possible_constructors(context_, *record, arguments)) {
    constructed(*each, arguments);
  }
}

/// What a call returns.
void RaisedErrors::result(const clang::CallExpr& call, Error error, int depth) {
  const std::string name = called_name(*call.getCallee());
  const clang::Expr* same = passed_through(call);
  if (name == kMakePointer && call.getNumArgs() == 1) same = call.getArg(0);
  if (same != nullptr) return value(*same, error, depth);
  if (name == kFromKey) {
    const Error outer = std::exchange(error_, error);
    raises(name, {call.getArgs(), call.getNumArgs()});
    error_ = outer;
    return visit_parts(call);
  }
  const clang::FunctionDecl* function = called_function(call);
  const bool is_known =
      error.raised == Raised::nowhere || (function != nullptr && !may_be_overridden(*function) &&
                                          values_of(*function, arguments_of(call), error, depth));
  if (!is_known) unseen(call, error);
  this->call(call);
}

/// What the function returns. False if that is not known.
bool RaisedErrors::values_of(const clang::FunctionDecl& function, Arguments given, Error error,
                             int depth) {
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = instantiated(context_, function).getBody(defined);
  if (body == nullptr || depth == kMaxNames || !is_read(context_, function, *body)) return false;
  if (!returning_.insert(defined).second) return true;
  const auto find = [&](const clang::Stmt& node, const auto& self) -> void {
    if (llvm::isa<clang::LambdaExpr>(node)) return;
    const auto* returned = llvm::dyn_cast<clang::ReturnStmt>(&node);
    if (returned != nullptr && returned->getRetValue() != nullptr) {
      value(*returned->getRetValue(), error, depth + 1);
    }
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) self(*child, self);
    }
  };
  enter(*defined, *body, given);
  find(*body, find);
  arguments_.leave();
  returning_.erase(defined);
  return true;
}

/// An object that was constructed where that is not seen.
void RaisedErrors::unseen(const clang::Expr& object, Error error) {
  const auto* type = record_of(object.getType());
  if (error.raised != Raised::here || !is_error_class(type)) return;
  const Error outer = std::exchange(error_, error);
  any_constructor(*type);
  error_ = outer;
  elements(object, error);
  made_for(object, error);
}

/// The objects in the global variables that the expression names.
void RaisedErrors::elements(const clang::Stmt& node, Error error) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node);
  const auto* variable =
      name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  const bool is_global = variable != nullptr && variable->isDefinedOutsideFunctionOrMethod();
  const clang::Expr* initialiser = is_global ? variable->getAnyInitializer() : nullptr;
  if (initialiser != nullptr) objects(*initialiser, error);
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) elements(*child, error);
  }
}

void RaisedErrors::objects(const clang::Stmt& node, Error error) {
  const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
  if (expression != nullptr && expression->isPRValue() && is_object_of_error(*expression)) {
    return value(*expression, error);
  }
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) objects(*child, error);
  }
}

/// Of the class, or of its bases if it has none.
void RaisedErrors::any_constructor(const clang::CXXRecordDecl& type) {
  bool has_own = false;
  for (const clang::CXXConstructorDecl* each : type.getDefinition()->ctors()) {
    if (each->isImplicit() || !each->isUserProvided() || each->isCopyOrMoveConstructor()) continue;
    has_own = true;
    follow(*each);
  }
  if (has_own) return;
  for (const clang::CXXBaseSpecifier& base : type.getDefinition()->bases()) {
    const auto* parent = record_of(base.getType());
    if (is_error_class(parent)) any_constructor(*parent);
  }
}

void RaisedErrors::construct(const clang::CXXConstructExpr& construct, Error error, int depth) {
  const clang::CXXConstructorDecl& constructor = written_constructor(construct);
  const Arguments given(construct.getArgs(), construct.getNumArgs());
  if (!is_object_of_error(construct)) return construct_other(construct);
  if (constructor.isCopyOrMoveConstructor() && !given.empty()) {
    return value(*given[0], error, depth);
  }
  const Error outer = std::exchange(error_, error);
  constructed(constructor, given);
  error_ = outer;
  visit_parts(construct);
}

/// What Clang keeps of an expression if no function accepts its arguments.
void RaisedErrors::broken(const clang::RecoveryExpr& expression) {
  const llvm::ArrayRef<const clang::Expr*> parts(expression.subExpressions());
  if (parts.empty()) return;
  const std::string name = called_name(*parts.front());
  if (is_raise(name)) return raise(name, parts.drop_front());
  if (raises(name, parts.drop_front())) return;
  if (!is_callee(*parts.front())) possible_construction(expression.getType(), parts);
}

/// `app.raise(…)` and `fw::raise(…)`.
void RaisedErrors::raise(const std::string& function, Arguments arguments) {
  const Error outer = std::exchange(error_, {.type = framework_class(context_.ast, "HttpError")});
  raises(function, arguments);
  error_ = outer;
}

/// Reads the arguments of `raise` and `fw::HttpError::from_key`. Returns false for any other
/// function.
bool RaisedErrors::raises(const std::string& function, Arguments arguments) {
  const bool is_read = arguments_.raises(function, arguments);
  keep_read();
  return is_read;
}

/// Options that the function raises.
void RaisedErrors::parameters(Arguments given, const clang::FunctionDecl& function) {
  arguments_.parameters(given, function);
  keep_read();
}

/// Of an error class.
void RaisedErrors::constructed(const clang::CXXConstructorDecl& constructor, Arguments arguments) {
  llvm::SmallVector<const clang::Expr*, 4> given(arguments.begin(), arguments.end());
  if (!is_in_namespace(constructor, "fw")) {
    const std::size_t known = std::min<std::size_t>(given.size(), constructor.getNumParams());
    for (const auto* parameter : constructor.parameters().drop_front(known)) {
      if (!parameter->hasDefaultArg() || parameter->hasUninstantiatedDefaultArg()) break;
      given.push_back(parameter->getDefaultArg());
    }
    follow(constructor);
  }
  arguments_.construct(constructor, given);
  keep_read();
}

void RaisedErrors::keep_read() {
  for (const model::SentResponse& each : arguments_.take()) keep(each);
}

void RaisedErrors::keep(const model::SentResponse& error) {
  const auto is_ended = [&](const clang::CXXTryStmt* each) {
    return caught_.ends(*each, error_.type);
  };
  if (error_.raised == Raised::nowhere) return;
  if (error_.raised == Raised::here && std::ranges::any_of(attempts_, is_ended)) return;
  const auto is_same = [&](const model::SentResponse& other) {
    return std::tie(other.statuses, other.code, other.message, other.type.name) ==
           std::tie(error.statuses, error.code, error.message, error.type.name);
  };
  if (std::ranges::none_of(errors_, is_same)) errors_.push_back(error);
}

}  // namespace fairway::frontend
