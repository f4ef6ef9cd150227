// Diagnostics about values that are not static.
#include <fmt/format.h>

#include <utility>

#include "frontend/tree/type_names.hpp"
#include "frontend/values/static_context.hpp"
#include "model/source_rules.hpp"

namespace fairway::frontend::statics {
namespace {

struct Wording {
  const model::Rule& rule;
  const char* subject;
  const char* help;
};

Wording wording(Purpose purpose) {
  switch (purpose) {
    case Purpose::path:
      return {model::rules::route_path_not_static, "route path is",
              "write a string literal, or a 'constexpr' variable that is initialised with one"};
    case Purpose::options:
      return {model::rules::options_not_static, "route options are",
              "write a literal, or a 'const' variable with a static initialiser"};
    case Purpose::builder:
      return {model::rules::schema_builder_misuse, "string of the schema builder is",
              "write a string literal, or a 'constexpr' variable that is initialised with one"};
    case Purpose::reexport:
      break;
  }
  return {model::rules::reexport_not_resolvable, "the file to re-export is",
          "name the file in a string literal, or in a 'constexpr' variable that is initialised "
          "with one"};
}

/// The reference is valid until the next call.
model::Diagnostic& add_reason(Context& c, const model::Rule& rule, model::Range range,
                              std::string message) {
  model::Diagnostic& reason = c.reasons.emplace_back();
  reason.id = rule.id;
  reason.severity = rule.severity;
  reason.message = std::move(message);
  reason.range = std::move(range);
  return reason;
}

void note_definition(const Context& c, const clang::NamedDecl& declaration,
                     model::Diagnostic& reason) {
  if (declaration.getLocation().isInvalid()) return;
  reason.notes.push_back({fmt::format("'{}' is defined here", declaration.getNameAsString()),
                          c.at.token(declaration.getLocation())});
}

}  // namespace

Result not_static(Context& c, const clang::Expr& e, const std::string& why,
                  const clang::VarDecl* variable) {
  if (e.containsErrors()) return std::nullopt;
  const Wording words = wording(c.purpose);
  auto& reason =
      add_reason(c, words.rule, c.at.of(e), fmt::format("{} not static: {}", words.subject, why));
  reason.help = words.help;
  if (variable != nullptr) note_definition(c, *variable, reason);
  return std::nullopt;
}

Result built_by_helper(Context& c, const clang::CallExpr& call, const clang::NamedDecl* callee) {
  auto& reason = add_reason(c, model::rules::options_from_helper, c.at.of(call),
                            "options come from " + describe_call(callee));
  reason.help = "write the options in place, or store them in a 'const' variable of this file";
  if (callee != nullptr && c.at.in_main_file(callee->getLocation())) {
    note_definition(c, *callee, reason);
  }
  return std::nullopt;
}

Result misused_builder(Context& c, const clang::Expr& e, const std::string& what,
                       const clang::VarDecl* variable) {
  auto& reason =
      add_reason(c, model::rules::schema_builder_misuse, c.at.of(e), what + " cannot be resolved");
  reason.help =
      "write 'fw::schema_adapter::compile_field(\"…\")' with at most one '.description(\"…\")' in "
      "this file";
  if (variable != nullptr) note_definition(c, *variable, reason);
  return std::nullopt;
}

Result foreign_conversion(Context& c, const clang::Expr& e) {
  const clang::Expr* operand = &e;
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&e)) {
    operand = cast->getSubExpr()->IgnoreImplicit();
    if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(operand)) {
      operand = member->getImplicitObjectArgument();
    }
  }
  return not_static(c, e, describe_type(c, operand->getType()));
}

std::string describe_type(const Context& c, clang::QualType type) {
  return fmt::format("a value of the type '{}'",
                     type.getUnqualifiedType().getAsString(plain_policy(c.ast)));
}

model::Diagnostic& wrong_order(Context& c, clang::SourceLocation designator,
                               const clang::FieldDecl& field, const clang::FieldDecl& before) {
  const std::string name = field.getNameAsString();
  const std::string other = before.getNameAsString();
  auto& reason = add_reason(c, model::rules::bad_registration, c.at.token(designator),
                            fmt::format("'{}' is written after '{}'", name, other));
  reason.help = fmt::format(
      "move '.{}' before '.{}': designators follow the order of the members of 'fw::{}'", name,
      other, field.getParent()->getNameAsString());
  return reason;
}

std::string describe_call(const clang::NamedDecl* callee) {
  return callee == nullptr ? "a call of a lambda"
                           : fmt::format("a call of '{}'", callee->getNameAsString());
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
  if (llvm::isa<clang::SubstNonTypeTemplateParmExpr>(e)) {
    return "an argument of a template of the standard library";
  }
  return "this expression is evaluated at run time";
}

}  // namespace fairway::frontend::statics
