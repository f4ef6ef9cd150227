#include "frontend/bad_registration.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/Sema/Initialization.h>
#include <clang/Sema/Sema.h>
#include <fmt/format.h>

#include "frontend/compile_errors.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

constexpr const char* kForms =
    "a registration takes a path and a handler, or a path, options and a handler that takes "
    "'fw::Request&' and 'fw::Response&'";

std::string wrong_count(const RegistrationCall& call) {
  switch (call.arguments.size()) {
    case 0:
      return fmt::format("'{}' is called without arguments", call.function);
    case 1:
      return fmt::format("'{}' is called without a handler", call.function);
    case 2:
    case 3:
      return {};
    default:
      return fmt::format("'{}' is called with {} arguments", call.function, call.arguments.size());
  }
}

/// The type `fw::RouteOptions`, as a parameter of an overload of the method that `call` names.
clang::QualType options_type(const RegistrationCall& call) {
  const auto* record =
      record_of(call.object->getType()->isPointerType() ? call.object->getType()->getPointeeType()
                                                        : call.object->getType());
  if (record == nullptr) return {};
  for (const clang::CXXMethodDecl* method : record->methods()) {
    if (method->getDeclName().isIdentifier() && method->getName() == call.function &&
        method->getNumParams() == 3) {
      return method->getParamDecl(1)->getType();
    }
  }
  return {};
}

/// Overload resolution only says that the braces do not fit: initialising the options alone makes
/// Clang say which member is wrong.
std::vector<ErrorCollector::Error> faults_of_options(Unit& unit, const RegistrationCall& call) {
  if (call.arguments.size() != 3) return {};
  const auto* braces = llvm::dyn_cast<clang::InitListExpr>(call.arguments[1]->IgnoreParens());
  const clang::QualType type = options_type(call);
  if (braces == nullptr || type.isNull()) return {};
  const std::size_t before = unit.errors.errors().size();
  const auto entity = clang::InitializedEntity::InitializeTemporary(type);
  unit.sema.PerformCopyInitialization(entity, braces->getBeginLoc(),
                                      const_cast<clang::InitListExpr*>(braces));
  return unit.errors.take_from(before);
}

}  // namespace

void report_bad_registration(Unit& unit, const RegistrationCall& call) {
  const auto complete = [&](model::Diagnostic& diagnostic) {
    diagnostic.method = call.method;
    diagnostic.route = route_hint(call);
    diagnostic.help = kForms;
  };
  const auto faults = faults_of_options(unit, call);
  for (const auto& fault : faults) {
    auto& diagnostic =
        unit.report("bad-registration", "the options do not fit: " + fault.message.text,
                    unit.at.of(fault.message.shown()));
    complete(diagnostic);
    diagnostic.help = "see the members and their types in <fairway/route_options.hpp>";
  }
  if (faults.empty()) {
    std::string message = wrong_count(call);
    if (message.empty()) {
      message = fmt::format("'{}' cannot be called with these arguments", call.function);
    }
    complete(unit.report("bad-registration", std::move(message), unit.at.token(call.name)));
  }
  const bool has_reason = !faults.empty() || call.arguments.empty();
  const auto handler = has_reason ? clang::SourceLocation() : call.arguments.back()->getBeginLoc();
  unit.explained.push_back(
      {call.expression->getSourceRange(), unit.file.diagnostics.size() - 1, handler});
}

}  // namespace fairway::frontend
