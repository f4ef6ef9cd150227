// Calls: the framework's builders are followed, nothing else.
#include <fmt/format.h>

#include "frontend/static_resolver.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
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

}  // namespace

const clang::NamedDecl* called_name(const clang::CallExpr& call) {
  const auto* operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
  if (operation == nullptr) return call.getDirectCallee();
  if (operation->getOperator() != clang::OO_Call) return nullptr;
  const auto* object =
      llvm::dyn_cast<clang::DeclRefExpr>(operation->getArg(0)->IgnoreParenImpCasts());
  return object == nullptr ? nullptr : object->getDecl();
}

std::string describe_call(const clang::NamedDecl* callee) {
  return callee == nullptr ? "a call of a lambda"
                           : fmt::format("a call of '{}'", callee->getNameAsString());
}

std::optional<model::Value> StaticResolver::call(const clang::CallExpr& call) {
  if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    return member_call(*member);
  }
  const auto* operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
  if (operation != nullptr && operation->getOperator() != clang::OO_Call) {
    return refuse(call, describe(call));
  }
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr) return refuse(call, "a call through a pointer");
  if (is_identity(*callee)) return resolve(*call.getArg(0));
  const std::string name = callee->getQualifiedNameAsString();
  if (name == "fw::array_of") return builder(call, "array_of");
  if (name == "fw::optional") return builder(call, "optional");
  if (name == "fw::json_schema") return builder(call, "json_schema");
  if (name == "fw::schema_adapter::compile_field") return builder(call, "compile_field");
  if (makes_json(*callee)) return builder(call, "Json::" + callee->getNameAsString());
  const bool builds_options =
      is_framework_type(call.getType()) ||
      (is_json_type(call.getType()) && !is_in_namespace(*callee, "nlohmann"));
  const bool may_build = purpose_ == Purpose::options || purpose_ == Purpose::builder;
  if (builds_options && may_build) return helper(call, called_name(call));
  return refuse(call, describe_call(called_name(call)));
}

std::optional<model::Value> StaticResolver::builder(const clang::CallExpr& call, std::string name) {
  const bool is_text = name == "compile_field" || name == "json_schema";
  Value value;
  value.kind = Value::Kind::call;
  value.text = std::move(name);
  value.range = unit_.at.of(call);
  for (const clang::Expr* argument : call.arguments()) {
    if (llvm::isa<clang::CXXDefaultArgExpr>(argument)) continue;
    auto item = with_purpose(is_text ? Purpose::builder : purpose_, *argument);
    if (!item) return std::nullopt;
    value.items.push_back(std::move(*item));
  }
  return value;
}

std::optional<model::Value> StaticResolver::with_purpose(Purpose purpose,
                                                         const clang::Expr& argument) {
  const Purpose outer = std::exchange(purpose_, purpose);
  auto value = resolve(argument);
  purpose_ = outer;
  return value;
}

std::optional<model::Value> StaticResolver::member_call(const clang::CXXMemberCallExpr& call) {
  const clang::CXXMethodDecl* method = call.getMethodDecl();
  if (method == nullptr) return refuse(call, "a call through a pointer");
  if (!is_field_builder(call.getImplicitObjectArgument()->getType())) {
    if (is_framework_type(call.getType()) || is_json_type(call.getType())) {
      return helper(call, method);
    }
    return refuse(call, describe_call(method));
  }
  if (method->getNameAsString() != "description") {
    return misuse(call, describe_call(method));
  }
  auto value = resolve(*call.getImplicitObjectArgument());
  if (!value) return std::nullopt;
  if (value->kind != Value::Kind::call || !value->members.empty()) {
    return misuse(call, "a second '.description(…)'");
  }
  auto text = with_purpose(Purpose::builder, *call.getArg(0));
  if (!text) return std::nullopt;
  value->members.push_back({"description", std::move(*text), unit_.at.token(call.getExprLoc())});
  value->range = unit_.at.of(call);
  return value;
}

}  // namespace fairway::frontend
