#include "frontend/factory.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>

#include <array>
#include <optional>

#include "frontend/static_value.hpp"

namespace fairway::frontend {
namespace {

struct Method {
  llvm::StringLiteral function;
  llvm::StringLiteral http;
};
constexpr std::array<Method, 7> kMethods = {{{"get", "GET"},
                                             {"post", "POST"},
                                             {"put", "PUT"},
                                             {"patch", "PATCH"},
                                             {"del", "DELETE"},
                                             {"head", "HEAD"},
                                             {"options", "OPTIONS"}}};

llvm::StringRef http_method(llvm::StringRef function) {
  for (const Method& method : kMethods) {
    if (method.function == function) return method.http;
  }
  return {};
}

bool is_router(clang::QualType type) {
  if (type.isNull()) return false;
  type = type.getNonReferenceType();
  if (type->isPointerType()) type = type->getPointeeType();
  const auto* record = type->getAsCXXRecordDecl();
  return record != nullptr && record->getQualifiedNameAsString() == "fw::Router";
}

/// The HTTP method of a registration call; empty for any other call.
llvm::StringRef registered_method(const clang::CXXMemberCallExpr& call) {
  const clang::CXXMethodDecl* method = call.getMethodDecl();
  if (method == nullptr || method->getParent()->getQualifiedNameAsString() != "fw::Router" ||
      !method->getDeclName().isIdentifier()) {
    return {};
  }
  return http_method(method->getName());
}

/// What a nested registration stands in, as the message names it.
const char* construct_of(const clang::Stmt& node) {
  switch (node.getStmtClass()) {
    case clang::Stmt::IfStmtClass:
      return "an 'if' statement";
    case clang::Stmt::ForStmtClass:
    case clang::Stmt::CXXForRangeStmtClass:
      return "a 'for' loop";
    case clang::Stmt::WhileStmtClass:
      return "a 'while' loop";
    case clang::Stmt::DoStmtClass:
      return "a 'do' loop";
    case clang::Stmt::SwitchStmtClass:
      return "a 'switch' statement";
    case clang::Stmt::CXXTryStmtClass:
      return "a 'try' block";
    case clang::Stmt::LambdaExprClass:
      return "a lambda";
    case clang::Stmt::ConditionalOperatorClass:
      return "a conditional expression";
    case clang::Stmt::CompoundStmtClass:
      return "a nested block";
    case clang::Stmt::LabelStmtClass:
      return "a labelled statement";
    case clang::Stmt::DeclStmtClass:
      return "a declaration";
    default:
      return nullptr;
  }
}

const clang::StringLiteral* first_string(const clang::Stmt& node) {
  if (const auto* literal = llvm::dyn_cast<clang::StringLiteral>(&node)) return literal;
  for (const clang::Stmt* child : node.children()) {
    if (child == nullptr) continue;
    if (const auto* found = first_string(*child)) return found;
  }
  return nullptr;
}

class FactoryReader {
 public:
  FactoryReader(Unit& unit, const clang::VarDecl& router) : unit_(unit), router_(router) {}

  void read(const clang::Stmt& body) {
    for (const clang::Stmt* statement : body.children()) {
      if (statement != nullptr) this->statement(*statement);
    }
  }

 private:
  void statement(const clang::Stmt& statement) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
    if (expression != nullptr) {
      const clang::Expr* e = expression->IgnoreParens();
      if (const auto* full = llvm::dyn_cast<clang::ExprWithCleanups>(e)) e = full->getSubExpr();
      const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(e->IgnoreParenImpCasts());
      if (call != nullptr && !registered_method(*call).empty() && is_the_router(*call)) {
        return registration(*call);
      }
      if (llvm::isa<clang::RecoveryExpr>(e->IgnoreParenImpCasts()) && broken_registration(*e)) {
        return;
      }
    }
    scan(statement, nullptr);
  }

  bool is_the_router(const clang::CXXMemberCallExpr& call) const {
    const auto* object =
        llvm::dyn_cast<clang::DeclRefExpr>(call.getImplicitObjectArgument()->IgnoreParenImpCasts());
    return object != nullptr && object->getDecl() == &router_;
  }

