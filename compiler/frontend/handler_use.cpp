#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "frontend/compile_errors.hpp"
#include "frontend/compiler_conditions.hpp"
#include "frontend/file_reading.hpp"
#include "frontend/handler_signature.hpp"
#include "frontend/input_source.hpp"
#include "frontend/raised_errors.hpp"
#include "frontend/registration_call.hpp"
#include "frontend/response_use.hpp"
#include "frontend/socket_use.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// `app.fetch.proxy(req, res, …)` and `app.fetch.proxy["name"](req, res, …)`.
bool is_proxy_call(const clang::Stmt& node) {
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node);
  if (call == nullptr || call->getOperator() != clang::OO_Call) return false;
  const std::string type = qualified_type_name(call->getArg(0)->getType());
  return type == "fw::FetchProxy" || type == "fw::FetchProxyHandler";
}

/// Calls of helpers in one handler: they may call each other many times.
constexpr unsigned kMaxFollowed = 100;

class HandlerReader {
 public:
  HandlerReader(FileContext& context, TypeReader& types, const clang::FunctionDecl& handler)
      : context_(context),
        inputs_(context, request_parameter(handler)),
        response_(context, types, response_parameter(handler)),
        errors_(context, handler),
        socket_(socket_parameter(handler)) {}

  model::HandlerUse read(const clang::Stmt& body) {
    whole_ = &body;
    visit_statements(body);
    model::HandlerUse use;
    use.reads = inputs_.take_reads();
    use.typed_reads = inputs_.take_typed_reads();
    use.calls = inputs_.take_calls();
    use.proxies = proxies_;
    use.messages = message_use(context_, body, socket_);
    use.validated = validated_types(body);
    use.statuses = response_.take_statuses();
    use.pages = response_.take_pages();
    use.sent = response_.take_sent();
    std::ranges::move(errors_.take(), std::back_inserter(use.sent));
    // Clang drops some statements with errors, such as those with generated types.
    const bool is_complete = response_.sends_without_json() || !has_errors(body);
    use.may_send_json = response_.may_send_json() || !is_complete;
    use.does_not_compile = has_own_errors(body);
    const bool may_lack_calls = use.sent.empty() || response_.has_lost_calls(body);
    // The program may have another part of the body.
    const bool is_conditional =
        is_conditional_ || condition_in(context_, body.getSourceRange()) != nullptr;
    use.sends_others =
        response_.sends_others() || is_conditional || (has_errors(body) && may_lack_calls);
    return use;
  }

 private:
  void visit_statements(const clang::Stmt& body) {
    if (!llvm::isa<clang::CompoundStmt>(body)) return visit(body);
    for (const clang::Stmt* statement : body.children()) {
      if (statement == nullptr) continue;
      response_.begin_statement(*statement);
      visit(*statement);
    }
  }

