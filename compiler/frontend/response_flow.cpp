#include "frontend/response_flow.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprConcepts.h>

#include <algorithm>
#include <array>
#include <utility>

#include "frontend/compile_errors.hpp"
#include "frontend/compiler_conditions.hpp"
#include "frontend/file_reading.hpp"
#include "frontend/lost_statements.hpp"
#include "frontend/never_returns.hpp"
#include "frontend/raised_errors.hpp"
#include "frontend/registration_call.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// Statements and expressions that are visited in one handler: loops in loops and functions that
/// call others several times are visited again and again.
constexpr unsigned kMaxVisited = 200'000;

/// The class of a lambda; null for other values.
const clang::CXXRecordDecl* lambda_of(const clang::Expr& expression) {
  const auto* record = record_of(strip_wrappers(expression).getType());
  return record != nullptr && record->isLambda() ? record : nullptr;
}

/// The value of a condition that is written as a literal.
std::optional<bool> literal_value(const clang::Expr& condition) {
  const clang::Expr& written = strip_wrappers(condition);
  if (const auto* boolean = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(&written)) {
    return boolean->getValue();
  }
  const auto* number = llvm::dyn_cast<clang::IntegerLiteral>(&written);
  if (number == nullptr) return std::nullopt;
  return number->getValue().getBoolValue();
}

bool is_endless(const clang::Expr* condition) {
  return condition == nullptr || literal_value(*condition).value_or(false);
}

/// Whether the end of a variable runs code.
bool has_destructor(const clang::VarDecl& variable) {
  const auto* type = record_of(variable.getType().getNonReferenceType());
  return type != nullptr && type->hasDefinition() && !type->hasTrivialDestructor() &&
         variable.hasLocalStorage();
}

/// Whether a variable of the type may have a response that other code got.
bool may_keep(clang::QualType type) {
  if (type->isReferenceType() || type->isPointerType()) type = type->getPointeeType();
  return record_of(type) != nullptr && !is_framework_type(type);
}

/// The variable of which an expression is a part, or to which it leads.
const clang::ValueDecl* root_of(const clang::Expr& expression) {
  const clang::Expr& e = strip_wrappers(expression);
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e)) return name->getDecl();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) {
    return root_of(*member->getBase());
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&e)) {
    return root_of(*unary->getSubExpr());
  }
  if (const auto* item = llvm::dyn_cast<clang::ArraySubscriptExpr>(&e)) {
    return root_of(*item->getBase());
  }
  if (const auto* item = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&e)) {
    return root_of(*item->getArg(0));
  }
  return nullptr;
}

/// Whether all that objects of the class do with their members is in functions that are called.
bool is_followed(const clang::CXXRecordDecl& type) {
  const clang::CXXRecordDecl* definition = type.getDefinition();
  if (definition == nullptr || definition->isUnion() || definition->isLambda()) return false;
  const clang::CXXDestructorDecl* destructor = definition->getDestructor();
  return destructor == nullptr || !destructor->isUserProvided();
}

/// How often a function calls what it gets, before it returns.
enum class Calls { once, perhaps, any_number };

/// What other code calls of a lambda: of one with parameters `auto`, the function for each type.
std::vector<const clang::CXXMethodDecl*> instances_of(const clang::CXXMethodDecl& operation) {
  std::vector<const clang::CXXMethodDecl*> instances;
  const clang::FunctionTemplateDecl* pattern = operation.getDescribedFunctionTemplate();
  if (pattern != nullptr) {
    for (const clang::FunctionDecl* each : pattern->specializations()) {
      if (each->getBody() == nullptr) continue;
      instances.push_back(llvm::cast<clang::CXXMethodDecl>(each));
    }
  }
  if (instances.empty()) instances.push_back(&operation);
  return instances;
}

std::optional<Calls> calls_of_library(const clang::CallExpr& call) {
  // A function object: `std::ranges::for_each`.
  const bool is_object = llvm::isa<clang::CXXOperatorCallExpr>(call);
  const std::string name = called_name(is_object ? *call.getArg(0) : *call.getCallee());
  constexpr std::array<llvm::StringLiteral, 3> kOnce = {"std::visit", "std::invoke", "std::apply"};
  constexpr std::array<llvm::StringLiteral, 7> kPerhaps = {
      "std::call_once",         "std::optional::and_then", "std::optional::transform",
      "std::optional::or_else", "std::expected::and_then", "std::expected::transform",
      "std::expected::or_else"};
  constexpr std::array<llvm::StringLiteral, 7> kOften = {
      "for_each", "for_each_n", "all_of", "any_of", "none_of", "find_if", "count_if"};
  if (is_one_of(kOnce, name)) return Calls::once;
  if (is_one_of(kPerhaps, name)) return Calls::perhaps;
  for (const llvm::StringRef scope : {"std::ranges::", "std::"}) {
    if (!llvm::StringRef(name).starts_with(scope)) continue;
    const llvm::StringRef own = llvm::StringRef(name).drop_front(scope.size());
    if (is_one_of(kOften, own)) return Calls::any_number;
  }
  return std::nullopt;
}

}  // namespace