  void registration(const clang::CXXMemberCallExpr& call) {
    model::Registration result;
    result.method = registered_method(call).str();
    result.range = unit_.at.of(call);
    result.method_range = unit_.at.token(call.getExprLoc());
    const unsigned count = call.getNumArgs();
    if (count > 0) handler(*call.getArg(count - 1));

    auto path = resolve_static(unit_, *call.getArg(0), Purpose::path, result.method, "");
    if (path && path->kind != model::Value::Kind::string) {
      unit_.report("route-path-not-static", "route path is not a string", path->range).method =
          result.method;
      path.reset();
    }
    std::optional<model::Value> options;
    bool options_resolved = true;
    if (count == 3) {
      options = resolve_static(unit_, *call.getArg(1), Purpose::options, result.method,
                               path ? path->text : "");
      options_resolved = options.has_value();
    }
    if (!path || !options_resolved) return;
    result.path = path->text;
    result.path_value = std::move(*path);
    result.options = std::move(options);
    unit_.file.registrations.push_back(std::move(result));
  }

  /// Remembers where the handler's body is, and looks for registrations in it.
  void handler(const clang::Expr& argument) {
    const clang::Expr* e = argument.IgnoreUnlessSpelledInSource();
    const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(e);
    if (lambda == nullptr) return scan(argument, nullptr);
    unit_.handler_bodies.push_back(lambda->getBody()->getSourceRange());
    for (const auto& capture : lambda->explicit_captures()) init_capture(*lambda, capture);
    scan(*lambda->getBody(), "a handler");
  }

  void init_capture(const clang::LambdaExpr& lambda, const clang::LambdaCapture& capture) {
    if (!lambda.isInitCapture(&capture)) return;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
    if (variable != nullptr && variable->getInit() != nullptr) scan(*variable->getInit(), nullptr);
  }

  /// A call of a registration method that Clang could not make sense of.
  bool broken_registration(const clang::Expr& e) {
    const clang::UnresolvedMemberExpr* callee = nullptr;
    for (const clang::Stmt* child : e.IgnoreParenImpCasts()->children()) {
      const auto* part = llvm::dyn_cast_or_null<clang::Expr>(child);
      if (part == nullptr) continue;
      if (const auto* overloaded = llvm::dyn_cast<clang::UnresolvedMemberExpr>(part)) {
        if (is_router(overloaded->getBaseType())) callee = overloaded;
      } else if (const auto* lambda =
                     llvm::dyn_cast<clang::LambdaExpr>(part->IgnoreUnlessSpelledInSource())) {
        unit_.handler_bodies.push_back(lambda->getBody()->getSourceRange());
      }
    }
    if (callee == nullptr) return false;
    const std::string name = callee->getMemberName().getAsString();
    if (http_method(name).empty()) return false;
    auto& diagnostic = unit_.report("bad-registration",
                                    fmt::format("'{}' cannot be called with these arguments", name),
                                    unit_.at.token(callee->getMemberLoc()));
    diagnostic.method = http_method(name).str();
    diagnostic.help =
        "a registration takes a path and a handler, or a path, options and a handler that takes "
        "'fw::Request&' and 'fw::Response&'";
    unit_.explained.push_back({e.getSourceRange(), unit_.file.diagnostics.size() - 1});
    return true;
  }

