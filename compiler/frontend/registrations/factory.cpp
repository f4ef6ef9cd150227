#include "frontend/registrations/factory.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "base/methods.hpp"
#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/errors/compile_errors.hpp"
#include "frontend/errors/generated_dependents.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/handlers/handler_check.hpp"
#include "frontend/handlers/handler_signature.hpp"
#include "frontend/handlers/handler_type.hpp"
#include "frontend/handlers/handler_use.hpp"
#include "frontend/handlers/named_messages.hpp"
#include "frontend/handlers/response_use.hpp"
#include "frontend/registrations/factory_captures.hpp"
#include "frontend/registrations/router_uses.hpp"
#include "model/value_members.hpp"

namespace fairway::frontend {
namespace {

/// The first statement of one of the kinds in the function, except in nested lambdas.
template <class... Kinds>
const clang::Stmt* find_statement(const clang::Stmt& node) {
  if (llvm::isa<Kinds...>(node)) return &node;
  if (llvm::isa<clang::LambdaExpr>(node)) return nullptr;
  for (const clang::Stmt* child : node.children()) {
    if (child == nullptr) continue;
    if (const auto* found = find_statement<Kinds...>(*child)) return found;
  }
  return nullptr;
}

/// Where the handlers that do not compile are, by the index of the registration.
using FailedHandlers = std::map<std::size_t, std::vector<clang::SourceRange>>;

class FactoryReader {
 public:
  FactoryReader(FileContext& context, const clang::FunctionDecl& factory)
      : context_(context),
        types_(context),
        uses_(context, *factory.getParamDecl(0)),
        captures_(context, factory) {
    context.types = &types_;
  }
  ~FactoryReader() { context_.types = nullptr; }
  FactoryReader(const FactoryReader&) = delete;
  FactoryReader& operator=(const FactoryReader&) = delete;

  FailedHandlers read(const clang::Stmt& body) {
    // A jump may skip registrations that follow it and repeat those that precede it.
    jump_ = find_statement<clang::GotoStmt, clang::IndirectGotoStmt>(body);
    for (const clang::Stmt* statement : body.children()) {
      if (statement == nullptr) continue;
      this->statement(*statement);
      if (jump_ == nullptr) jump_ = find_statement<clang::ReturnStmt>(*statement);
    }
    keep_sent_types(context_, types_);
    return std::move(failed_);
  }

 private:
  void statement(const clang::Stmt& statement) {
    const clang::Stmt* inner = &statement;
    if (const auto* attributed = llvm::dyn_cast<clang::AttributedStmt>(inner)) {
      inner = attributed->getSubStmt();
    }
    if (const auto* expression = llvm::dyn_cast<clang::Expr>(inner)) {
      const auto call = registration_call(strip_wrappers(*expression));
      if (call && uses_.is_the_router(*call->object)) return registration(*call);
    }
    uses_.statement(*inner);
  }

  void registration(const RegistrationCall& call) {
    if (!call.resolved) return unresolved(call);
    const bool has_options = call.arguments.size() == 3;
    if (has_options) uses_.options(*call.arguments[1]);
    uses_.handler(*call.arguments.back());
    captures_.check(call);
    const bool is_handler = check_handler(context_, call);
    if (is_handler) check_handler_is_there(call);
    if (jump_ != nullptr && !jump_reported_) return skippable(call);

    auto path = resolve_static(context_, *call.arguments[0], Purpose::path, call.method, "");
    if (path && path->kind != model::Value::Kind::string) {
      auto& diagnostic = context_.report(model::rules::route_path_not_static,
                                         "route path is not a string", path->range);
      diagnostic.method = call.method;
      diagnostic.help =
          "write a string literal, or a 'constexpr' variable that is initialised with one";
      path.reset();
    }
    StaticOptions options;
    if (has_options) {
      const std::string route = path ? path->text : "";
      options = resolve_options(context_, *call.arguments[1], call.method, route);
    }
    if (path) keep(call, std::move(*path), std::move(options), is_handler);
  }

  void check_handler_is_there(const RegistrationCall& call) {
    const clang::Expr& handler = *call.arguments.back();
    const auto value = evaluate(context_, handler, Purpose::options).value;
    if (!value || value->kind != model::Value::Kind::null) return;
    auto& diagnostic = context_.report(model::rules::bad_registration, "the handler is empty",
                                       context_.at.of(handler));
    diagnostic.method = call.method;
    diagnostic.route = route_hint(call);
    diagnostic.help = "pass a lambda or a function that takes 'fw::Request&' and 'fw::Response&'";
  }

