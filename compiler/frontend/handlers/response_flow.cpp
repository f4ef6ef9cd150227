#include "frontend/handlers/response_flow.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprConcepts.h>

#include <algorithm>
#include <utility>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/errors/lost_statements.hpp"
#include "frontend/handlers/never_returns.hpp"
#include "frontend/handlers/raise_options.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// Statements and expressions that are visited in one handler: loops in loops and functions that
/// call others several times are visited again and again.
constexpr unsigned kMaxVisited = 200'000;

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

/// The value of a condition that is a constant, and the same for each compiler.
std::optional<bool> constant_value(const FileContext& context, const clang::Expr& condition) {
  bool value = false;
  if (condition.isValueDependent() || condition.containsErrors() ||
      !condition.EvaluateAsBooleanCondition(value, context.ast) ||
      dependence_of(context, condition).condition != nullptr) {
    return std::nullopt;
  }
  return value;
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

}  // namespace

void ResponseFlow::run(const clang::Stmt& handler) {
  // The first time shows what lambdas set that are called at any time, which calls return the
  // response, and which members change; once more for each level of such calls in the arguments of
  // others.
  const auto found = [this] { return use_.results() + use_.changed_members(); };
  std::size_t known = 0;
  do {
    known = found();
    run_once(handler, false);
  } while (found() != known);
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
  frames_.push_back({.body = &body, .call = call, .outer_objects = paths_.objects()});
  use_.enter_body(body);
  if (constructor != nullptr) members(*constructor);
  visit(body);
  state().join(frames_.back().exit);
  if (call != nullptr) use_.set_result(*call, frames_.back().result.value_or(HeldResponse()));
  frames_.pop_back();
}

void ResponseFlow::prepare(const ResponseCallee& callee) {
  for (const auto& [parameter, has] : callee.names) use_.set_name(*parameter, has);
  use_.set_arguments(callee.values, *callee.body);
}

void ResponseFlow::visit(const clang::Stmt& statement) {
  if (++visited_ > kMaxVisited) return use_.end_unknown();
  paths_.may_throw();
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  if (expression == nullptr) {
    const std::size_t outer = paths_.objects();
    if (!visit_statement(statement)) parts(statement);
    const bool is_scope =
        !llvm::isa<clang::DeclStmt, clang::SwitchCase, clang::LabelStmt>(statement);
    if (is_scope) paths_.end_objects(outer);
  } else if (const clang::Expr& node = strip_wrappers(*expression); !visit_expression(node)) {
    parts(node);
  }
}

void ResponseFlow::call_elsewhere() {
  use_.call_elsewhere();
  if (is_kept_) use_.change_elsewhere();
  paths_.may_throw();
}

void ResponseFlow::value(const clang::Expr& expression) {
  has_lambdas(expression) ? held(expression) : visit(expression);
  escape(expression);
  if (!use_.held_by(expression).is_empty()) use_.lose(expression);
}

void ResponseFlow::held(const clang::Expr& expression) {
  const clang::Expr& node = strip_wrappers(expression);
  if (const clang::Expr* same = passed_through(node)) return held(*same);
  const auto* copy = llvm::dyn_cast<clang::CXXConstructExpr>(&node);
  const bool is_copy =
      copy != nullptr && has_lambdas(node) && copy->getConstructor()->isCopyOrMoveConstructor();
  if (is_copy) return held(*copy->getArg(0));
  const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&node);
  cast != nullptr&& has_lambdas(node) ? held(*cast->getSubExpr()) : visit(node);
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
    paths_.enter_label();
    visit_if_there(label->getSubStmt());
  } else if (const auto* target = llvm::dyn_cast<clang::LabelStmt>(&node);
             target != nullptr && replaces_return(*target)) {
    this->returned(llvm::dyn_cast<clang::Expr>(target->getSubStmt()));
  } else if (target != nullptr) {
    use_.forget_status();  // the jumps may be anywhere
    visit(*target->getSubStmt());
  } else if (llvm::isa<clang::GotoStmt, clang::IndirectGotoStmt>(node)) {
    state() = {};
  } else if (llvm::isa<clang::BreakStmt>(node)) {
    paths_.visit_break();
  } else if (llvm::isa<clang::ContinueStmt>(node)) {
    paths_.visit_continue();
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
    operation->isLogicalOp() ? either(operation->getRHS(), nullptr) : value(*operation->getRHS());
  } else if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&node);
             cast != nullptr &&
             (cast->getType()->isVoidType() || !use_.held_by(*cast).is_empty())) {
    visit(*cast->getSubExpr());
  } else if (operation != nullptr && operation->isComparisonOp()) {
    // Nobody gets a pointer that is compared with null.
    visit(*operation->getLHS());
    visit(*operation->getRHS());
  } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
             unary != nullptr &&
             (unary->getOpcode() == clang::UO_LNot || !use_.held_by(*unary).is_empty())) {
    visit(*unary->getSubExpr());
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) {
    has_lambdas(*member->getBase()) ? value(*member->getBase()) : visit(*member->getBase());
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
    const bool keeps_lambda = !has_lambdas(first) || !lambdas_of(variable->getType()).empty();
    keeps_lambda ? held(first) : value(first);
    use_.declare(*variable);
    if (variable->isStaticLocal()) state().join(before);  // it is initialised once
    const bool has_response = use_.losses() != losses;
    if ((has_response || mentions_ != mentions) && may_keep(variable->getType())) {
      holders_.insert(variable);
    }
    if (has_destructor(*variable)) paths_.declare_object(has_response);
  }
}

