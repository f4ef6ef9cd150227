#include "frontend/handlers/response_callee.hpp"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <array>
#include <string>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/errors/compile_errors.hpp"
#include "frontend/errors/lost_statements.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// Whether parts of a function that is called may be missing.
bool is_incomplete(const FileContext& context, const clang::Stmt& body) {
  if (context.at.in_main_file(body.getBeginLoc())) return has_lost_words(context, body);
  return std::ranges::any_of(context.errors.errors(), [&](const ErrorCollector::Error& error) {
    return belongs_to(context, body.getSourceRange(), error);
  });
}

bool holds_response(const ResponseUse& use, llvm::ArrayRef<const clang::Expr*> arguments) {
  return std::ranges::any_of(
      arguments, [&](const clang::Expr* each) { return !use.held_by(*each).is_empty(); });
}

/// Whether the parameters can have what the arguments have.
bool bind(const ResponseUse& use, ResponseCallee& callee,
          llvm::ArrayRef<const clang::Expr*> arguments) {
  const unsigned count = callee.function->getNumParams();
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const clang::ParmVarDecl* parameter = i < count ? callee.function->getParamDecl(i) : nullptr;
    HeldResponse has = use.held_by(*arguments[i]);
    if (!has.is_empty() && (parameter == nullptr || !can_hold(parameter->getType(), has))) {
      return false;
    }
    if (parameter == nullptr) continue;
    callee.names.emplace_back(parameter, std::move(has));
    const clang::QualType type = parameter->getType();
    if (type.getNonReferenceType()->isIntegralOrEnumerationType() || is_text(type)) {
      callee.values.emplace_back(parameter, arguments[i]);
    }
  }
  return true;
}

/// What other code calls of a lambda: of one with parameters `auto`, the function for each type.
std::vector<const clang::CXXMethodDecl*> instances_of(const clang::CXXMethodDecl& operation) {
  std::vector<const clang::CXXMethodDecl*> instances;
  const clang::FunctionTemplateDecl* pattern = operation.getDescribedFunctionTemplate();
  if (pattern != nullptr) {
    for (const clang::FunctionDecl* each : pattern->specializations()) {
      if (each->getBody() == nullptr) continue;
      instances.push_back(llvm::cast<clang::CXXMethodDecl>(each));
    }
  }
  if (instances.empty()) instances.push_back(&operation);
  return instances;
}

/// The functions that a call operator of a class may be: of a template, one for each type.
std::vector<const clang::FunctionDecl*> instances_of(const clang::NamedDecl& operation) {
  const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(operation.getUnderlyingDecl());
  if (pattern == nullptr || pattern->specializations().empty()) {
    return {operation.getUnderlyingDecl()->getAsFunction()};
  }
  return {pattern->spec_begin(), pattern->spec_end()};
}

/// How often a function calls what it gets, before it returns.
std::optional<LambdaCallees::Calls> calls_of_library(const clang::CallExpr& call) {
  using Calls = LambdaCallees::Calls;
  // A function object: `std::ranges::for_each`.
  const bool is_object = llvm::isa<clang::CXXOperatorCallExpr>(call);
  const std::string name = called_name(is_object ? *call.getArg(0) : *call.getCallee());
  constexpr std::array<llvm::StringLiteral, 3> kOnce = {"std::visit", "std::invoke", "std::apply"};
  constexpr std::array<llvm::StringLiteral, 7> kPerhaps = {
      "std::call_once",         "std::optional::and_then", "std::optional::transform",
      "std::optional::or_else", "std::expected::and_then", "std::expected::transform",
      "std::expected::or_else"};
  constexpr std::array<llvm::StringLiteral, 7> kOften = {
      "for_each", "for_each_n", "all_of", "any_of", "none_of", "find_if", "count_if"};
  if (is_one_of(kOnce, name)) return Calls::once;
  if (is_one_of(kPerhaps, name)) return Calls::perhaps;
  for (const llvm::StringRef scope : {"std::ranges::", "std::"}) {
    if (!llvm::StringRef(name).starts_with(scope)) continue;
    const llvm::StringRef own = llvm::StringRef(name).drop_front(scope.size());
    if (is_one_of(kOften, own)) return Calls::any_number;
  }
  return std::nullopt;
}