void ResponseFlow::run(const clang::Stmt& handler) {
  // The first time shows what lambdas set that are called at any time, and which calls return the
  // response; once more for each level of such calls in the arguments of others.
  std::size_t known = 0;
  do {
    known = use_.results();
    run_once(handler, false);
  } while (use_.results() != known);
  run_once(handler, true);
}

void ResponseFlow::run_once(const clang::Stmt& handler, bool keeps) {
  visited_ = 0;
  holders_.clear();
  is_kept_ = false;
  use_.begin(keeps);
  enter(handler, nullptr);
  use_.end();
}

void ResponseFlow::enter(const clang::Stmt& body, const clang::CallExpr* call,
                         const clang::CXXConstructorDecl* constructor) {
  frames_.push_back({.body = &body, .call = call, .outer_objects = objects_.size()});
  if (constructor != nullptr) members(*constructor);
  visit(body);
  state().join(frames_.back().exit);
  if (call != nullptr) use_.set_result(*call, frames_.back().result.value_or(HeldResponse()));
  frames_.pop_back();
}

void ResponseFlow::prepare(const Callee& callee) {
  for (const auto& [parameter, has] : callee.names) use_.set_name(*parameter, has);
  use_.set_arguments(callee.numbers, *callee.body);
}

void ResponseFlow::visit(const clang::Stmt& statement) {
  if (++visited_ > kMaxVisited) return use_.end_unknown();
  may_throw();
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  if (expression == nullptr) {
    const std::size_t outer = objects_.size();
    if (!visit_statement(statement)) parts(statement);
    const bool is_scope =
        !llvm::isa<clang::DeclStmt, clang::SwitchCase, clang::LabelStmt>(statement);
    if (is_scope) end_objects(outer);
  } else if (const clang::Expr& node = strip_wrappers(*expression); !visit_expression(node)) {
    parts(node);
  }
}

/// Any expression may throw, before it has changed the response.
void ResponseFlow::may_throw() {
  for (const Target& each : catches_) each.state->join(left(each.outer_objects));
}

ResponseState ResponseFlow::left(std::size_t outer) {
  if (objects_.size() == outer || !state().is_open) return state();
  const ResponseState before = state();
  for (std::size_t i = objects_.size(); i-- > outer;) {
    use_.call_elsewhere();
    if (objects_[i].has_response) use_.change_elsewhere();
  }
  return std::exchange(state(), before);
}

void ResponseFlow::end_objects(std::size_t outer) {
  state() = left(outer);
  objects_.resize(outer);
}

void ResponseFlow::call_elsewhere() {
  use_.call_elsewhere();
  if (is_kept_) use_.change_elsewhere();
  may_throw();
}

void ResponseFlow::value(const clang::Expr& expression) {
  if (const auto* lambda = lambda_of(expression)) {
    held(expression);
    return escape(*lambda);
  }
  visit(expression);
  if (!use_.held_by(expression).is_empty()) use_.lose(expression);
}

void ResponseFlow::held(const clang::Expr& expression) {
  const clang::Expr& node = strip_wrappers(expression);
  if (const clang::Expr* same = passed_through(node)) return held(*same);
  const auto* copy = llvm::dyn_cast<clang::CXXConstructExpr>(&node);
  const bool is_copy = copy != nullptr && lambda_of(node) != nullptr && copy->getNumArgs() == 1;
  is_copy ? held(*copy->getArg(0)) : visit(node);
}

void ResponseFlow::parts(const clang::Stmt& node) {
  for (const clang::Stmt* child : node.children()) {
    if (child == nullptr) continue;
    const auto* expression = llvm::dyn_cast<clang::Expr>(child);
    const bool is_value = expression != nullptr && llvm::isa<clang::Expr>(node);
    is_value ? value(*expression) : visit(*child);
  }
}

void ResponseFlow::visit_if_there(const clang::Stmt* statement) {
  if (statement != nullptr) visit(*statement);
}

