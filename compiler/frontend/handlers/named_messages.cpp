#include "frontend/handlers/named_messages.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprConcepts.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/handlers/handler_signature.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// Whether the program executes a statement, each more doubtful than the one before.
enum class Reach {
  always,     ///< in each call of the function
  sometimes,  ///< in some calls
  unknown     ///< perhaps never: constants may decide it
};

/// `kTrace`, `user && kLevel > 1`: perhaps a constant.
bool mentions_constant(const clang::ASTContext& ast, const clang::Stmt& condition) {
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&condition)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    const clang::QualType type = name->getType();
    return variable != nullptr && type->isIntegralOrEnumerationType() &&
           variable->mightBeUsableInConstantExpressions(ast);
  }
  const auto children = condition.children();
  return std::any_of(children.begin(), children.end(), [&](const clang::Stmt* child) {
    return child != nullptr && mentions_constant(ast, *child);
  });
}

/// Whether the value of a condition may be known to the compiler of the program.
bool may_be_constant(const clang::ASTContext& ast, const clang::Expr& condition) {
  bool value = false;
  return condition.isValueDependent() || condition.containsErrors() ||
         condition.EvaluateAsBooleanCondition(value, ast) || mentions_constant(ast, condition);
}

class MessageFinder {
 public:
  MessageFinder(const FileContext& context, const clang::ParmVarDecl& socket, bool is_only_here)
      : context_(context), is_only_here_(is_only_here) {
    origins_.emplace(&socket, nullptr);
  }

  void find(const clang::Stmt& body) { visit(body, Reach::always); }

  void add_to(model::MessageUse& use) const {
    for (const Found& each : found_) {
      if (has_changed(each.socket)) continue;
      (each.is_sent ? use.sends : use.sets).push_back(each.message);
    }
  }

 private:
  struct Found {
    const clang::ValueDecl* socket = nullptr;
    bool is_sent = false;
    model::NamedMessage message;
  };

