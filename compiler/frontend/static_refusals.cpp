// What is said about values that are not static.
#include <fmt/format.h>

#include "frontend/static_resolver.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

struct Wording {
  const char* id;
  const char* subject;
  const char* help;
};

Wording wording(Purpose purpose) {
  switch (purpose) {
    case Purpose::path:
      return {"route-path-not-static", "route path is",
              "write a string literal, or a 'constexpr' variable with one"};
    case Purpose::options:
      return {"options-not-static", "route options are",
              "write a literal, or a 'const' variable with a static initialiser"};
    case Purpose::builder:
      return {"schema-builder-misuse", "text of the schema builder is",
              "write a string literal, or a 'constexpr' variable with one"};
    case Purpose::reexport:
      return {"reexport-not-resolvable", "the file to re-export is",
              "name the file in a string literal, or in a 'constexpr' variable with one"};
  }
  return {};
}

}  // namespace

std::optional<model::Value> StaticResolver::refuse(const clang::Expr& e, const std::string& why,
                                                   const clang::VarDecl* variable) {
  if (e.containsErrors()) return std::nullopt;
  const Wording words = wording(purpose_);
  auto& diagnostic = report(words.id, e, fmt::format("{} not static: {}", words.subject, why));
  diagnostic.help = words.help;
  if (variable != nullptr) note_definition(diagnostic, *variable);
  return std::nullopt;
}

std::optional<model::Value> StaticResolver::helper(const clang::CallExpr& call,
                                                   const clang::NamedDecl* callee) {
  auto& diagnostic =
      report("options-from-helper", call, "options come from " + describe_call(callee));
  diagnostic.help = "write the options in place, or store them in a 'const' variable of this file";
  if (callee != nullptr && unit_.at.in_main_file(callee->getLocation())) {
    note_definition(diagnostic, *callee);
  }
  return std::nullopt;
}

std::optional<model::Value> StaticResolver::misuse(const clang::Expr& e, const std::string& what,
                                                   const clang::VarDecl* variable) {
  auto& diagnostic = report("schema-builder-misuse", e, what + " cannot be resolved");
  diagnostic.help =
      "write 'fw::schema_adapter::compile_field(\"…\")' with at most one '.description(\"…\")' in "
      "this file";
  if (variable != nullptr) note_definition(diagnostic, *variable);
  return std::nullopt;
}

std::optional<model::Value> StaticResolver::conversion(const clang::Expr& e) {
  const clang::Expr* operand = &e;
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&e)) {
    operand = cast->getSubExpr()->IgnoreImplicit();
    if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(operand)) {
      operand = member->getImplicitObjectArgument();
    }
  }
  return refuse(e, describe_type(operand->getType()));
}

std::string StaticResolver::describe_type(clang::QualType type) const {
  return fmt::format("a value of the type '{}'",
                     type.getUnqualifiedType().getAsString(unit_.context.getPrintingPolicy()));
}

model::Diagnostic& StaticResolver::report(std::string id, const clang::Expr& e,
                                          std::string message) {
  auto& diagnostic = unit_.report(std::move(id), std::move(message), unit_.at.of(e));
  diagnostic.method = method_;
  diagnostic.route = route_;
  return diagnostic;
}

void StaticResolver::note_definition(model::Diagnostic& diagnostic,
                                     const clang::NamedDecl& declaration) {
  if (declaration.getLocation().isInvalid()) return;
  diagnostic.notes.push_back({fmt::format("'{}' is defined here", declaration.getNameAsString()),
                              unit_.at.token(declaration.getLocation())});
}

std::string describe(const clang::Expr& e) {
  if (llvm::isa<clang::AbstractConditionalOperator>(e)) return "a conditional expression";
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&e)) {
    return fmt::format("the operator '{}'", binary->getOpcodeStr().str());
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&e)) {
    return fmt::format("the operator '{}'",
                       clang::UnaryOperator::getOpcodeStr(unary->getOpcode()).str());
  }
  if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&e)) {
    return fmt::format("the operator '{}'", clang::getOperatorSpelling(call->getOperator()));
  }
  if (llvm::isa<clang::ArraySubscriptExpr>(e)) return "an element of an array";
  if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(e)) return "an operator on a type";
  if (llvm::isa<clang::CXXThisExpr>(e)) return "'this'";
  if (llvm::isa<clang::CXXNewExpr>(e)) return "'new'";
  return "this expression is evaluated at run time";
}

}  // namespace fairway::frontend