/// False for a statement that consists of its parts.
bool ResponseFlow::visit_statement(const clang::Stmt& node) {
  if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node)) {
    this->declaration(*declaration);
  } else if (const auto* choice = llvm::dyn_cast<clang::IfStmt>(&node)) {
    this->choice(*choice);
  } else if (const auto* several = llvm::dyn_cast<clang::SwitchStmt>(&node)) {
    this->choice(*several);
  } else if (const auto* repeated = llvm::dyn_cast<clang::WhileStmt>(&node)) {
    loop(*repeated);
  } else if (const auto* once = llvm::dyn_cast<clang::DoStmt>(&node)) {
    loop(*once);
  } else if (const auto* counted = llvm::dyn_cast<clang::ForStmt>(&node)) {
    loop(*counted);
  } else if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(&node)) {
    loop(*range);
  } else if (const auto* attempt = llvm::dyn_cast<clang::CXXTryStmt>(&node)) {
    this->attempt(*attempt);
  } else if (const auto* result = llvm::dyn_cast<clang::ReturnStmt>(&node)) {
    this->returned(result->getRetValue());
  } else if (const auto* label = llvm::dyn_cast<clang::SwitchCase>(&node)) {
    if (!switches_.empty()) state().join(switches_.back());
    visit_if_there(label->getSubStmt());
  } else if (const auto* target = llvm::dyn_cast<clang::LabelStmt>(&node);
             target != nullptr && replaces_return(*target)) {
    this->returned(llvm::dyn_cast<clang::Expr>(target->getSubStmt()));
  } else if (target != nullptr) {
    use_.forget_status();  // the jumps may be anywhere
    visit(*target->getSubStmt());
  } else if (llvm::isa<clang::GotoStmt, clang::IndirectGotoStmt>(node)) {
    state() = {};
  } else if (llvm::isa<clang::BreakStmt, clang::ContinueStmt>(node)) {
    jump(node);
  } else {
    return false;
  }
  return true;
}

/// False for an expression that consists of its parts.
bool ResponseFlow::visit_expression(const clang::Expr& node) {
  // Nothing of it is run.
  if (llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::RequiresExpr,
                clang::CXXTypeidExpr>(node)) {
    return true;
  }
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
    captures(*lambda);
  } else if (const auto* block = llvm::dyn_cast<clang::StmtExpr>(&node)) {
    visit(*block->getSubStmt());
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
    this->call(*call);
  } else if (const auto* broken = llvm::dyn_cast<clang::RecoveryExpr>(&node)) {
    const auto use = member_use(node);
    const auto all = broken->subExpressions();
    if (use && use_.is_response(*use->object)) {
      use_of_response(node, *use);
    } else {
      parts(node);
      if (use && !use_.held_by(*use->object).is_empty()) use_.lose(*use->object);
      if (!all.empty() && is_raise(called_name(*all.front()))) use_.end_with_error();
    }
  } else if (llvm::isa<clang::CXXThrowExpr>(node)) {
    parts(node);
    use_.end_with_error();
  } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&node)) {
    this->choice(*choice);
  } else if (const auto* short_choice = llvm::dyn_cast<clang::BinaryConditionalOperator>(&node)) {
    this->choice(*short_choice);
  } else if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
    if (holders_.contains(reference->getDecl())) {
      ++mentions_;
      use_.change_elsewhere();
    }
  } else if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&node);
             operation != nullptr &&
             (operation->isLogicalOp() || operation->getOpcode() == clang::BO_Comma)) {
    visit(*operation->getLHS());
    operation->isLogicalOp() ? either(*operation->getRHS(), nullptr) : value(*operation->getRHS());
  } else if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&node);
             cast != nullptr &&
             (cast->getType()->isVoidType() || !use_.held_by(*cast).is_empty())) {
    visit(*cast->getSubExpr());
  } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
             unary != nullptr && !use_.held_by(*unary).is_empty()) {
    visit(*unary->getSubExpr());
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) {
    lambda_of(*member->getBase()) != nullptr ? value(*member->getBase())
                                             : visit(*member->getBase());
  } else if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
    this->construct(*construct);
  } else if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&node)) {
    this->construct(*list, list->inits());
  } else if (const auto* in_parens = llvm::dyn_cast<clang::CXXParenListInitExpr>(&node)) {
    this->construct(*in_parens, in_parens->getInitExprs());
  } else if (const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(&node);
             assignment != nullptr && assignment->isAssignmentOp()) {
    const std::size_t losses = use_.losses();
    parts(node);
    if (use_.losses() != losses) keep_in(*assignment->getLHS());
  } else {
    return false;
  }
  return true;
}