  const clang::ValueDecl* socket_in(const clang::Expr& expression) const {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts());
    return name != nullptr && origins_.contains(name->getDecl()) ? name->getDecl() : nullptr;
  }
  bool has_changed(const clang::ValueDecl* socket) const {
    for (; socket != nullptr; socket = origins_.at(socket)) {
      if (changed_.contains(socket)) return true;
    }
    return false;
  }
  Reach after_condition(const clang::Expr* condition, Reach reach) {
    if (condition == nullptr) return std::max(reach, Reach::sometimes);
    const auto [known, is_new] = constants_.try_emplace(condition, false);
    if (is_new) known->second = may_be_constant(context_.ast, *condition);
    return known->second ? Reach::unknown : std::max(reach, Reach::sometimes);
  }

  void visit_if_any(const clang::Stmt* node, Reach reach) {
    if (node != nullptr) visit(*node, reach);
  }
  void visit_children(const clang::Stmt& node, Reach reach) {
    for (const clang::Stmt* child : node.children()) visit_if_any(child, reach);
  }

  void visit(const clang::Stmt& node, Reach reach) {
    using llvm::dyn_cast;
    // What is never executed.
    if (llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::CXXTypeidExpr,
                  clang::RequiresExpr>(node)) {
      return;
    }
    if (const auto* block = dyn_cast<clang::CompoundStmt>(&node)) return this->block(*block, reach);
    if (const auto* lambda = dyn_cast<clang::LambdaExpr>(&node)) {
      return this->lambda(*lambda, std::max(reach, Reach::sometimes));
    }
    if (const auto* declaration = dyn_cast<clang::DeclStmt>(&node)) {
      return declarations(*declaration, reach);
    }
    if (llvm::isa<clang::IfStmt, clang::SwitchStmt, clang::WhileStmt, clang::ForStmt,
                  clang::CXXForRangeStmt, clang::AbstractConditionalOperator>(node)) {
      return branches(node, reach);
    }
    // A message that is not declared may be expected there.
    if (llvm::isa<clang::CXXTryStmt>(node)) reach = Reach::unknown;
    if (const auto* operation = dyn_cast<clang::BinaryOperator>(&node);
        operation != nullptr && operation->isLogicalOp()) {
      visit(*operation->getLHS(), reach);
      return visit(*operation->getRHS(), after_condition(operation->getLHS(), reach));
    }
    if (const auto call = member_use(node)) {
      if (const clang::ValueDecl* socket = socket_in(*call->object)) {
        return this->call(*socket, *call, reach);
      }
    }
    if (is_read_only(node)) return;
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(&node)) changed_.insert(name->getDecl());
    visit_children(node, reach);
  }

  /// After a statement that may leave the block, the rest is executed in some calls.
  void block(const clang::CompoundStmt& block, Reach reach) {
    for (const clang::Stmt* each : block.body()) {
      visit(*each, reach);
      reach = std::max(reach, leaves(*each) ? Reach::unknown : after(*each));
    }
  }

  /// Whether the statement itself leaves the block.
  static bool leaves(const clang::Stmt& node) {
    if (const auto* expression = llvm::dyn_cast<clang::Expr>(&node)) {
      const clang::Expr& left = strip_wrappers(*expression);
      const auto* call = llvm::dyn_cast<clang::CallExpr>(&left);
      const clang::FunctionDecl* called = call == nullptr ? nullptr : call->getDirectCallee();
      return llvm::isa<clang::CXXThrowExpr>(left) || (called != nullptr && called->isNoReturn());
    }
    return llvm::isa<clang::ReturnStmt, clang::GotoStmt, clang::BreakStmt, clang::ContinueStmt,
                     clang::CoreturnStmt>(node);
  }

  /// Whether the program executes what follows a statement.
  Reach after(const clang::Stmt& node) {
    if (llvm::isa<clang::LambdaExpr>(node)) return Reach::always;
    Reach reach = leaves(node) ? Reach::sometimes : Reach::always;
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) reach = std::max(reach, after(*child));
    }
    const clang::Expr* condition = condition_of(node);
    return reach == Reach::always || condition == nullptr ? reach
                                                          : after_condition(condition, reach);
  }

  /// The condition is executed; what depends on it is not always.
  void branches(const clang::Stmt& node, Reach reach) {
    const clang::Expr* condition = condition_of(node);
    const Reach inside = after_condition(condition, reach);
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) visit(*child, child == condition ? reach : inside);
    }
  }
  static const clang::Expr* condition_of(const clang::Stmt& node) {
    using llvm::dyn_cast;
    if (const auto* choice = dyn_cast<clang::IfStmt>(&node)) return choice->getCond();
    if (const auto* choice = dyn_cast<clang::SwitchStmt>(&node)) return choice->getCond();
    if (const auto* loop = dyn_cast<clang::WhileStmt>(&node)) return loop->getCond();
    if (const auto* loop = dyn_cast<clang::ForStmt>(&node)) return loop->getCond();
    const auto* choice = dyn_cast<clang::AbstractConditionalOperator>(&node);
    return choice == nullptr ? nullptr : choice->getCond();
  }

  void declarations(const clang::DeclStmt& statement, Reach reach) {
    for (const clang::Decl* each : statement.decls()) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(each);
      if (variable == nullptr || variable->getInit() == nullptr) continue;
      // Perhaps the lambda of a variable is not called.
      const bool is_lambda = is_lambda_type(variable->getType());
      visit(*variable->getInit(), is_lambda ? Reach::unknown : reach);
    }
  }

  /// Captures are not uses; only the body counts.
  void lambda(const clang::LambdaExpr& lambda, Reach reach) {
    for (const auto& capture : lambda.captures()) {
      if (!lambda.isInitCapture(&capture)) continue;
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
      if (variable != nullptr) visit_if_any(variable->getInit(), reach);
    }
    visit_if_any(lambda.getBody(), reach);
  }

  /// `socket.name(…)`.
  void call(const clang::ValueDecl& socket, const MemberUse& call, Reach reach) {
    if (call.name == "operator=") changed_.insert(&socket);
    constexpr std::array<llvm::StringLiteral, 3> kSetters = {"on", "on_text", "on_binary"};
    const bool sets_function = is_one_of(kSetters, call.name);
    const bool is_known = reach == Reach::always || (reach == Reach::sometimes && is_only_here_);
    if ((call.name == "on" || call.name == "send") && is_known && !call.arguments.empty()) {
      if (auto message = named(*call.arguments.front())) {
        message->is_conditional = reach != Reach::always;
        found_.push_back({&socket, call.name == "send", std::move(*message)});
      }
    }
    for (const clang::Expr* argument : call.arguments) {
      const auto* function = llvm::dyn_cast<clang::LambdaExpr>(&strip_wrappers(*argument));
      if (!sets_function || function == nullptr) {
        visit(*argument, reach);
        continue;
      }
      // `[](const Say& say, fw::Socket& from)`, also with `auto&`.
      const clang::CXXMethodDecl* operation = function->getCallOperator();
      if (operation->getNumParams() == 2) {
        const clang::ParmVarDecl* from = operation->getParamDecl(1);
        if (from->getType()->isReferenceType()) origins_.emplace(from, &socket);
      }
      lambda(*function, reach);
    }
  }

  std::optional<model::NamedMessage> named(const clang::Expr& argument) const {
    const auto* literal =
        llvm::dyn_cast<clang::StringLiteral>(argument.IgnoreUnlessSpelledInSource());
    if (literal == nullptr || !literal->isOrdinary() || literal->getNumConcatenated() != 1) {
      return std::nullopt;
    }
    return model::NamedMessage{.name = literal->getString().str(),
                               .range = context_.at.token(literal->getBeginLoc())};
  }

  /// A copy of a socket, or a reference that cannot assign it. All else may.
  bool is_read_only(const clang::Stmt& node) const {
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
      return made->getNumArgs() == 1 && made->getConstructor()->isCopyConstructor() &&
             socket_in(*made->getArg(0)) != nullptr;
    }
    const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&node);
    return cast != nullptr && cast->getType().isConstQualified() && socket_in(*cast) != nullptr;
  }

  const FileContext& context_;
  bool is_only_here_;
  /// The parameters that are the socket, and of which one they are the socket of a message.
  std::map<const clang::ValueDecl*, const clang::ValueDecl*> origins_;
  std::set<const clang::ValueDecl*> changed_;     ///< variables that may have become other sockets
  std::map<const clang::Expr*, bool> constants_;  ///< the conditions that may be constants
  std::vector<Found> found_;
};