  /// Reports every use of the router in `node` that could register a route. `inside` names the
  /// innermost construct around it.
  void scan(const clang::Stmt& node, const char* inside) {
    if (const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node)) {
      return member_call(*call, inside);
    }
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
      for (const auto& capture : lambda->explicit_captures()) init_capture(*lambda, capture);
      return scan(*lambda->getBody(), "a lambda");
    }
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
      return name(*reference);
    }
    if (llvm::isa<clang::RecoveryExpr>(node)) return broken(node, inside);
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node)) {
      for (const clang::Decl* each : declaration->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(each);
        if (variable != nullptr && variable->getInit() != nullptr) {
          scan(*variable->getInit(), inside == nullptr ? "a declaration" : inside);
        }
      }
      return;
    }
    const bool names_nothing = llvm::isa<clang::CompoundStmt>(node) && inside != nullptr;
    if (const char* construct = construct_of(node); construct != nullptr && !names_nothing) {
      inside = construct;
    }
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) scan(*child, inside);
    }
  }

  /// Code that Clang could not make sense of: the router may be the object of a call in it.
  void broken(const clang::Stmt& node, const char* inside) {
    for (const clang::Stmt* child : node.children()) {
      if (child == nullptr || llvm::isa<clang::DeclRefExpr>(child)) continue;
      if (const auto* overloaded = llvm::dyn_cast<clang::UnresolvedMemberExpr>(child)) {
        const std::string name = overloaded->getMemberName().getAsString();
        if (is_router(overloaded->getBaseType()) && !http_method(name).empty()) {
          nested(*overloaded, http_method(name), inside, nullptr);
        }
        continue;
      }
      scan(*child, inside);
    }
  }

  /// `path` is the call's first argument, where Clang could make sense of it.
  void nested(const clang::Expr& call, llvm::StringRef method, const char* inside,
              const clang::Expr* path) {
    auto& diagnostic = unit_.report(
        "registration-not-top-level",
        fmt::format("route is registered inside {}", inside == nullptr ? "an expression" : inside),
        unit_.at.of(call));
    diagnostic.method = method.str();
    if (const auto* text = path == nullptr ? nullptr : first_string(*path)) {
      diagnostic.route = text->getString().str();
    }
    diagnostic.help = "register each route in a statement of its own, directly in the factory";
  }

  void member_call(const clang::CXXMemberCallExpr& call, const char* inside) {
    const llvm::StringRef method = registered_method(call);
    const clang::Expr* object = call.getImplicitObjectArgument();
    const auto* pointer = llvm::dyn_cast<clang::BinaryOperator>(call.getCallee()->IgnoreParens());
    if (pointer != nullptr && pointer->isPtrMemOp() && is_router(pointer->getLHS()->getType())) {
      return computed(call);
    }
    if (!method.empty()) {
      // On another name for the router: that name has been reported.
      if (!is_the_router(call) && escaped_) return;
      return nested(call, method, inside, call.getNumArgs() > 0 ? call.getArg(0) : nullptr);
    }
    // Services, configuration, logger and raise are free to use.
    const bool on_router = object != nullptr && is_router(object->getType()) &&
                           llvm::isa<clang::DeclRefExpr>(object->IgnoreParenImpCasts());
    if (object != nullptr && !on_router) scan(*object, inside);
    for (const clang::Expr* argument : call.arguments()) scan(*argument, inside);
  }

  void name(const clang::DeclRefExpr& reference) {
    if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(reference.getDecl())) {
      if (method->getParent()->getQualifiedNameAsString() == "fw::Router" &&
          method->getDeclName().isIdentifier() && !http_method(method->getName()).empty()) {
        computed(reference);
      }
      return;
    }
    if (reference.getDecl() != &router_) return;
    escaped_ = true;
    auto& diagnostic = unit_.report(
        "router-escapes",
        fmt::format("the router '{}' is passed on or stored", router_.getNameAsString()),
        unit_.at.of(reference));
    diagnostic.help = "call the router's functions directly in the factory";
  }

  void computed(const clang::Expr& e) {
    auto& diagnostic =
        unit_.report("computed-method", "the registration method is computed", unit_.at.of(e));
    diagnostic.help = fmt::format("name the method: '{}.get(…)'", router_.getNameAsString());
  }

  Unit& unit_;
  const clang::VarDecl& router_;
  bool escaped_ = false;
};

}  // namespace

void read_factory(Unit& unit, const Factory& factory) {
  if (factory.body == nullptr || factory.router == nullptr) return;
  FactoryReader(unit, *factory.router).read(*factory.body);
}

}  // namespace fairway::frontend