void ResponseFlow::declaration(const clang::DeclStmt& statement) {
  for (const clang::Decl* each : statement.decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(each);
    if (variable == nullptr || variable->getInit() == nullptr) continue;
    const clang::Expr& first = *variable->getInit();
    const ResponseState before = state();
    const std::size_t losses = use_.losses();
    const std::size_t mentions = mentions_;
    // A variable of another type may call the lambda at any time.
    const auto* type = record_of(variable->getType());
    const bool keeps_lambda = lambda_of(first) == nullptr || (type != nullptr && type->isLambda());
    keeps_lambda ? held(first) : value(first);
    use_.declare(*variable);
    if (variable->isStaticLocal()) state().join(before);  // it is initialised once
    const bool has_response = use_.losses() != losses;
    if ((has_response || mentions_ != mentions) && may_keep(variable->getType())) {
      holders_.insert(variable);
    }
    if (has_destructor(*variable)) objects_.push_back({.has_response = has_response});
  }
}

void ResponseFlow::choice(const clang::IfStmt& choice) {
  if (may_lack_branch(choice)) is_conditional_ = true;
  visit_if_there(choice.getInit());
  visit_if_there(choice.getConditionVariableDeclStmt());
  visit_if_there(choice.getCond());
  const ResponseState before = state();
  visit_if_there(choice.getThen());
  const ResponseState after = std::exchange(state(), before);
  visit_if_there(choice.getElse());
  state().join(after);
}

void ResponseFlow::choice(const clang::ConditionalOperator& choice) {
  visit(*choice.getCond());
  either(*choice.getTrueExpr(), choice.getFalseExpr());
  if (!use_.held_by(choice).is_empty()) return;
  for (const clang::Expr* each : {choice.getTrueExpr(), choice.getFalseExpr()}) {
    if (!use_.held_by(*each).is_empty()) use_.lose(*each);
    if (const auto* lambda = lambda_of(*each)) escape(*lambda);
  }
}

void ResponseFlow::choice(const clang::BinaryConditionalOperator& choice) {
  visit(*choice.getCommon());
  either(*choice.getFalseExpr(), nullptr);
  for (const clang::Expr* each : {choice.getCommon(), choice.getFalseExpr()}) {
    if (!use_.held_by(*each).is_empty()) use_.lose(*each);
  }
}

void ResponseFlow::choice(const clang::SwitchStmt& choice) {
  visit_if_there(choice.getInit());
  visit_if_there(choice.getConditionVariableDeclStmt());
  visit(*choice.getCond());
  ResponseState after;
  switches_.push_back(state());
  breaks_.push_back({&after, objects_.size()});
  state() = {};
  visit(*choice.getBody());
  breaks_.pop_back();
  state().join(after);
  // A value need not be an enumerator. What follows is for such values only if all cases have sent
  // a response; otherwise it is for the cases.
  bool is_complete = choice.isAllEnumCasesCovered() && state().is_open;
  for (const auto* label = choice.getSwitchCaseList(); label != nullptr;
       label = label->getNextSwitchCase()) {
    is_complete = is_complete || llvm::isa<clang::DefaultStmt>(label);
  }
  if (!is_complete) state().join(switches_.back());
  switches_.pop_back();
}

void ResponseFlow::loop(const clang::WhileStmt& loop) {
  visit_if_there(loop.getConditionVariableDeclStmt());
  rounds({.condition = loop.getCond(),
          .body = loop.getBody(),
          .is_endless = loop.getConditionVariable() == nullptr && is_endless(loop.getCond())});
}

void ResponseFlow::loop(const clang::ForStmt& loop) {
  visit_if_there(loop.getInit());
  rounds({.condition = loop.getCond(),
          .body = loop.getBody(),
          .step = loop.getInc(),
          .is_endless = is_endless(loop.getCond())});
}

void ResponseFlow::loop(const clang::CXXForRangeStmt& loop) {
  visit_if_there(loop.getInit());
  visit_if_there(loop.getRangeStmt());
  // In a template, the condition and the step are not known.
  rounds({.variable = loop.getLoopVarStmt(), .body = loop.getBody(), .step = loop.getInc()});
}

void ResponseFlow::rounds(const Loop& loop) {
  until_nothing_changes([&] {
    const std::size_t outer = objects_.size();
    visit_if_there(loop.condition);
    ResponseState after = loop.is_endless ? ResponseState() : left(outer);
    visit_if_there(loop.variable);
    body_of_loop(*loop.body, after);
    visit_if_there(loop.step);
    end_objects(outer);
    return after;
  });
}