/// Whether no other code calls the handler: it is a lambda in the registration.
bool is_only_here(const FileContext& context, const clang::Expr& argument) {
  const clang::Expr& written = strip_wrappers(*argument.IgnoreUnlessSpelledInSource());
  return llvm::isa<clang::LambdaExpr>(written) && context.at.in_main_file(written.getBeginLoc());
}

}  // namespace

void add_named_messages(model::MessageUse& use, const FileContext& context,
                        const clang::FunctionDecl& handler, const clang::Stmt& body,
                        const clang::Expr& argument) {
  const clang::ParmVarDecl* socket = socket_parameter(handler);
  if (socket == nullptr || condition_in(context, body.getSourceRange()) != nullptr) return;
  MessageFinder finder(context, *socket, is_only_here(context, argument));
  finder.find(body);
  finder.add_to(use);
}

void forget_shared_messages(std::vector<model::Registration>& registrations) {
  std::map<model::Range, int> uses;
  const auto each_list = [&](auto&& function) {
    for (model::Registration& registration : registrations) {
      function(registration.handler.messages.sets);
      function(registration.handler.messages.sends);
    }
  };
  each_list([&](const auto& messages) {
    for (const model::NamedMessage& message : messages) ++uses[message.range];
  });
  each_list([&](auto& messages) {
    std::erase_if(messages, [&](const model::NamedMessage& message) {
      return message.is_conditional && uses[message.range] > 1;
    });
  });
}

}  // namespace fairway::frontend