  void keep(const RegistrationCall& call, model::Value path, StaticOptions options,
            bool is_handler) {
    model::Registration result;
    result.method = call.method;
    result.range = context_.at.used(call.expression->getSourceRange());
    result.method_range = context_.at.used({call.name, call.name});
    result.path = path.text;
    result.path_value = std::move(path);
    result.options_resolved = options.is_complete;
    result.options = std::move(options.value);
    const clang::Expr& handler = *call.arguments.back();
    result.handler = handler_use(context_, types_, handler);
    const auto functions = handler_functions(context_, handler);
    if (call.method != fw::base::kSocketMethod) {
      auto type = type_of_callable(context_, handler);
      if (!type && functions.size() == 1) type = type_of_function(context_, *functions.front());
      if (type) result.signature = handler_signature(context_, types_, *type);
    }
    if (functions.size() == 1) {
      check_handler_conditions(context_, *functions.front(), result.method, result.path);
    }
    const bool has_page = result.options && model::find_member(*result.options, "frontend");
    // A page is sent without the handler.
    if (is_handler && result.options_resolved && !has_page &&
        call.method != fw::base::kSocketMethod) {
      check_handler_responds(context_, call);
    }
    if (result.handler.compile_error) {
      auto& ranges = failed_[context_.file.registrations.size()];
      ranges.push_back(call.expression->getSourceRange());
      for (const clang::FunctionDecl* function : functions) {
        ranges.push_back(function->getSourceRange());
      }
    }
    context_.file.registrations.push_back(std::move(result));
  }

  /// A call that Clang could not resolve: either no overload matches, or an argument has an error,
  /// which Clang reports.
  void unresolved(const RegistrationCall& call) {
    for (const clang::Expr* argument : call.arguments) note_handler(context_, *argument);
    if (!llvm::isa<clang::RecoveryExpr>(call.expression)) return;
    report_bad_registration(context_, call);
    // The errors in its path and its options are reported in the same run.
    if (call.arguments.empty()) return;
    auto path = resolve_static(context_, *call.arguments[0], Purpose::path, call.method, "");
    if (!path || path->kind != model::Value::Kind::string) return;
    StaticOptions options = partial_options(context_, call, path->text);
    options.is_complete = false;
    keep(call, std::move(*path), std::move(options), false);
  }

  /// Reports a jump once, for the first registration that it may affect.
  void skippable(const RegistrationCall& call) {
    jump_reported_ = true;
    const bool returns = llvm::isa<clang::ReturnStmt>(jump_);
    auto& diagnostic = context_.report(
        model::rules::registration_not_top_level,
        returns ? "route is registered after a 'return' that may skip it"
                : "route is registered in a factory with a 'goto', which may skip or repeat it",
        context_.at.used(call.expression->getSourceRange()));
    diagnostic.method = call.method;
    diagnostic.route = route_hint(call);
    diagnostic.help = "register every route unconditionally; decide inside the handler";
    diagnostic.notes.push_back(
        {returns ? "returns here" : "jumps here", context_.at.token(jump_->getBeginLoc())});
  }

  FileContext& context_;
  TypeReader types_;
  FailedHandlers failed_;
  RouterUses uses_;
  FactoryCaptures captures_;
  const clang::Stmt* jump_ = nullptr;
  bool jump_reported_ = false;
};

}  // namespace

void read_factory(FileContext& context, const Factory& factory) {
  if (factory.function == nullptr) return;
  const clang::Stmt* body = factory.function->getBody();
  if (body == nullptr) return;
  context.bodies.factory = body->getSourceRange();
  const FailedHandlers failed = FactoryReader(context, *factory.function).read(*body);
  forget_shared_messages(context.file.registrations);
  check_conditions(context, *factory.function);
  record_unregistered_handlers(context, *factory.function);
  if (failed.empty()) return;
  const GeneratedDependents dependents(context, context.bodies.handlers);
  for (const auto& [index, ranges] : failed) {
    const bool may_follow = std::ranges::any_of(
        ranges, [&](clang::SourceRange each) { return dependents.are_in(each); });
    if (may_follow) context.file.registrations[index].handler.compile_error.reset();
  }
}

}  // namespace fairway::frontend
