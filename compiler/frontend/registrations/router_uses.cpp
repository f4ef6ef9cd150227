#include "frontend/registrations/router_uses.hpp"

#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>

#include <algorithm>

#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// The construct that contains a registration, for messages; empty if it need not be mentioned.
std::string construct_of(const clang::Stmt& node) {
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
    case clang::Stmt::CXXCatchStmtClass:
      return "a 'catch' block";
    case clang::Stmt::ReturnStmtClass:
      return "a 'return' statement";
    case clang::Stmt::LabelStmtClass:
      return "a labelled statement";
    case clang::Stmt::ConditionalOperatorClass:
    case clang::Stmt::BinaryConditionalOperatorClass:
      return "a conditional expression";
    default:
      break;
  }
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
    return fmt::format("the operator '{}'", binary->getOpcodeStr().str());
  }
  return llvm::isa<clang::ExplicitCastExpr>(node) ? "a cast" : "";
}

bool is_unevaluated(const clang::Stmt& node) {
  if (const auto* type = llvm::dyn_cast<clang::CXXTypeidExpr>(&node)) {
    return !type->isPotentiallyEvaluated();
  }
  return llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(node);
}

/// The object of a member expression, also in templates and after errors.
const clang::Expr* member_base(const clang::Stmt& node) {
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) return member->getBase();
  if (const auto* member = llvm::dyn_cast<clang::UnresolvedMemberExpr>(&node)) {
    return member->isImplicitAccess() ? nullptr : member->getBase();
  }
  if (const auto* member = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(&node)) {
    return member->isImplicitAccess() ? nullptr : member->getBase();
  }
  return nullptr;
}

const clang::NamedDecl* named(const clang::Expr* expression) {
  if (expression == nullptr) return nullptr;
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&strip_wrappers(*expression));
  return reference == nullptr ? nullptr : reference->getDecl();
}

/// The function or callable object that a call names.
const clang::NamedDecl* callee_of(const clang::CallExpr& call) {
  const auto* operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
  if (operation != nullptr && operation->getOperator() == clang::OO_Call) {
    return named(operation->getArg(0));
  }
  return operation == nullptr ? call.getDirectCallee() : nullptr;
}

/// Whether a call or a constructor among the options may run the functions that it gets at once:
/// `[&] { … }()`, `std::invoke([&] { … })`, and functions of the user.
bool may_run_arguments(const clang::Stmt& node) {
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
    const clang::CXXRecordDecl& made_type = *made->getConstructor()->getParent();
    return !is_in_namespace(made_type, "fw") && !is_in_namespace(made_type, "std") &&
           !made_type.isLambda();
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return call != nullptr && (callee == nullptr || !is_in_namespace(*callee, "fw"));
}

bool is_method_pointer(const clang::Expr& argument) {
  if (is_router_member_pointer(argument.getType())) return true;
  const auto* address = llvm::dyn_cast<clang::UnaryOperator>(&strip_wrappers(argument));
  if (address == nullptr || address->getOpcode() != clang::UO_AddrOf) return false;
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(named(address->getSubExpr()));
  return method != nullptr && method->getParent()->getQualifiedNameAsString() == "fw::Router";
}

}  // namespace

void RouterUses::statement(const clang::Stmt& statement) {
  escaped_here_ = false;
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
    return this->block(*block, {.construct = "a nested block"});
  }
  scan(statement, {});
}

void RouterUses::argument(const clang::Expr& argument) {
  escaped_here_ = false;
  scan(argument, {.construct = "an argument"});
}

void RouterUses::handler(const clang::Expr& argument) {
  escaped_here_ = false;
  note_handler(context_, argument);
  const clang::Expr* e = argument.IgnoreUnlessSpelledInSource();
  const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(e);
  if (lambda == nullptr) return this->argument(argument);
  captures(*lambda, true, {});
  scan(*lambda->getBody(), {.construct = "a handler", .in_handler = true});
}

void RouterUses::options(const clang::Expr& argument) {
  escaped_here_ = false;
  scan(argument, {.construct = "the options of a route", .in_options = true});
}

bool RouterUses::is_the_router(const clang::Expr& expression) const {
  const clang::Expr* e = &strip_wrappers(expression);
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e);
      unary != nullptr && unary->getOpcode() == clang::UO_AddrOf) {
    e = &strip_wrappers(*unary->getSubExpr());
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e);
  return reference != nullptr && reference->getDecl() == &router_;
}

void RouterUses::scan(const clang::Stmt& node, Position position) {
  if (is_unevaluated(node)) return;
  const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
  if (expression != nullptr && expression->containsErrors()) position.has_error = true;
  if (may_run_arguments(node)) position.in_options = false;
  if (const auto call = registration_call(node)) return registration(*call, position);
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
    return this->lambda(*lambda, position);
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) return this->call(*call, position);
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
    return name(*reference, position);
  }
  if (const auto* statement = llvm::dyn_cast<clang::DeclStmt>(&node)) {
    return declaration(*statement, position);
  }
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node)) {
    if (position.construct.empty()) position.construct = "a nested block";
    return this->block(*block, position);
  }
  // Members that do not register routes, such as services, are allowed.
  if (const auto* base = member_base(node); base != nullptr && is_the_router(*base)) return;
  // `(void)app;` is not a use.
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&node);
      cast != nullptr && cast->getCastKind() == clang::CK_ToVoid &&
      is_the_router(*cast->getSubExpr())) {
    return;
  }
  if (const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(&node);
      assignment != nullptr && assignment->isAssignmentOp()) {
    if (const auto* target = named(assignment->getLHS())) {
      position.use = fmt::format("is stored in '{}'", target->getNameAsString());
    }
  }
  if (std::string construct = construct_of(node); !construct.empty()) {
    position.construct = std::move(construct);
  }
  scan_children(node, position);
}

