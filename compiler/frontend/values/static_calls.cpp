// Calls. Only the framework's builders are resolved.
#include <utility>

#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_context.hpp"

namespace fairway::frontend::statics {
namespace {

bool is_field_builder(clang::QualType type) {
  return qualified_type_name(type) == "fw::schema_adapter::FieldBuilder";
}

/// `fw::Json::array(…)` and `fw::Json::object(…)`.
bool makes_json(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr && method->isStatic() && is_in_namespace(*method, "nlohmann") &&
         method->getDeclName().isIdentifier() &&
         (method->getName() == "array" || method->getName() == "object");
}

/// Functions that only pass their argument on.
bool is_identity(const clang::FunctionDecl& function) {
  return function.isInStdNamespace() && function.getDeclName().isIdentifier() &&
         function.getNumParams() == 1 &&
         (function.getName() == "move" || function.getName() == "forward" ||
          function.getName() == "as_const");
}

/// The function or callable object that a call names; null if there is none.
const clang::NamedDecl* called_name(const clang::CallExpr& call) {
  const auto* operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
  if (operation == nullptr) return call.getDirectCallee();
  if (operation->getOperator() != clang::OO_Call) return nullptr;
  const auto* object =
      llvm::dyn_cast<clang::DeclRefExpr>(operation->getArg(0)->IgnoreParenImpCasts());
  return object == nullptr ? nullptr : object->getDecl();
}

Result with_purpose(Context& c, Purpose purpose, const clang::Expr& argument) {
  const Purpose outer = std::exchange(c.purpose, purpose);
  auto value = resolve(c, argument);
  c.purpose = outer;
  return value;
}

Result builder(Context& c, const clang::CallExpr& call, std::string name) {
  const bool is_text = name == "compile_field" || name == "json_schema";
  Value value;
  value.kind = Value::Kind::call;
  value.text = std::move(name);
  value.range = c.at.of(call);
  for (const clang::Expr* argument : call.arguments()) {
    if (llvm::isa<clang::CXXDefaultArgExpr>(argument)) continue;
    auto item = with_purpose(c, is_text ? Purpose::builder : c.purpose, *argument);
    if (!item) return std::nullopt;
    value.items.push_back(std::move(*item));
  }
  return value;
}

Result member_call(Context& c, const clang::CXXMemberCallExpr& call) {
  const clang::CXXMethodDecl* method = call.getMethodDecl();
  if (method == nullptr) return not_static(c, call, "a call through a pointer");
  if (!is_field_builder(call.getImplicitObjectArgument()->getType())) {
    if (is_framework_type(call.getType()) || is_json_type(call.getType())) {
      return built_by_helper(c, call, method);
    }
    return not_static(c, call, describe_call(method));
  }
  if (method->getNameAsString() != "description") {
    return misused_builder(c, call, describe_call(method));
  }
  auto value = resolve(c, *call.getImplicitObjectArgument());
  if (!value) return std::nullopt;
  if (value->kind != Value::Kind::call || !value->members.empty()) {
    return misused_builder(c, call, "a second '.description(…)'");
  }
  auto text = with_purpose(c, Purpose::builder, *call.getArg(0));
  if (!text) return std::nullopt;
  value->members.push_back({"description", std::move(*text), c.at.token(call.getExprLoc())});
  value->range = c.at.of(call);
  return value;
}

}  // namespace

Result call(Context& c, const clang::CallExpr& expression) {
  if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&expression)) {
    return member_call(c, *member);
  }
  const auto* operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&expression);
  if (operation != nullptr && operation->getOperator() != clang::OO_Call) {
    return not_static(c, expression, describe(expression));
  }
  const clang::FunctionDecl* callee = expression.getDirectCallee();
  if (callee == nullptr) return not_static(c, expression, "a call through a pointer");
  if (is_identity(*callee)) return resolve(c, *expression.getArg(0));
  const std::string name = callee->getQualifiedNameAsString();
  if (name == "fw::array_of") return builder(c, expression, "array_of");
  if (name == "fw::events") return builder(c, expression, "events");
  if (name == "fw::lines") return builder(c, expression, "lines");
  if (name == "fw::optional") return builder(c, expression, "optional");
  if (name == "fw::json_schema") return builder(c, expression, "json_schema");
  if (name == "fw::schema_adapter::compile_field") return builder(c, expression, "compile_field");
  if (makes_json(*callee)) return builder(c, expression, "Json::" + callee->getNameAsString());
  const bool builds_options =
      is_framework_type(expression.getType()) ||
      (is_json_type(expression.getType()) && !is_in_namespace(*callee, "nlohmann"));
  const bool may_build = c.purpose == Purpose::options || c.purpose == Purpose::builder;
  if (builds_options && may_build) return built_by_helper(c, expression, called_name(expression));
  return not_static(c, expression, describe_call(called_name(expression)));
}

}  // namespace fairway::frontend::statics