void ResponseFlow::loop(const clang::DoStmt& loop) {
  const auto round = [&] {
    ResponseState after;
    body_of_loop(*loop.getBody(), after);
    visit(*loop.getCond());
    if (!is_endless(loop.getCond())) after.join(state());
    return after;
  };
  const bool is_repeated = literal_value(*loop.getCond()).value_or(true);
  is_repeated ? until_nothing_changes(round) : void(state() = round());
}

/// `round` returns what follows the loop, and leaves the state before the next round.
template <class Round>
void ResponseFlow::until_nothing_changes(const Round& round) {
  const bool keeps = use_.keeps();
  ResponseState entry = state();
  for (bool is_last = !keeps, is_stable = false; !is_stable;) {
    use_.keep(keeps && is_last);
    state() = entry;
    const ResponseState after = round();
    ResponseState next = entry;
    next.join(state());
    state() = after;
    const bool has_changed = !(next == entry);
    is_stable = is_last && !has_changed;
    is_last = !keeps || !has_changed;
    entry = std::move(next);
  }
  use_.keep(keeps);
}

/// `after` is what follows the loop.
void ResponseFlow::body_of_loop(const clang::Stmt& body, ResponseState& after) {
  ResponseState next;
  breaks_.push_back({&after, objects_.size()});
  continues_.push_back({&next, objects_.size()});
  visit(body);
  breaks_.pop_back();
  continues_.pop_back();
  state().join(next);
}

/// `break` or `continue`.
void ResponseFlow::jump(const clang::Stmt& jump) {
  const auto& targets = llvm::isa<clang::BreakStmt>(jump) ? breaks_ : continues_;
  if (!targets.empty()) targets.back().state->join(left(targets.back().outer_objects));
  state() = {};
}

void ResponseFlow::attempt(const clang::CXXTryStmt& attempt) {
  ResponseState caught = state();
  catches_.push_back({&caught, objects_.size()});
  visit(*attempt.getTryBlock());
  catches_.pop_back();
  ResponseState after = state();
  for (unsigned i = 0; i < attempt.getNumHandlers(); ++i) {
    state() = caught;
    visit(*attempt.getHandler(i)->getHandlerBlock());
    after.join(state());
  }
  state() = after;
}

void ResponseFlow::returned(const clang::Expr* result) {
  Frame& frame = frames_.back();
  if (result != nullptr && lambda_of(*result) != nullptr) {
    value(*result);
  } else if (result != nullptr) {
    visit(*result);
    HeldResponse held = use_.held_by(*result);
    // The handler's own caller does nothing with it.
    const bool is_known = frame.call != nullptr ? !frame.result || *frame.result == held
                                                : held.is_response() && frames_.size() == 1;
    if (!is_known && !held.is_empty()) use_.lose(*result);
    if (!frame.result || !held.is_empty()) frame.result = std::move(held);
  }
  frames_.back().exit.join(left(frames_.back().outer_objects));
  state() = {};
}

void ResponseFlow::either(const clang::Stmt& one, const clang::Stmt* other) {
  const ResponseState before = state();
  visit(one);
  const ResponseState after = std::exchange(state(), before);
  visit_if_there(other);
  state().join(after);
}

void ResponseFlow::captures(const clang::LambdaExpr& lambda) {
  for (const auto& capture : lambda.captures()) {
    if (!lambda.isInitCapture(&capture)) continue;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
    if (variable == nullptr || variable->getInit() == nullptr) continue;
    held(*variable->getInit());
    use_.declare(*variable);
  }
}

void ResponseFlow::use_of_response(const clang::Stmt& node, const MemberUse& use) {
  visit(*use.object);
  for (const clang::Expr* argument : use.arguments) value(*argument);
  if (use_.begin_call(node, use)) may_throw();
  use_.call(node, use);
}

