#include "frontend/handlers/handler_call.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Sema/Initialization.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>
#include <fmt/format.h>

#include <algorithm>

#include "frontend/errors/error_collector.hpp"
#include "frontend/handlers/handler_type.hpp"
#include "frontend/tree/type_names.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// "the handler", of a type that has a name "the handler of the type 'Show'".
std::string name_of(const FileContext& context, clang::QualType type) {
  return is_lambda_type(type) ? "the handler"
                              : fmt::format("the handler of the type '{}'", shown(context, type));
}

/// Whether `object(req, res)` compiles.
bool takes_both(FileContext& context, clang::QualType type, clang::SourceLocation location) {
  llvm::SmallVector<clang::Expr*, 2> arguments;
  for (const llvm::StringRef name : {"Request", "Response"}) {
    const clang::CXXRecordDecl* record = framework_class(context.ast, name);
    if (record == nullptr) return true;
    arguments.push_back(new (context.ast) clang::OpaqueValueExpr(
        location, context.ast.getRecordType(record), clang::VK_LValue));
  }
  auto* object = new (context.ast) clang::OpaqueValueExpr(location, type, clang::VK_LValue);
  // A call in an operand of decltype uses no variables.
  context.sema.PushExpressionEvaluationContext(
      clang::Sema::ExpressionEvaluationContext::Unevaluated);
  const auto errors = context.errors.errors_of([&] {
    static_cast<void>(context.sema.BuildCallExpr(nullptr, object, location, arguments, location));
  });
  context.sema.PopExpressionEvaluationContext();
  // The body of a template may have errors of its own.
  return std::ranges::none_of(
      errors, [&](const auto& error) { return error.message.location == location; });
}

/// Why the framework cannot use the only call operator; empty if it can.
std::string operator_problem(const clang::CXXMethodDecl& method, clang::AccessSpecifier access) {
  if (access != clang::AS_public) return "not public";
  if (method.isDeleted()) return "deleted";
  if (method.isVolatile()) return "'volatile'";
  if (method.getRefQualifier() == clang::RQ_RValue) return "for temporary objects only, by '&&'";
  if (method.isVariadic()) return "variadic";
  return {};
}

std::optional<CallProblem> problem_of_object(FileContext& context, clang::QualType type,
                                             const clang::CXXRecordDecl& record,
                                             clang::SourceLocation location) {
  clang::LookupResult operators(context.sema,
                                context.ast.DeclarationNames.getCXXOperatorName(clang::OO_Call),
                                location, clang::Sema::LookupOrdinaryName);
  operators.suppressDiagnostics();
  context.sema.LookupQualifiedName(operators, const_cast<clang::CXXRecordDecl*>(&record));
  const auto* method =
      operators.isSingleResult()
          ? llvm::dyn_cast<clang::CXXMethodDecl>(operators.getFoundDecl()->getUnderlyingDecl())
          : nullptr;
  const std::string problem =
      method == nullptr ? "" : operator_problem(*method, operators.begin().getAccess());
  if ((method != nullptr && problem.empty()) || takes_both(context, type, location)) {
    return std::nullopt;
  }
  if (method != nullptr) {
    return CallProblem{
        fmt::format("the call operator of {} is {}", name_of(context, type), problem),
        "the framework calls a handler as an object with a name, with the parameters of its "
        "only call operator"};
  }
  const std::string problem_of_type =
      fmt::format("the parameters of {} are not known", name_of(context, type));
  if (is_std_type(type, {"reference_wrapper"})) {
    return CallProblem{problem_of_type,
                       "pass the object itself, of which the route gets a copy, or a lambda that "
                       "calls an object that lives as long as the application"};
  }
  return CallProblem{problem_of_type,
                     "an overloaded class or a template must take 'fw::Request&' and "
                     "'fw::Response&'; otherwise write a lambda that calls it"};
}

/// Whether std::function can keep the object: its copy constructor may be explicit.
bool has_copies(const FileContext& context, clang::QualType type, clang::SourceLocation location) {
  clang::OpaqueValueExpr object(location, type.withConst(), clang::VK_LValue);
  clang::Expr* original = &object;
  const auto copy = clang::InitializedEntity::InitializeTemporary(type);
  const auto kind = clang::InitializationKind::CreateDirect(location, location, location);
  return static_cast<bool>(clang::InitializationSequence(context.sema, copy, kind, original));
}

/// Whether the object can be given to a parameter by `std::move`.
bool is_movable(const FileContext& context, clang::QualType type, clang::SourceLocation location) {
  clang::OpaqueValueExpr object(location, type, clang::VK_XValue);
  const auto moved = clang::InitializedEntity::InitializeParameter(context.ast, type, false);
  return context.sema.CanPerformCopyInitialization(moved, &object);
}

}  // namespace

bool takes_request_and_response(FileContext& context, const clang::Expr& handler) {
  const clang::QualType type = type_of_handler(handler).getUnqualifiedType();
  return !type.isNull() && !type->isDependentType() &&
         takes_both(context, type, handler.getBeginLoc());
}

std::optional<CallProblem> call_problem(FileContext& context, const clang::Expr& handler) {
  const clang::QualType type = type_of_handler(handler).getUnqualifiedType();
  if (type.isNull() || type->isDependentType()) return std::nullopt;
  const clang::SourceLocation location = handler.getBeginLoc();
  if (type->isMemberPointerType()) {
    return CallProblem{"a member of a class cannot be called without an object",
                       "write a lambda that calls it"};
  }
  if (type->isPointerType()) {
    const auto* function = type->getPointeeType()->getAs<clang::FunctionProtoType>();
    if (function == nullptr) {
      return CallProblem{
          fmt::format("a pointer to '{}' cannot be called", shown(context, type->getPointeeType())),
          "pass the object itself, or a lambda that calls it"};
    }
    if (function->isVariadic()) {
      return CallProblem{"the handler is variadic", "remove the '...' from its parameters"};
    }
    return std::nullopt;
  }
  const clang::CXXRecordDecl* record = record_of(type);
  if (record == nullptr || !record->hasDefinition() || record->isInvalidDecl() ||
      is_in_namespace(*record, "fw")) {
    return std::nullopt;
  }
  if (auto problem = problem_of_object(context, type, *record->getDefinition(), location)) {
    return problem;
  }
  if (has_copies(context, type, location)) {
    if (is_movable(context, type, location)) return std::nullopt;
    return CallProblem{fmt::format("{} cannot be moved", name_of(context, type)),
                       "remove the deleted move constructor, so that it is copied instead"};
  }
  return CallProblem{fmt::format("{} cannot be copied", name_of(context, type)),
                     "let it have what it owns by 'std::shared_ptr', or by a reference to an "
                     "object that lives as long as the application"};
}

}  // namespace fairway::frontend