  void visit(const clang::Stmt& statement) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
    const clang::Stmt& node = expression == nullptr ? statement : strip_wrappers(*expression);
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) return this->lambda(*lambda);
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node)) {
      for (const clang::Decl* each : declaration->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(each);
        if (variable == nullptr) continue;
        if (helpers_.empty()) inputs_.declare(*variable);
        keep_name(*variable);
      }
    }
    if (!only_reads_) response_.see(node);
    const auto* choice = llvm::dyn_cast<clang::IfStmt>(&node);
    if (choice != nullptr && may_lack_branch(*choice)) is_conditional_ = true;
    if (const auto helper = response_.helper()) follow(*helper);
    if (helpers_.empty()) {
      inputs_.see(node);
      errors_.see(node);
    }
    proxies_ = proxies_ || is_proxy_call(node);
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) visit(*child);
    }
  }

  /// Whether an instance of a template has another branch in the program.
  bool may_lack_branch(const clang::IfStmt& choice) const {
    // Clang leaves nothing, or an empty statement.
    const auto is_there = [](const clang::Stmt* branch) {
      const auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(branch);
      return branch != nullptr && !llvm::isa<clang::NullStmt>(branch) &&
             (block == nullptr || !block->body_empty());
    };
    const bool has_both = is_there(choice.getThen()) && is_there(choice.getElse());
    return choice.isConstexpr() && !has_both &&
           dependence_of(context_, *choice.getCond()).condition != nullptr;
  }

  /// Visits the body of a function that gets the response. What it reads and raises is found by
  /// `inputs_` and `errors_`.
  void follow(const ResponseHelper& helper) {
    const bool is_open = std::ranges::find(helpers_, helper.body) != helpers_.end();
    // The program may have another part of the body.
    const bool is_conditional = condition_in(context_, helper.body->getSourceRange()) != nullptr;
    if (is_open || is_conditional || ++followed_ > kMaxFollowed || has_errors(*helper.body)) {
      return response_.lose(*helper.call);
    }
    const ResponseUse::Caller caller = response_.enter(helper);
    helpers_.push_back(helper.body);
    visit_statements(*helper.body);
    helpers_.pop_back();
    response_.leave(caller);
  }

  std::vector<model::GeneratedName> validated_types(const clang::Stmt& body) const {
    std::vector<model::GeneratedName> types;
    for (const auto& error : context_.errors.errors()) {
      if (!belongs_to(context_, body.getSourceRange(), error)) continue;
      auto name = generated_name(context_, error);
      if (name && name->in_valid) types.push_back(std::move(*name));
    }
    return types;
  }

  bool has_errors(const clang::Stmt& body) const {
    return std::ranges::any_of(context_.errors.errors(), [&](const ErrorCollector::Error& error) {
      return belongs_to(context_, body.getSourceRange(), error);
    });
  }

  /// Errors that do not follow from types that are not generated yet.
  bool has_own_errors(const clang::Stmt& body) const {
    bool has_errors = false;
    for (const ErrorCollector::Error& error : context_.errors.errors()) {
      if (!belongs_to(context_, body.getSourceRange(), error)) continue;
      if (generated_name(context_, error)) return false;
      has_errors = true;
    }
    return has_errors;
  }

  /// Captures are not uses; only the body counts.
  void lambda(const clang::LambdaExpr& lambda) {
    for (const auto& capture : lambda.captures()) {
      if (!lambda.isInitCapture(&capture)) continue;
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
      if (variable == nullptr || variable->getInit() == nullptr) continue;
      response_.take(*variable);
      visit(*variable->getInit());
    }
    generic(lambda);
  }

  /// Keeps the name of a lambda.
  void keep_name(const clang::VarDecl& variable) {
    if (variable.getInit() == nullptr) return;
    const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(
        &strip_wrappers(*variable.getInit()->IgnoreUnlessSpelledInSource()));
    if (lambda != nullptr) names_[lambda] = &variable;
  }

  /// Visits the body of a lambda: of one with parameters `auto`, for each type that it is called
  /// with. The body for any type counts, too, unless all calls are in the handler.
  void generic(const clang::LambdaExpr& lambda) {
    llvm::SmallVector<const clang::Stmt*> bodies;
    const clang::FunctionTemplateDecl* pattern =
        lambda.getCallOperator()->getDescribedFunctionTemplate();
    if (pattern != nullptr && !only_reads_) {
      for (const clang::FunctionDecl* each : pattern->specializations()) {
        if (!each->isUsed(false)) continue;
        const clang::Stmt* body = instantiated(context_, *each).getBody();
        if (body == nullptr || ++followed_ > kMaxFollowed) return visit(*lambda.getBody());
        pass_arguments(lambda, *each, *body);
        bodies.push_back(body);
      }
    }
    const bool are_all = !bodies.empty() && names_.contains(&lambda) && has_known_calls(lambda);
    if (pattern == nullptr) pass_arguments(lambda, *lambda.getCallOperator(), *lambda.getBody());
    const bool outer = std::exchange(only_reads_, only_reads_ || are_all);
    visit(*lambda.getBody());
    only_reads_ = outer;
    for (const clang::Stmt* body : bodies) {
      helpers_.push_back(body);
      visit(*body);
      helpers_.pop_back();
    }
  }

  /// What the calls of a lambda pass as a status.
  void pass_arguments(const clang::LambdaExpr& lambda, const clang::FunctionDecl& function,
                      const clang::Stmt& body) {
    if (function.getNumParams() == 0 || !has_known_calls(lambda)) return;
    std::vector<const clang::CXXOperatorCallExpr*> calls;
    add_calls(function, scope(), calls);
    for (unsigned i = 0; i < function.getNumParams(); ++i) {
      const clang::ParmVarDecl& parameter = *function.getParamDecl(i);
      if (!parameter.getType()->isIntegerType()) continue;
      std::vector<const clang::Expr*> arguments;
      // The first argument of a call is the lambda.
      for (const auto* call : calls) arguments.push_back(call->getArg(i + 1));
      response_.pass(parameter, arguments, body);
    }
  }

  static void add_calls(const clang::FunctionDecl& function, const clang::Stmt& node,
                        std::vector<const clang::CXXOperatorCallExpr*>& calls) {
    const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node);
    const bool is_call = call != nullptr && call->getDirectCallee() == &function &&
                         call->getNumArgs() == function.getNumParams() + 1;
    if (is_call) calls.push_back(call);
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) add_calls(function, *child, calls);
    }
  }

  /// Whether a lambda is only called, where it is written or by its name.
  bool has_known_calls(const clang::LambdaExpr& lambda) const {
    const auto name = names_.find(&lambda);
    if (name == names_.end()) return is_called(lambda, scope());
    return uses_of(*name->second, scope()) == calls_of(*name->second, scope());
  }
  static bool is_called(const clang::LambdaExpr& lambda, const clang::Stmt& node) {
    const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node);
    if (call != nullptr && call->getOperator() == clang::OO_Call &&
        &strip_wrappers(*call->getArg(0)) == &lambda) {
      return true;
    }
    return std::ranges::any_of(node.children(), [&](const clang::Stmt* child) {
      return child != nullptr && is_called(lambda, *child);
    });
  }

  /// The body that is being visited.
  const clang::Stmt& scope() const { return helpers_.empty() ? *whole_ : *helpers_.back(); }

  /// How often the variable is named. Captures with its own name do not count.
  static std::size_t uses_of(const clang::VarDecl& variable, const clang::Stmt& node) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    std::size_t count = reference != nullptr && reference->getDecl() == &variable ? 1 : 0;
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) count += uses_of(variable, *child);
    }
    const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node);
    if (lambda == nullptr) return count;
    for (const auto& capture : lambda->captures()) {
      const bool is_own = capture.capturesVariable() && !lambda->isInitCapture(&capture);
      if (is_own && capture.getCapturedVar() == &variable && count > 0) --count;
    }
    return count;
  }
  /// How often it is called, with arguments of known types.
  static std::size_t calls_of(const clang::VarDecl& variable, const clang::Stmt& node) {
    const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&node);
    std::size_t count = 0;
    if (call != nullptr && call->getOperator() == clang::OO_Call && !call->isTypeDependent()) {
      const auto* object = llvm::dyn_cast<clang::DeclRefExpr>(&strip_wrappers(*call->getArg(0)));
      count = object != nullptr && object->getDecl() == &variable ? 1 : 0;
    }
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) count += calls_of(variable, *child);
    }
    return count;
  }

  FileContext& context_;
  InputSources inputs_;
  ResponseUse response_;
  RaisedErrors errors_;
  const clang::ParmVarDecl* socket_;
  std::vector<const clang::Stmt*> helpers_;  ///< whose bodies are being visited
  unsigned followed_ = 0;
  bool proxies_ = false;
  bool is_conditional_ = false;  ///< a condition decides whether some statements are there
  const clang::Stmt* whole_ = nullptr;
  std::map<const clang::LambdaExpr*, const clang::VarDecl*> names_;  ///< of lambdas
  bool only_reads_ = false;  ///< what is sent is seen in instances of the same body
};

}  // namespace

model::HandlerUse handler_use(FileContext& context, TypeReader& types,
                              const clang::Expr& argument) {
  const auto functions = handler_functions(context, argument);
  if (functions.size() != 1) return {};
  const clang::FunctionDecl& handler = *functions.front();
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = handler.getBody(defined);
  if (body == nullptr || !is_read(context, handler, *body)) return {};
  return HandlerReader(context, types, *defined).read(*body);
}

}  // namespace fairway::frontend