void ResponseFlow::call(const clang::CallExpr& call) {
  const auto use = member_use(call);
  if (use && use_.is_response(*use->object)) return use_of_response(call, *use);
  const auto callee = callee_of(call);
  if (!callee && call_within(call)) return;
  const std::size_t losses = use_.losses();
  const clang::Expr& function = strip_wrappers(*call.getCallee());
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&function);
  callee.has_value() && member != nullptr ? held(*member->getBase()) : visit(function);
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call);
  if (!callee && !is_operator && !object_of(call).is_empty()) use_.lose(call);
  for (const clang::Expr* argument : call.arguments()) {
    const bool is_held =
        callee && (lambda_of(*argument) != nullptr || !use_.held_by(*argument).is_empty());
    is_held ? held(*argument) : value(*argument);
  }
  if (use_.losses() != losses) {
    if (member != nullptr) keep_in(*member->getBase());
    for (const clang::Expr* argument : call.arguments()) {
      const clang::QualType type = argument->getType();
      const bool is_target =
          may_keep(type) && !type.isConstQualified() && use_.held_by(*argument).is_empty();
      if (is_target && root_of(*argument) != nullptr) keep_in(*argument);
    }
  }
  if (callee) {
    prepare(*callee);
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee->function);
    // A lambda has the object of the function in which it is.
    const bool is_lambda = method != nullptr && method->getParent()->isLambda();
    const HeldResponse outer = use_.self();
    if (!is_lambda) use_.enter_object(callee->self);
    enter(*callee->body, &call);
    use_.enter_object(outer);
  } else if (never_returns(context_, call)) {
    use_.end_with_error();
  } else {
    use_.keep_arguments(call);
    call_elsewhere();
  }
}

/// Other code has put the response there.
void ResponseFlow::keep_in(const clang::Expr& target) {
  const clang::ValueDecl* root = root_of(target);
  const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(root);
  if (variable != nullptr && variable->hasLocalStorage()) {
    holders_.insert(root);
  } else {
    is_kept_ = true;
  }
}

void ResponseFlow::construct(const clang::CXXConstructExpr& construct) {
  if (is_copy_of_members(construct)) return visit(*construct.getArg(0));
  const auto constructor = constructor_of(construct);
  if (!constructor) {
    parts(construct);
    if (construct.getConstructor()->isUserProvided()) call_elsewhere();
    return;
  }
  for (const clang::Expr* argument : construct.arguments()) {
    use_.held_by(*argument).is_empty() ? value(*argument) : held(*argument);
  }
  prepare(*constructor);
  const HeldResponse outer = use_.enter_object({});
  enter(*constructor->body, nullptr, llvm::cast<clang::CXXConstructorDecl>(constructor->function));
  use_.set_result(construct, use_.enter_object(outer));
}

/// An aggregate: `Sender{res}`.
void ResponseFlow::construct(const clang::Expr& list, llvm::ArrayRef<clang::Expr*> parts) {
  const auto* type = record_of(list.getType());
  const bool is_object = type != nullptr && is_followed(*type) && type->isAggregate() &&
                         condition_in(context_, type->getSourceRange()) == nullptr;
  if (!is_object) {
    for (const clang::Expr* each : parts) value(*each);
    return;
  }
  HeldResponse made;
  const auto* next = parts.begin();
  const auto* only = parts.size() == 1 ? record_of(parts.front()->getType()) : nullptr;
  if (only != nullptr && only->getCanonicalDecl() == type->getCanonicalDecl()) {
    base(**next++, made);  // a copy
  }
  for (std::size_t i = 0; i < type->getNumBases() && next != parts.end(); ++i) base(**next++, made);
  for (const clang::FieldDecl* field : type->getDefinition()->fields()) {
    if (next == parts.end()) break;
    const bool is_padding = field->isBitField() && field->getIdentifier() == nullptr;
    if (!is_padding) member(*field, **next++, made);
  }
  use_.set_result(list, std::move(made));
}

/// Before the body of a constructor.
void ResponseFlow::members(const clang::CXXConstructorDecl& constructor) {
  for (const clang::CXXCtorInitializer* each : constructor.inits()) {
    HeldResponse made = use_.self();
    if (each->isMemberInitializer()) {
      member(*each->getMember(), *each->getInit(), made);
    } else if (each->isIndirectMemberInitializer()) {
      value(*each->getInit());
    } else {
      base(*each->getInit(), made);
    }
    use_.enter_object(std::move(made));
  }
}

/// What a member of `made` gets.
void ResponseFlow::member(const clang::FieldDecl& member, const clang::Expr& value,
                          HeldResponse& made) {
  const auto* by_default = llvm::dyn_cast<clang::CXXDefaultInitExpr>(&value);
  if (by_default != nullptr && made.is_empty()) return;
  const clang::Expr& written = by_default == nullptr ? value : *by_default->getExpr();
  if (lambda_of(written) != nullptr) return this->value(written);
  const HeldResponse outer = use_.self();
  if (by_default != nullptr) use_.enter_object(made);
  const std::size_t losses = use_.losses();
  held(written);
  HeldResponse has = use_.held_by(written);
  if (!has.is_empty() && !can_hold(member.getType(), has)) {
    use_.lose(written);
    has = {};
  }
  if (use_.losses() != losses) is_kept_ = true;
  use_.enter_object(outer);
  made.add_member(member, has);
}

