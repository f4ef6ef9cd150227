#include "frontend/raised_errors.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "frontend/file_reading.hpp"
#include "frontend/registration_call.hpp"
#include "frontend/response_use.hpp"
#include "frontend/static_value.hpp"
#include "frontend/type_queries.hpp"
#include "model/application.hpp"

namespace fairway::frontend {
namespace {

constexpr int kLowestError = 400;
/// Functions of one handler that are followed as instances of templates.
constexpr std::size_t kMaxInstantiations = 100;

/// The argument of a call; null if the source does not have it.
const clang::Expr* argument(llvm::ArrayRef<const clang::Expr*> arguments, std::size_t index) {
  if (index >= arguments.size()) return nullptr;
  const clang::Expr& written = strip_wrappers(*arguments[index]);
  return llvm::isa<clang::CXXDefaultArgExpr, clang::CXXDefaultInitExpr>(written) ? nullptr
                                                                                 : arguments[index];
}

/// Braces around several values: parameters of the message, or details.
bool is_in_braces(const clang::Expr& expression) {
  return llvm::isa<clang::InitListExpr, clang::CXXStdInitializerListExpr>(
      strip_wrappers(*expression.IgnoreUnlessSpelledInSource()));
}

/// An integer that the compiler evaluates, such as `kBase + 7`.
std::optional<model::Value> constant_integer(const clang::ASTContext& ast,
                                             const clang::Expr& expression) {
  const clang::Expr& written = strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  clang::Expr::EvalResult result;
  if (!written.getType()->isIntegralOrEnumerationType() || written.isValueDependent() ||
      !written.EvaluateAsInt(result, ast) || !result.Val.getInt().isRepresentableByInt64()) {
    return std::nullopt;
  }
  model::Value value;
  value.kind = model::Value::Kind::integer;
  value.integer = result.Val.getInt().getExtValue();
  return value;
}

}  // namespace

void RaisedErrors::see(const clang::Stmt& node) {
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
    return construction(*construct);
  }
  if (const auto* made = llvm::dyn_cast<clang::CallExpr>(&node)) call(*made);
}

/// `throw fw::HttpError(404, …)`, or a class that is derived from it in this file.
void RaisedErrors::construction(const clang::CXXConstructExpr& construct) {
  const llvm::ArrayRef<const clang::Expr*> arguments(construct.getArgs(), construct.getNumArgs());
  if (qualified_type_name(construct.getType()) != "fw::HttpError") {
    return follow(*construct.getConstructor());
  }
  if (arguments.empty()) return;
  if (arguments.size() == 1) return options(*arguments[0]);
  add(arguments[0], argument(arguments, 1), {argument(arguments, 2)});
}

/// `app.raise(…)` and `fw::raise(…)`.
void RaisedErrors::call(const clang::CallExpr& call) {
  const clang::FunctionDecl* function = call.getDirectCallee();
  if (function == nullptr) return;
  const std::string name = function->getQualifiedNameAsString();
  const bool is_of_key = name == "fw::HttpError::from_key";
  if (name != "fw::raise" && name != "fw::Raises::raise" && !is_of_key) return follow(*function);
  const llvm::ArrayRef<const clang::Expr*> arguments(call.getArgs(), call.getNumArgs());
  if (arguments.empty()) return;
  if (arguments[0]->getType()->isIntegerType()) {
    // The last code is used.
    return add(arguments[0], argument(arguments, 1),
               {argument(arguments, 3), argument(arguments, 2)});
  }
  if (qualified_type_name(arguments[0]->getType()) == "fw::RaiseOptions") {
    return options(*arguments[0]);
  }
  add(nullptr, arguments[0], {});
}

/// `fw::RaiseOptions` in braces.
void RaisedErrors::options(const clang::Expr& expression) {
  const clang::Expr& written = strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  const auto* list = llvm::dyn_cast<clang::InitListExpr>(&written);
  if (list != nullptr && list->isSyntacticForm() && list->getSemanticForm() != nullptr) {
    list = list->getSemanticForm();
  }
  if (list == nullptr || qualified_type_name(list->getType()) != "fw::RaiseOptions" ||
      list->getNumInits() < 3) {
    return;
  }
  const clang::Expr* status = list->getInit(0);
  if (const auto* standard = llvm::dyn_cast<clang::CXXDefaultInitExpr>(status)) {
    status = standard->getExpr();
  }
  const llvm::ArrayRef<const clang::Expr*> members(list->getInits(), list->getNumInits());
  add(status, argument(members, 1), {argument(members, 2)});
}

/// `codes` are the arguments that may be a code, the decisive one first.
void RaisedErrors::add(const clang::Expr* status, const clang::Expr* message,
                       std::initializer_list<const clang::Expr*> codes) {
  model::SentResponse error;
  error.function = "raise";
  std::vector<int> statuses;
  if (status != nullptr) {
    statuses = constant_statuses(context_.ast, *status);
    std::erase_if(statuses, [](int each) { return each < kLowestError; });
    if (statuses.empty()) return;
  }
  const auto value_of = [&](const clang::Expr& expression) -> std::optional<model::Value> {
    if (expression.isTypeDependent() || expression.containsErrors()) return std::nullopt;
    auto value = evaluate(context_, expression, Purpose::options).value;
    return value ? value : constant_integer(context_.ast, expression);
  };
  bool is_known = true;
  for (const clang::Expr* code : codes) {
    if (code == nullptr || is_in_braces(*code)) continue;
    const auto value = value_of(*code);
    // A code with a fraction is none that clients can compare.
    is_known = value.has_value() && value->kind != model::Value::Kind::number;
    if (!is_known) break;
    if (value->kind == model::Value::Kind::string) error.code = model::Json(value->text).dump();
    if (value->kind == model::Value::Kind::integer) error.code = std::to_string(value->integer);
    if (!error.code.empty()) break;
  }
  if (is_known && message != nullptr) {
    const auto text = value_of(*message);
    if (text && text->kind == model::Value::Kind::string) error.message = text->text;
  }
  if (status == nullptr && error.message.empty()) return;
  if (status == nullptr) return keep(error);
  for (const int each : statuses) {
    error.statuses = {each};
    keep(error);
  }
}

void RaisedErrors::keep(const model::SentResponse& error) {
  const auto is_same = [&](const model::SentResponse& other) {
    return std::tie(other.statuses, other.code, other.message) ==
           std::tie(error.statuses, error.code, error.message);
  };
  if (std::ranges::none_of(errors_, is_same)) errors_.push_back(error);
}

void RaisedErrors::follow(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* defined = nullptr;
  const bool is_bounded = seen_.size() < kMaxInstantiations;
  const clang::Stmt* body =
      is_bounded ? instantiated(context_, function).getBody(defined) : nullptr;
  if (body == nullptr) body = pattern_of(function).getBody(defined);
  if (body == nullptr || !is_read(context_, function, *body) || !seen_.insert(defined).second) {
    return;
  }
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(defined)) {
    for (const clang::CXXCtorInitializer* initialiser : constructor->inits()) {
      if (initialiser->getInit() != nullptr) walk(*initialiser->getInit());
    }
  }
  walk(*body);
}

void RaisedErrors::walk(const clang::Stmt& statement) {
  see(statement);
  for (const clang::Stmt* child : statement.children()) {
    if (child != nullptr) walk(*child);
  }
}

}  // namespace fairway::frontend
