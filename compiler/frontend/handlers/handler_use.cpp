#include "frontend/handlers/handler_use.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/errors/compile_errors.hpp"
#include "frontend/errors/error_causes.hpp"
#include "frontend/errors/generated_names.hpp"
#include "frontend/errors/lost_statements.hpp"
#include "frontend/handlers/handled_messages.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/handlers/handler_signature.hpp"
#include "frontend/handlers/handler_type.hpp"
#include "frontend/handlers/input_source.hpp"
#include "frontend/handlers/named_messages.hpp"
#include "frontend/handlers/raised_errors.hpp"
#include "frontend/handlers/response_flow.hpp"
#include "frontend/handlers/response_use.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// `app.fetch.proxy(req, res, …)` and `app.fetch.proxy["name"](req, res, …)`.
bool is_proxy_call(const clang::Stmt& node) {
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node);
  if (call == nullptr || call->getOperator() != clang::OO_Call) return false;
  const std::string type = qualified_type_name(call->getArg(0)->getType());
  return type == "fw::FetchProxy" || type == "fw::FetchProxyHandler";
}

class HandlerReader {
 public:
  HandlerReader(FileContext& context, TypeReader& types, const clang::FunctionDecl& handler)
      : context_(context),
        inputs_(context, request_parameter(handler)),
        response_(context, types, handler),
        errors_(context, handler),
        socket_(socket_parameter(handler)) {}

  model::HandlerUse read(const clang::Stmt& body) {
    visit(body);
    errors_.read(body);
    ResponseFlow flow(context_, response_);
    flow.run(body);
    model::HandlerUse use;
    use.reads = inputs_.take_reads();
    use.typed_reads = inputs_.take_typed_reads();
    use.calls = inputs_.take_calls();
    use.proxies = proxies_;
    use.messages = handled_messages(context_, body, socket_);
    use.validated = validated_types(body);
    use.statuses = response_.take_statuses();
    use.refused_redirects = response_.take_refused_redirects();
    use.pages = response_.take_pages();
    use.sent = response_.take_sent();
    std::ranges::move(errors_.take(), std::back_inserter(use.sent));
    use.compile_error = own_error(body);
    const bool may_lack_all = has_errors(body) && use.sent.empty();
    const bool is_incomplete = may_lack_all || has_lost_words(context_, body);
    use.may_send_json =
        response_.may_send_json() || (is_incomplete && !response_.sends_without_json());
    // The program may have another part of the body.
    const bool is_conditional =
        flow.is_conditional() || condition_in(context_, body.getSourceRange()) != nullptr;
    use.sends_others = response_.sends_others() || is_conditional || is_incomplete;
    return use;
  }

 private:
  void visit(const clang::Stmt& statement) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
    const clang::Stmt& node = expression == nullptr ? statement : strip_wrappers(*expression);
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) return this->lambda(*lambda);
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node)) {
      for (const clang::Decl* each : declaration->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(each);
        if (variable != nullptr) inputs_.declare(*variable);
      }
    }
    inputs_.see(node);
    proxies_ = proxies_ || is_proxy_call(node);
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) visit(*child);
    }
  }

  std::vector<model::GeneratedName> validated_types(const clang::Stmt& body) const {
    std::vector<model::GeneratedName> types;
    for (const auto& error : context_.errors.errors()) {
      if (!belongs_to(context_, body.getSourceRange(), error)) continue;
      for (auto& name : generated_names(context_, error)) {
        if (name.in_valid) types.push_back(std::move(name));
      }
    }
    return types;
  }

  bool has_errors(const clang::Stmt& body) const {
    return std::ranges::any_of(context_.errors.errors(), [&](const ErrorCollector::Error& error) {
      return belongs_to(context_, body.getSourceRange(), error) && !is_extension_of_gcc(error);
    });
  }

  /// The first error, if none follows from types that are not generated yet.
  std::optional<model::CompileError> own_error(const clang::Stmt& body) const {
    const clang::SourceRange range = body.getSourceRange();
    const ErrorCollector::Error* first = nullptr;
    for (const ErrorCollector::Error& error : context_.errors.errors()) {
      if (!belongs_to(context_, range, error)) continue;
      if (!generated_names(context_, error).empty()) return std::nullopt;
      if (is_extension_of_gcc(error)) continue;
      if (first == nullptr) first = &error;
    }
    if (first == nullptr) return std::nullopt;
    return model::CompileError{.message = first->message.text,
                               .range = context_.at.token(location_in(context_, range, *first)),
                               .help = remedy_of(context_, *first)};
  }

  /// Captures are not uses; only the body counts.
  void lambda(const clang::LambdaExpr& lambda) {
    for (const auto& capture : lambda.captures()) {
      if (!lambda.isInitCapture(&capture)) continue;
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
      if (variable != nullptr && variable->getInit() != nullptr) visit(*variable->getInit());
    }
    visit(*lambda.getBody());
  }

  FileContext& context_;
  InputSources inputs_;
  ResponseUse response_;
  RaisedErrors errors_;
  const clang::ParmVarDecl* socket_;
  bool proxies_ = false;
};

/// Without the response, or an object that may be made of it, a handler can send only what it
/// returns, whatever its body is.
bool may_get_response(const HandlerType& handler) {
  return std::ranges::any_of(handler.parameters, [](const WrittenType& parameter) {
    const std::string kind = kind_of_parameter(parameter.type);
    return kind.empty() || kind == "fw::Response";
  });
}

/// False if the type of the result follows from returns that Clang may have dropped.
bool has_known_result(const clang::FunctionDecl& handler) {
  const clang::QualType result = handler.getReturnType();
  const bool is_written = handler.getDeclaredReturnType()->getContainedDeducedType() == nullptr;
  return is_written ||
         !(result->isVoidType() || result->isUndeducedType() || result->isDependentType());
}

/// Of a handler whose body is not read, for example a function of another file, or one that a
/// `std::function` got elsewhere.
model::HandlerUse unread_use(const HandlerType& handler) {
  model::HandlerUse use;
  use.sends_others = may_get_response(handler);
  use.may_send_json = use.sends_others;
  return use;
}

}  // namespace

model::HandlerUse handler_use(FileContext& context, TypeReader& types,
                              const clang::Expr& argument) {
  const auto functions = handler_functions(context, argument);
  if (functions.size() != 1) {
    const auto type = type_of_callable(context, argument);
    return functions.empty() && type ? unread_use(*type) : model::HandlerUse();
  }
  const clang::FunctionDecl& handler = *functions.front();
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = body_of(handler, defined);
  if (body == nullptr || !is_read(context, handler, *body)) {
    return unread_use(type_of_function(context, handler));
  }
  model::HandlerUse use = HandlerReader(context, types, *defined).read(*body);
  if (has_known_result(*defined) && !may_get_response(type_of_function(context, handler))) {
    use.sends_others = false;
    use.may_send_json = false;
  }
  add_named_messages(use.messages, context, *defined, *body, argument);
  return use;
}

}  // namespace fairway::frontend