void ResponseFlow::base(const clang::Expr& value, HeldResponse& made) {
  held(value);
  made.add_base(use_.held_by(value));
}

std::vector<const clang::Expr*> ResponseFlow::lambdas_in(const clang::Expr& argument) const {
  if (lambda_of(argument) != nullptr) return {&argument};
  const clang::Expr* node = &strip_wrappers(*argument.IgnoreUnlessSpelledInSource());
  if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(node)) {
    node = &strip_wrappers(*cast->getSubExpr()->IgnoreUnlessSpelledInSource());
  }
  const auto* list = llvm::dyn_cast<clang::InitListExpr>(node);
  const auto* type = record_of(argument.getType());
  if (list == nullptr || type == nullptr || !type->hasDefinition() || !type->field_empty() ||
      std::ranges::any_of(type->methods(), [](const auto* each) { return !each->isImplicit(); })) {
    return {};
  }
  return {list->inits().begin(), list->inits().end()};
}

bool ResponseFlow::call_within(const clang::CallExpr& call) {
  const auto calls = calls_of_library(call);
  if (!calls) return false;
  const clang::Expr* with_lambdas = nullptr;
  std::vector<const clang::Expr*> lambdas;
  for (const clang::Expr* argument : call.arguments()) {
    auto own = lambdas_in(*argument);
    if (own.empty()) continue;
    if (!lambdas.empty()) return false;
    lambdas = std::move(own);
    with_lambdas = argument;
  }
  std::vector<const clang::CXXMethodDecl*> functions;
  for (const clang::Expr* each : lambdas) {
    const auto* lambda = lambda_of(*each);
    const auto* operation = lambda == nullptr ? nullptr : lambda->getLambdaCallOperator();
    if (operation == nullptr) return false;
    for (const clang::CXXMethodDecl* function : instances_of(*operation)) {
      const clang::Stmt* body = function->getBody();
      if (body == nullptr || is_visited(*body) || is_incomplete(*body) ||
          condition_in(context_, body->getSourceRange()) != nullptr) {
        return false;
      }
      functions.push_back(function);
    }
  }
  if (functions.empty()) return false;
  visit(*call.getCallee());
  for (const clang::Expr* argument : call.arguments()) {
    if (argument != with_lambdas) value(*argument);
  }
  for (const clang::Expr* each : lambdas) held(*each);
  const auto round = [&] {
    const ResponseState before = state();
    ResponseState after = calls == Calls::once ? ResponseState() : before;
    for (const clang::CXXMethodDecl* function : functions) {
      for (const clang::ParmVarDecl* parameter : function->parameters()) {
        use_.forget_argument(*parameter);
      }
      state() = before;
      enter(*function->getBody(), nullptr);
      after.join(state());
    }
    state() = after;
    return after;
  };
  calls == Calls::any_number ? until_nothing_changes(round) : void(round());
  call_elsewhere();
  return true;
}

/// A call of a lambda or of an object that has the response, or one that has the response or a
/// lambda as an argument, and whose body is read.
std::optional<ResponseFlow::Callee> ResponseFlow::callee_of(const clang::CallExpr& call) const {
  const clang::FunctionDecl* function = called_function(call);
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  if (function == nullptr || (method != nullptr && method->isVirtual())) return std::nullopt;
  HeldResponse self = object_of(call);
  const llvm::ArrayRef<const clang::Expr*> arguments(call.getArgs(), call.getNumArgs());
  const bool is_lambda = method != nullptr && method->getParent()->isLambda();
  const bool has_lambda = std::ranges::any_of(
      arguments, [](const clang::Expr* each) { return lambda_of(*each) != nullptr; });
  if (!is_lambda && !has_lambda && self.is_empty() && !holds_response(arguments)) {
    return std::nullopt;
  }
  auto callee = defined(*function);
  // The first argument of an operator is its object.
  const bool has_object = method != nullptr && llvm::isa<clang::CXXOperatorCallExpr>(call);
  if (!callee || !bind(*callee, arguments.drop_front(has_object ? 1 : 0))) return std::nullopt;
  callee->self = std::move(self);
  return callee;
}