std::optional<bool> ResponseFlow::constant(const clang::Expr& condition) {
  const auto [known, is_new] = constants_.try_emplace(&condition);
  if (is_new) known->second = constant_value(context_, condition);
  return known->second;
}

void ResponseFlow::choice(const clang::IfStmt& choice) {
  if (may_lack_branch(choice)) is_conditional_ = true;
  visit_if_there(choice.getInit());
  visit_if_there(choice.getConditionVariableDeclStmt());
  visit_if_there(choice.getCond());
  // A handler is not evaluated by a compiler.
  const auto value =
      choice.isConsteval() ? choice.isNegatedConsteval() : constant(*choice.getCond());
  either(choice.getThen(), choice.getElse(), value);
}

void ResponseFlow::choice(const clang::ConditionalOperator& choice) {
  visit(*choice.getCond());
  either(choice.getTrueExpr(), choice.getFalseExpr(), constant(*choice.getCond()));
  if (!use_.held_by(choice).is_empty()) return;
  for (const clang::Expr* each : {choice.getTrueExpr(), choice.getFalseExpr()}) {
    if (!use_.held_by(*each).is_empty()) use_.lose(*each);
    escape(*each);
  }
}

void ResponseFlow::choice(const clang::BinaryConditionalOperator& choice) {
  visit(*choice.getCommon());
  either(choice.getFalseExpr(), nullptr);
  for (const clang::Expr* each : {choice.getCommon(), choice.getFalseExpr()}) {
    if (!use_.held_by(*each).is_empty()) use_.lose(*each);
  }
}

void ResponseFlow::choice(const clang::SwitchStmt& choice) {
  visit_if_there(choice.getInit());
  visit_if_there(choice.getConditionVariableDeclStmt());
  visit(*choice.getCond());
  const auto is_complete = [&] {
    // A value need not be an enumerator. What follows is for such values only if all cases have
    // sent a response; otherwise it is for the cases.
    bool has_all = choice.isAllEnumCasesCovered() && state().is_open;
    for (const auto* label = choice.getSwitchCaseList(); label != nullptr;
         label = label->getNextSwitchCase()) {
      has_all = has_all || llvm::isa<clang::DefaultStmt>(label);
    }
    return has_all;
  };
  paths_.choose([&] { visit(*choice.getBody()); }, is_complete);
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
  paths_.repeat([&] {
    const std::size_t outer = paths_.objects();
    visit_if_there(loop.condition);
    ResponseState after = loop.is_endless ? ResponseState() : paths_.left(outer);
    visit_if_there(loop.variable);
    paths_.visit_round([&] { visit(*loop.body); }, after);
    visit_if_there(loop.step);
    paths_.end_objects(outer);
    return after;
  });
}

void ResponseFlow::loop(const clang::DoStmt& loop) {
  const auto round = [&] {
    ResponseState after;
    paths_.visit_round([&] { visit(*loop.getBody()); }, after);
    visit(*loop.getCond());
    if (!is_endless(loop.getCond())) after.join(state());
    return after;
  };
  const bool is_repeated = literal_value(*loop.getCond()).value_or(true);
  is_repeated ? paths_.repeat(round) : void(state() = round());
}

void ResponseFlow::attempt(const clang::CXXTryStmt& attempt) {
  paths_.attempt([&] { visit(*attempt.getTryBlock()); }, attempt.getNumHandlers(),
                 [&](unsigned i) { visit(*attempt.getHandler(i)->getHandlerBlock()); });
}

