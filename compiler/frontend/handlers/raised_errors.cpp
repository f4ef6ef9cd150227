#include "frontend/handlers/raised_errors.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/handlers/raise_options.hpp"
#include "frontend/handlers/response_use.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_value.hpp"
#include "model/application.hpp"

namespace fairway::frontend {
namespace {

constexpr int kMinError = 400;
constexpr int kStatusOfOptions = 500;
constexpr std::string_view kHttpError = "fw::HttpError";
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

/// The arguments in parentheses or braces of a construction whose constructor is not known.
llvm::SmallVector<const clang::Expr*, 4> arguments_of(
    const clang::CXXUnresolvedConstructExpr& construct) {
  if (construct.isListInitialization() && construct.getNumArgs() == 1) {
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(construct.getArg(0))) {
      const llvm::ArrayRef<const clang::Expr*> inits(list->getInits(), list->getNumInits());
      return {inits.begin(), inits.end()};
    }
  }
  return {construct.arg_begin(), construct.arg_end()};
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

bool is_raise(llvm::StringRef function) {
  return function == "fw::raise" || function == "fw::Raises::raise";
}

void RaisedErrors::see(const clang::Stmt& node) {
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
    const clang::CXXConstructorDecl& constructor = written_constructor(*construct);
    const Arguments given(construct->getArgs(), construct->getNumArgs());
    if (is_http_error(constructor)) return construction(given);
    follow(constructor);
    return parameters(given, constructor);
  }
  if (const auto* unresolved = llvm::dyn_cast<clang::CXXUnresolvedConstructExpr>(&node)) {
    if (qualified_type_name(unresolved->getTypeAsWritten()) == kHttpError) {
      construction(arguments_of(*unresolved));
    }
    return;
  }
  // One argument in parentheses.
  if (const auto* cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(&node)) {
    if (cast->getCastKind() == clang::CK_Dependent &&
        qualified_type_name(cast->getTypeAsWritten()) == kHttpError) {
      construction({cast->getSubExpr()});
    }
    return;
  }
  if (const auto* expression = llvm::dyn_cast<clang::RecoveryExpr>(&node)) {
    return broken(*expression);
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  if (call == nullptr) return;
  if (raises(called_name(*call->getCallee()), {call->getArgs(), call->getNumArgs()})) return;
  const clang::FunctionDecl* function = called_function(*call);
  if (function == nullptr || may_be_overridden(*function)) return;
  follow(*function);
  parameters(arguments_of(*call), *function);
}

/// What Clang keeps of an expression if no function accepts its arguments.
void RaisedErrors::broken(const clang::RecoveryExpr& expression) {
  const llvm::ArrayRef<const clang::Expr*> parts(expression.subExpressions());
  if (parts.empty()) return;
  if (raises(called_name(*parts.front()), parts.drop_front())) return;
  if (qualified_type_name(expression.getType()) == kHttpError) construction(parts);
}

/// `throw fw::HttpError(404, …)`, or a class that is derived from it in this file.
void RaisedErrors::construction(Arguments arguments) {
  if (arguments.empty()) return;
  if (arguments.size() == 1) return options(*arguments[0]);
  add(statuses_of(*arguments[0]), argument(arguments, 1), {argument(arguments, 2)});
}

/// `app.raise(…)` and `fw::raise(…)`. Returns false for any other function.
bool RaisedErrors::raises(const std::string& function, Arguments arguments) {
  if (!is_raise(function) && function != "fw::HttpError::from_key") return false;
  if (arguments.empty()) return true;
  const clang::Expr& first = *arguments[0];
  if (first.getType()->isIntegerType()) {
    // The last code is used.
    add(statuses_of(first), argument(arguments, 1),
        {argument(arguments, 3), argument(arguments, 2)});
  } else if (is_raise_options(first.getType()) || is_in_braces(first) ||
             llvm::isa<clang::CXXUnresolvedConstructExpr>(strip_wrappers(first))) {
    options(first);
  } else if (!first.isTypeDependent()) {
    add_key(first);
  }
  return true;
}

/// `fw::RaiseOptions`.
void RaisedErrors::options(const clang::Expr& expression) {
  for (const RaiseMembers& members : raise_options(context_, expression)) add_options(members);
}

/// Options that the function raises.
void RaisedErrors::parameters(Arguments given, const clang::FunctionDecl& function) {
  for (unsigned i = 0; i < function.getNumParams() && i < given.size(); ++i) {
    if (!is_raise_options(function.getParamDecl(i)->getType())) continue;
    for (const RaiseMembers& members : raised_options(context_, function, i, *given[i])) {
      add_options(members);
    }
  }
}

void RaisedErrors::add_options(const RaiseMembers& members) {
  if (members.status.is_unknown) return;
  const std::vector<int> statuses = members.status.value == nullptr
                                        ? std::vector{kStatusOfOptions}
                                        : statuses_of(*members.status.value);
  if (members.code.is_unknown) return add(statuses, nullptr, {});
  add(statuses, members.message.value, {members.code.value});
}

std::vector<int> RaisedErrors::statuses_of(const clang::Expr& expression) const {
  if (dependence_of(context_, expression).condition != nullptr) return {};
  std::vector<int> statuses = constant_statuses(context_.ast, expression);
  std::erase_if(statuses, [](int each) { return each < kMinError; });
  return statuses;
}

std::optional<model::Value> RaisedErrors::value_of(const clang::Expr& expression) const {
  if (expression.isTypeDependent() || expression.containsErrors()) return std::nullopt;
  if (dependence_of(context_, expression).condition != nullptr) return std::nullopt;
  auto value = evaluate(context_, expression, Purpose::options).value;
  return value ? value : constant_integer(context_.ast, expression);
}

std::string RaisedErrors::text_of(const clang::Expr* expression) const {
  const auto text = expression == nullptr ? std::nullopt : value_of(*expression);
  return text && text->kind == model::Value::Kind::string ? text->text : "";
}

/// A key of the locale files, which decide the status.
void RaisedErrors::add_key(const clang::Expr& key) {
  model::SentResponse error;
  error.function = "raise";
  error.message = text_of(&key);
  if (!error.message.empty()) keep(error);
}

/// `codes` are the arguments that may be a code, the decisive one first.
void RaisedErrors::add(const std::vector<int>& statuses, const clang::Expr* message,
                       std::initializer_list<const clang::Expr*> codes) {
  model::SentResponse error;
  error.function = "raise";
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
  if (is_known) error.message = text_of(message);
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