/// Whether objects of the class do nothing but call the lambdas that it is derived from.
bool is_set_of_lambdas(const clang::CXXRecordDecl& type) {
  if (type.isLambda()) return true;
  return type.hasDefinition() && type.field_empty() &&
         std::ranges::all_of(type.methods(), [](const auto* each) { return each->isImplicit(); }) &&
         std::ranges::all_of(type.bases(), [](const clang::CXXBaseSpecifier& base) {
           const auto* parent = record_of(base.getType());
           return parent != nullptr && is_set_of_lambdas(*parent);
         });
}

void add_lambdas(llvm::SmallVectorImpl<const clang::CXXRecordDecl*>& lambdas,
                 clang::QualType type) {
  const auto* record = record_of(type);
  if (record == nullptr || !record->hasDefinition() || record->isInStdNamespace()) return;
  if (record->isLambda()) return lambdas.push_back(record);
  for (const clang::CXXBaseSpecifier& base : record->getDefinition()->bases()) {
    add_lambdas(lambdas, base.getType());
  }
}

}  // namespace

std::optional<ResponseCallee> read_function(const FileContext& context,
                                            const clang::FunctionDecl& function) {
  if (condition_around(context, function.getLocation()) != nullptr) return std::nullopt;
  ResponseCallee callee;
  callee.body = instantiated(context, function).getBody(callee.function);
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  const bool is_lambda = method != nullptr && method->getParent()->isLambda();
  if (callee.body == nullptr) {
    const clang::FunctionDecl& pattern = pattern_of(function);
    // An object of a template has members of its own.
    if (!is_lambda && method != nullptr && method->isInstance() &&
        llvm::cast<clang::CXXMethodDecl>(pattern).getParent()->getCanonicalDecl() !=
            method->getParent()->getCanonicalDecl()) {
      return std::nullopt;
    }
    callee.body = pattern.getBody(callee.function);
  }
  if (callee.body == nullptr || (!is_lambda && !is_read(context, function, *callee.body)) ||
      is_incomplete(context, *callee.body) ||
      condition_in(context, callee.function->getSourceRange()) != nullptr) {
    return std::nullopt;
  }
  return callee;
}

std::optional<ResponseCallee> callee_of(const FileContext& context, const ResponseUse& use,
                                        const clang::CallExpr& call) {
  const clang::FunctionDecl* function = called_function(call);
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  if (function == nullptr || (method != nullptr && method->isVirtual())) return std::nullopt;
  HeldResponse self = object_of_call(use, call);
  const llvm::ArrayRef<const clang::Expr*> arguments(call.getArgs(), call.getNumArgs());
  const bool is_lambda = method != nullptr && method->getParent()->isLambda();
  const bool has_lambda =
      std::ranges::any_of(arguments, [](const clang::Expr* each) { return has_lambdas(*each); });
  if (!is_lambda && !has_lambda && self.is_empty() && !holds_response(use, arguments)) {
    return std::nullopt;
  }
  auto callee = read_function(context, *function);
  // The first argument of an operator is its object.
  const bool has_object = method != nullptr && llvm::isa<clang::CXXOperatorCallExpr>(call);
  if (!callee || !bind(use, *callee, arguments.drop_front(has_object ? 1 : 0))) return std::nullopt;
  callee->self = std::move(self);
  return callee;
}

std::optional<ResponseCallee> callee_of(const FileContext& context, const ResponseUse& use,
                                        const clang::CXXConstructExpr& construct) {
  const clang::CXXConstructorDecl* constructor = construct.getConstructor();
  const llvm::ArrayRef<const clang::Expr*> arguments(construct.getArgs(), construct.getNumArgs());
  if (!holds_response(use, arguments) || !is_followed(*constructor->getParent()) ||
      constructor->isInheritingConstructor()) {
    return std::nullopt;
  }
  auto callee = read_function(context, *constructor);
  if (!callee || !bind(use, *callee, arguments)) return std::nullopt;
  return callee;
}