void RouterUses::scan_children(const clang::Stmt& node, const Position& position) {
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) scan(*child, position);
  }
}

void RouterUses::block(const clang::CompoundStmt& block, Position position) {
  for (const clang::Stmt* statement : block.body()) {
    escaped_here_ = false;
    scan(*statement, position);
  }
}

void RouterUses::declaration(const clang::DeclStmt& statement, const Position& position) {
  for (const clang::Decl* each : statement.decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(each);
    if (variable == nullptr) continue;
    Position inner = position;
    if (inner.construct.empty()) inner.construct = "a declaration";
    const auto* array =
        context_.ast.getAsVariableArrayType(variable->getType());  // an extension, evaluated
    if (array != nullptr && array->getSizeExpr() != nullptr) scan(*array->getSizeExpr(), inner);
    if (variable->getInit() == nullptr) continue;
    if (!variable->getName().empty()) {
      inner.use = fmt::format("is stored in '{}'", variable->getNameAsString());
    }
    const std::size_t before = context_.file.diagnostics.size();
    scan(*variable->getInit(), inner);
    if (context_.file.diagnostics.size() > before) reported_callables_.push_back(variable);
  }
}

void RouterUses::call(const clang::CallExpr& call, const Position& position) {
  const clang::Expr& callee = *call.getCallee()->IgnoreParens();
  const auto* pointer = llvm::dyn_cast<clang::BinaryOperator>(&callee);
  const bool through_pointer =
      pointer != nullptr && pointer->isPtrMemOp() && is_router(pointer->getLHS()->getType());
  const bool passes_method = std::any_of(call.arg_begin(), call.arg_end(),
                                         [](const auto* each) { return is_method_pointer(*each); });
  const clang::NamedDecl* receiver = callee_of(call);
  const bool reported = std::find(reported_callables_.begin(), reported_callables_.end(),
                                  receiver) != reported_callables_.end();
  if (through_pointer || passes_method) {
    computed(call);
  } else if (!llvm::isa<clang::CXXOperatorCallExpr>(call)) {
    scan(callee, position);
  }
  Position inner = position;
  if (receiver != nullptr) {
    inner.use = fmt::format("is passed to '{}'", receiver->getNameAsString());
    inner.receiver = receiver;
  }
  for (const clang::Expr* argument : call.arguments()) {
    const bool covered = through_pointer || passes_method || reported;
    if (covered && is_the_router(*argument)) continue;
    scan(*argument, inner);
  }
}

void RouterUses::registration(const RegistrationCall& call, const Position& position) {
  for (const clang::Expr* argument : call.arguments) note_handler(context_, *argument);
  if (is_the_router(*call.object) || (position.in_handler && is_router(call.object->getType()))) {
    return report_nested(call, position.construct.empty() ? "an expression" : position.construct);
  }
  scan(*call.object, position);
  // An alias of the router that is not a parameter of a helper and has not been reported.
  const auto* object = named(call.object);
  if (!escaped_ && object != nullptr && !llvm::isa<clang::ParmVarDecl>(object)) {
    report_nested(call, "another router");
  }
}

void RouterUses::report_nested(const RegistrationCall& call, const std::string& where) {
  const bool foreign = where == "another router";
  auto& diagnostic =
      context_.report(model::rules::registration_not_top_level,
                      foreign ? fmt::format("route is registered on a router that is not '{}'",
                                            router_.getNameAsString())
                              : fmt::format("route is registered inside {}", where),
                      context_.at.used({call.object->getBeginLoc(), call.expression->getEndLoc()}));
  diagnostic.method = call.method;
  diagnostic.route = route_hint(call);
  diagnostic.help = "register each route in a separate statement, directly in the factory";
}

void RouterUses::lambda(const clang::LambdaExpr& lambda, const Position& position) {
  captures(lambda, position.in_options, position);
  const bool runs_late = position.in_handler || position.in_options;
  scan(*lambda.getBody(),
       {.construct = runs_late ? "a handler" : "a lambda", .in_handler = runs_late});
}

void RouterUses::captures(const clang::LambdaExpr& lambda, bool is_handler,
                          const Position& position) {
  for (const auto& capture : lambda.explicit_captures()) {
    if (!lambda.isInitCapture(&capture)) continue;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
    if (variable == nullptr || variable->getInit() == nullptr) continue;
    if (is_handler && is_the_router(*variable->getInit())) continue;
    Position inner = position;
    inner.use = fmt::format("is stored in '{}'", variable->getNameAsString());
    scan(*variable->getInit(), inner);
  }
}

void RouterUses::name(const clang::DeclRefExpr& reference, const Position& position) {
  if (reference.getDecl() != &router_ || position.in_handler || position.has_error) return;
  escaped_ = true;
  if (escaped_here_) return;
  escaped_here_ = true;
  auto& diagnostic =
      context_.report(model::rules::router_escapes,
                      fmt::format("the router '{}' {}", router_.getNameAsString(), position.use),
                      context_.at.of(reference));
  diagnostic.help =
      "register the routes directly in the factory, and pass on only what is needed: "
      "services, configuration, logger";
  if (position.receiver != nullptr && context_.at.in_main_file(position.receiver->getLocation())) {
    diagnostic.notes.push_back(
        {fmt::format("'{}' is defined here", position.receiver->getNameAsString()),
         context_.at.token(position.receiver->getLocation())});
  }
}

void RouterUses::computed(const clang::Expr& e) {
  escaped_ = true;
  auto& diagnostic = context_.report(model::rules::computed_method,
                                     "the registration method is computed", context_.at.of(e));
  diagnostic.help =
      fmt::format("name the method in the call: '{}.get(…)'", router_.getNameAsString());
}

}  // namespace fairway::frontend