std::optional<ResponseFlow::Callee> ResponseFlow::constructor_of(
    const clang::CXXConstructExpr& construct) const {
  const clang::CXXConstructorDecl* constructor = construct.getConstructor();
  const llvm::ArrayRef<const clang::Expr*> arguments(construct.getArgs(), construct.getNumArgs());
  if (!holds_response(arguments) || !is_followed(*constructor->getParent()) ||
      constructor->isInheritingConstructor()) {
    return std::nullopt;
  }
  auto callee = defined(*constructor);
  if (!callee || !bind(*callee, arguments)) return std::nullopt;
  return callee;
}

std::optional<ResponseFlow::Callee> ResponseFlow::defined(
    const clang::FunctionDecl& function) const {
  if (condition_around(context_, function.getLocation()) != nullptr) return std::nullopt;
  Callee callee;
  callee.body = instantiated(context_, function).getBody(callee.function);
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  const bool is_lambda = method != nullptr && method->getParent()->isLambda();
  if (callee.body == nullptr) {
    const clang::FunctionDecl& pattern = pattern_of(function);
    // An object of a template has members of its own.
    if (!is_lambda && method != nullptr && method->isInstance() &&
        llvm::cast<clang::CXXMethodDecl>(pattern).getParent()->getCanonicalDecl() !=
            method->getParent()->getCanonicalDecl()) {
      return std::nullopt;
    }
    callee.body = pattern.getBody(callee.function);
  }
  if (callee.body == nullptr || (!is_lambda && !is_read(context_, function, *callee.body)) ||
      is_visited(*callee.body) || is_incomplete(*callee.body) ||
      condition_in(context_, callee.function->getSourceRange()) != nullptr) {
    return std::nullopt;
  }
  return callee;
}

bool ResponseFlow::bind(Callee& callee, llvm::ArrayRef<const clang::Expr*> arguments) const {
  const unsigned count = callee.function->getNumParams();
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const clang::ParmVarDecl* parameter = i < count ? callee.function->getParamDecl(i) : nullptr;
    HeldResponse has = use_.held_by(*arguments[i]);
    if (!has.is_empty() && (parameter == nullptr || !can_hold(parameter->getType(), has))) {
      return false;
    }
    if (parameter == nullptr) continue;
    callee.names.emplace_back(parameter, std::move(has));
    if (parameter->getType()->isIntegerType()) callee.numbers.emplace_back(parameter, arguments[i]);
  }
  return true;
}

/// What the object has whose function is called.
HeldResponse ResponseFlow::object_of(const clang::CallExpr& call) const {
  const clang::Expr& function = strip_wrappers(*call.getCallee());
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&function)) {
    return use_.held_by(*member->getBase());
  }
  if (const auto* overloads = llvm::dyn_cast<clang::UnresolvedMemberExpr>(&function)) {
    return overloads->isImplicitAccess() ? use_.self() : use_.held_by(*overloads->getBase());
  }
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call) &&
                           llvm::isa_and_nonnull<clang::CXXMethodDecl>(call.getDirectCallee());
  return is_operator ? use_.held_by(*call.getArg(0)) : HeldResponse();
}

bool ResponseFlow::holds_response(llvm::ArrayRef<const clang::Expr*> arguments) const {
  return std::ranges::any_of(
      arguments, [&](const clang::Expr* each) { return !use_.held_by(*each).is_empty(); });
}

bool ResponseFlow::is_visited(const clang::Stmt& body) const {
  return std::ranges::find(frames_, &body, &Frame::body) != frames_.end();
}

/// Whether parts of a function that is called may be missing.
bool ResponseFlow::is_incomplete(const clang::Stmt& body) const {
  if (context_.at.in_main_file(body.getBeginLoc())) return has_lost_words(context_, body);
  return std::ranges::any_of(context_.errors.errors(), [&](const ErrorCollector::Error& error) {
    return belongs_to(context_, body.getSourceRange(), error);
  });
}

bool ResponseFlow::may_lack_branch(const clang::IfStmt& choice) const {
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

/// Other code gets a lambda, and may call it from here on.
void ResponseFlow::escape(const clang::CXXRecordDecl& lambda) {
  const clang::CXXMethodDecl* operation = lambda.getLambdaCallOperator();
  const clang::Stmt* body = operation == nullptr ? nullptr : operation->getBody();
  if (body == nullptr || is_visited(*body)) return use_.forget_status();
  for (const clang::ParmVarDecl* parameter : operation->parameters()) {
    use_.forget_argument(*parameter);
  }
  use_.begin_escaped();
  enter(*body, nullptr);
  use_.end_escaped();
}

}  // namespace fairway::frontend