bool is_followed(const clang::CXXRecordDecl& type) {
  const clang::CXXRecordDecl* definition = type.getDefinition();
  if (definition == nullptr || definition->isUnion() || definition->isLambda()) return false;
  const clang::CXXDestructorDecl* destructor = definition->getDestructor();
  return destructor == nullptr || !destructor->isUserProvided();
}

HeldResponse object_of_call(const ResponseUse& use, const clang::CallExpr& call) {
  const clang::Expr& function = strip_wrappers(*call.getCallee());
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&function)) {
    return use.held_by(*member->getBase());
  }
  if (const auto* overloads = llvm::dyn_cast<clang::UnresolvedMemberExpr>(&function)) {
    return overloads->isImplicitAccess() ? use.self() : use.held_by(*overloads->getBase());
  }
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call) &&
                           llvm::isa_and_nonnull<clang::CXXMethodDecl>(call.getDirectCallee());
  return is_operator ? use.held_by(*call.getArg(0)) : HeldResponse();
}

llvm::SmallVector<const clang::CXXRecordDecl*, 1> lambdas_of(clang::QualType type) {
  llvm::SmallVector<const clang::CXXRecordDecl*, 1> lambdas;
  add_lambdas(lambdas, type);
  return lambdas;
}

bool has_lambdas(const clang::Expr& expression) {
  return !lambdas_of(strip_wrappers(expression).getType()).empty();
}

std::optional<LambdaCallees> lambda_callees_of(const FileContext& context,
                                               const clang::CallExpr& call) {
  const auto calls = calls_of_library(call);
  if (!calls) return std::nullopt;
  LambdaCallees callees{.calls = *calls};
  for (const clang::Expr* argument : call.arguments()) {
    if (!has_lambdas(*argument)) continue;
    if (callees.argument != nullptr) return std::nullopt;
    callees.argument = argument;
  }
  if (callees.argument == nullptr) return std::nullopt;
  const clang::QualType type = strip_wrappers(*callees.argument).getType();
  if (!is_set_of_lambdas(*record_of(type))) return std::nullopt;
  for (const clang::CXXRecordDecl* lambda : lambdas_of(type)) {
    const clang::CXXMethodDecl* operation = lambda->getLambdaCallOperator();
    if (operation == nullptr) return std::nullopt;
    for (const clang::CXXMethodDecl* function : instances_of(*operation)) {
      const clang::Stmt* body = function->getBody();
      if (body == nullptr || is_incomplete(context, *body) ||
          condition_in(context, body->getSourceRange()) != nullptr) {
        return std::nullopt;
      }
      callees.functions.push_back(function);
    }
  }
  if (callees.functions.empty()) return std::nullopt;
  return callees;
}

std::optional<LambdaCallees> visitor_callees_of(const FileContext& context, const ResponseUse& use,
                                                const clang::CallExpr& call) {
  // Functions that call it more often may copy the object and return the copy.
  if (calls_of_library(call) != LambdaCallees::Calls::once) return std::nullopt;
  LambdaCallees callees{.calls = LambdaCallees::Calls::once};
  for (const clang::Expr* argument : call.arguments()) {
    if (use.held_by(*argument).is_empty()) continue;
    if (callees.argument != nullptr) return std::nullopt;
    callees.argument = argument;
  }
  const auto* type = callees.argument == nullptr
                         ? nullptr
                         : record_of(strip_wrappers(*callees.argument).getType());
  if (type == nullptr || !is_followed(*type)) return std::nullopt;
  const auto operators = type->getDefinition()->lookup(
      context.ast.DeclarationNames.getCXXOperatorName(clang::OO_Call));
  for (const clang::NamedDecl* each : operators) {
    for (const clang::FunctionDecl* instance : instances_of(*each)) {
      const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(instance);
      if (method == nullptr || method->isVirtual()) return std::nullopt;
      const auto callee = read_function(context, *method);
      if (!callee) return std::nullopt;
      callees.functions.push_back(llvm::cast<clang::CXXMethodDecl>(callee->function));
    }
  }
  if (callees.functions.empty()) return std::nullopt;
  return callees;
}

}  // namespace fairway::frontend