void ResponseFlow::returned(const clang::Expr* result) {
  Frame& frame = frames_.back();
  if (result != nullptr && has_lambdas(*result)) {
    value(*result);
  } else if (result != nullptr) {
    visit(*result);
    HeldResponse held = use_.held_by(*result);
    // The handler's own caller does nothing with it.
    const bool is_known = frame.call != nullptr ? !frame.result || *frame.result == held
                                                : held.is_response() && frames_.size() == 1;
    if (!is_known && !held.is_empty()) use_.lose(*result);
    if (frame.result && *frame.result == held) held.join(*frame.result);
    if (!frame.result || !held.is_empty()) frame.result = std::move(held);
  }
  frames_.back().exit.join(paths_.left(frames_.back().outer_objects));
  state() = {};
}

void ResponseFlow::either(const clang::Stmt* one, const clang::Stmt* other,
                          std::optional<bool> condition) {
  // A label of a `switch` may lead into a branch that is not reached otherwise.
  const auto branch = [this](const clang::Stmt* statement, bool is_reached) {
    if (!is_reached) state() = {};
    visit_if_there(statement);
  };
  paths_.either([&] { branch(one, condition.value_or(true)); },
                [&] { branch(other, !condition.value_or(false)); });
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
  if (use_.begin_call(node, use)) paths_.may_throw();
  use_.call(node, use);
}

void ResponseFlow::call(const clang::CallExpr& call) {
  const auto use = member_use(call);
  if (use && use_.is_response(*use->object)) return use_of_response(call, *use);
  const auto callee = unless_visited(callee_of(context_, use_, call));
  if (!callee && call_within(call)) return;
  const std::size_t losses = use_.losses();
  const clang::Expr& function = strip_wrappers(*call.getCallee());
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&function);
  callee.has_value() && member != nullptr ? held(*member->getBase()) : visit(function);
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call);
  if (!callee && !is_operator && !object_of_call(use_, call).is_empty()) use_.lose(call);
  for (const clang::Expr* argument : call.arguments()) {
    const bool is_held = callee && (has_lambdas(*argument) || !use_.held_by(*argument).is_empty());
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
    // A lambda that is written in a function that is visited is no helper.
    const clang::SourceRange body = callee->body->getSourceRange();
    const bool is_helper = std::ranges::none_of(frames_, [&](const Frame& frame) {
      return frame.body->getSourceRange().fullyContains(body);
    });
    if (is_helper) use_.enter_helper(call);
    enter(*callee->body, &call);
    if (is_helper) use_.leave_helper();
    // A lambda that is called later may be of another call.
    for (const auto& [parameter, argument] : callee->values) use_.forget_argument(*parameter);
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
  const auto constructor = unless_visited(callee_of(context_, use_, construct));
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
  const clang::Expr& written = by_default == nullptr ? value : *by_default->getExpr();
  use_.set_member(made, member, written);
  if (by_default != nullptr && made.is_empty()) return;
  if (has_lambdas(written)) return this->value(written);
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

bool ResponseFlow::call_within(const clang::CallExpr& call) {
  auto callees = lambda_callees_of(context_, call);
  if (!callees) callees = visitor_callees_of(context_, use_, call);
  if (!callees || std::ranges::any_of(callees->functions, [&](const auto* function) {
        return is_visited(*function->getBody());
      })) {
    return false;
  }
  visit(*call.getCallee());
  for (const clang::Expr* argument : call.arguments()) {
    if (argument != callees->argument) value(*argument);
  }
  held(*callees->argument);
  const HeldResponse visitor = use_.held_by(*callees->argument);
  const HeldResponse outer = use_.self();
  if (!visitor.is_empty()) use_.enter_object(visitor);
  using Calls = LambdaCallees::Calls;
  const auto round = [&] {
    const ResponseState before = state();
    ResponseState after = callees->calls == Calls::once ? ResponseState() : before;
    for (const clang::CXXMethodDecl* function : callees->functions) {
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
  callees->calls == Calls::any_number ? paths_.repeat(round) : void(round());
  use_.enter_object(outer);
  call_elsewhere();
  return true;
}

bool ResponseFlow::is_visited(const clang::Stmt& body) const {
  return std::ranges::find(frames_, &body, &Frame::body) != frames_.end();
}

std::optional<ResponseCallee> ResponseFlow::unless_visited(
    std::optional<ResponseCallee> callee) const {
  if (callee && is_visited(*callee->body)) callee.reset();
  return callee;
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

/// Other code gets the value, and may call the lambdas in it from here on.
void ResponseFlow::escape(const clang::Expr& expression) {
  for (const auto* lambda : lambdas_of(strip_wrappers(expression).getType())) escape(*lambda);
}

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
