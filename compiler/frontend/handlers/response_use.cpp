#include "frontend/handlers/response_use.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/Sema/Sema.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/errors/error_collector.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/handlers/handler_signature.hpp"
#include "frontend/handlers/response_callee.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_value.hpp"
#include "options/response_selectors.hpp"

namespace fairway::frontend {
namespace {

constexpr std::array<llvm::StringLiteral, 5> kChainable = {"status", "set_header", "append_header",
                                                           "set_cookie", "clear_cookie"};
constexpr std::array<llvm::StringLiteral, 10> kSending = {
    "json",     "raw_json", "text", "stream", "download",
    "redirect", "render",   "end",  "events", "lines"};
constexpr std::array<llvm::StringLiteral, 3> kWithStatus = {"json", "raw_json", "text"};
constexpr std::array<llvm::StringLiteral, 3> kUntyped = {"text", "stream", "download"};
constexpr llvm::StringLiteral kAnyType = "*/*";
constexpr llvm::StringLiteral kBinary = "application/octet-stream";
constexpr std::array<llvm::StringLiteral, 3> kQueries = {"get_header", "status_code", "is_sent"};

bool has_content(int status) { return fw::options::may_have_content(std::to_string(status)); }

/// A status without content sends no JSON.
bool sends_data(const MemberUse& use) {
  if (use.arguments.size() < 2) return true;
  const auto* status = llvm::dyn_cast<clang::IntegerLiteral>(&strip_wrappers(*use.arguments[1]));
  if (status == nullptr) return true;
  return has_content(static_cast<int>(status->getValue().getLimitedValue()));
}

/// Whether the data is `nullptr`.
bool is_null(const MemberUse& use) {
  if (use.arguments.empty()) return false;
  const clang::Expr& data = strip_wrappers(*use.arguments[0]->IgnoreUnlessSpelledInSource());
  return data.getType()->isNullPtrType();
}

/// Whether the expression has the type that it has in the program: also `User{each.id}` and a
/// variable of a class whose value is not known.
bool has_certain_type(const clang::Expr& data) {
  if (data.isTypeDependent() || llvm::isa<clang::InitListExpr>(data)) return false;
  const bool is_written = llvm::isa<clang::CXXUnresolvedConstructExpr, clang::DeclRefExpr>(data);
  return !data.containsErrors() || (is_written && record_of(data.getType()) != nullptr);
}

/// The type of the data of a call with braces, `res.json<Order>({1})`; null if the call does not
/// name it.
clang::QualType named_type(const clang::Stmt& call, const clang::Expr& data, std::size_t position) {
  const auto* written = llvm::dyn_cast<clang::CallExpr>(&call);
  const auto* function = written == nullptr ? nullptr : written->getDirectCallee();
  const bool is_named = llvm::isa<clang::InitListExpr, clang::CXXStdInitializerListExpr>(data) &&
                        function != nullptr && function->isTemplateInstantiation() &&
                        position < function->getNumParams();
  if (!is_named) return {};
  const auto* parameter = function->getParamDecl(static_cast<unsigned>(position));
  return parameter->getType().getNonReferenceType().getUnqualifiedType();
}

/// One of the values that an expression may have: of `found ? 200 : 404`, the first is 200.
struct PossibleValue {
  const clang::Expr* written;
  std::optional<std::int64_t> constant;  ///< none: it is computed
};

void add_possible_values(const clang::ASTContext& ast, const clang::Expr& expression,
                         std::vector<PossibleValue>& values) {
  clang::Expr::EvalResult constant;
  if (expression.isValueDependent() || expression.containsErrors()) {
    return values.push_back({&expression, std::nullopt});
  }
  if (expression.EvaluateAsInt(constant, ast)) {
    return values.push_back({&expression, constant.Val.getInt().getExtValue()});
  }
  const clang::Expr* written = &strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(written);
  const auto* variable =
      reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  if (variable != nullptr && variable->getType().isConstQualified() &&
      variable->hasLocalStorage() && variable->getInit() != nullptr) {
    written = &strip_wrappers(*variable->getInit()->IgnoreUnlessSpelledInSource());
  }
  const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(written);
  if (choice == nullptr) return values.push_back({&expression, std::nullopt});
  add_possible_values(ast, *choice->getTrueExpr(), values);
  add_possible_values(ast, *choice->getFalseExpr(), values);
}

std::vector<PossibleValue> possible_values(const clang::ASTContext& ast,
                                           const clang::Expr& expression) {
  std::vector<PossibleValue> values;
  add_possible_values(ast, expression, values);
  return values;
}

/// `error.status()` of an exception, or a constant that has it.
bool is_status_of_error(const clang::Expr& expression) {
  const clang::Expr& written = strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&written)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    const bool is_constant = variable != nullptr && variable->getType().isConstQualified() &&
                             !llvm::isa<clang::ParmVarDecl>(variable) &&
                             variable->getInit() != nullptr;
    return is_constant && is_status_of_error(*variable->getInit());
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&written);
  if (call == nullptr || call->getNumArgs() > 0) return false;
  const std::string name = called_name(*call->getCallee());
  return name == "fw::HttpError::status" || name == "fw::ValidationError::status";
}

/// Makes the bodies of templates that get a response, also of those that no handler reaches in the
/// file: they may send types of their own.
void instantiate_senders(const FileContext& context) {
  auto& pending = context.sema.PendingInstantiations;
  // The build of the program reports the errors.
  static_cast<void>(context.errors.errors_of([&] {
    // Bodies need others.
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(pending[i].first);
      if (function == nullptr) continue;
      if (is_read_in_header(pattern_of(*function), context.at.sources())) {
        instantiated(context, *function);
      }
    }
  }));
}

/// With the one for a media type that is not known.
std::set<std::string> media_types(Texts texts) {
  if (texts.is_unknown) texts.known.insert(kAnyType.str());
  return std::move(texts.known);
}

/// Strings that are put together have no more values than this.
constexpr std::size_t kMaxTexts = 16;

}  // namespace

const clang::Expr* viewed_text(const clang::Expr& expression) {
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&expression);
  const clang::CXXMethodDecl* method = call == nullptr ? nullptr : call->getMethodDecl();
  if (method == nullptr || call->getNumArgs() > 0) return nullptr;
  const clang::Expr* object = call->getImplicitObjectArgument();
  const bool is_view = is_text(object->getType()) &&
                       (llvm::isa<clang::CXXConversionDecl>(method) ||
                        (method->getIdentifier() != nullptr &&
                         (method->getName() == "c_str" || method->getName() == "data")));
  return is_view ? object : nullptr;
}

const clang::Expr& text_source(const clang::Expr& expression) {
  const clang::Expr* e = &expression;
  while (true) {
    e = &strip_wrappers(*e->IgnoreUnlessSpelledInSource());
    const clang::Expr* next = passed_through(*e);
    if (const auto* by_default = llvm::dyn_cast<clang::CXXDefaultArgExpr>(e)) {
      next = by_default->getExpr();
    } else if (const clang::Expr* object = viewed_text(*e)) {
      next = object;
    } else if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
      const llvm::ArrayRef<const clang::Expr*> arguments(construct->getArgs(),
                                                         construct->getNumArgs());
      const bool is_copy = !arguments.empty() && is_text(construct->getType()) &&
                           is_text(arguments[0]->getType()) &&
                           llvm::all_of(arguments.drop_front(), [](const clang::Expr* each) {
                             return llvm::isa<clang::CXXDefaultArgExpr>(each);
                           });
      if (is_copy) next = arguments[0];
    } else if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e)) {
      if (is_text(cast->getType())) next = cast->getSubExpr();
    } else if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) {
      if (list->getNumInits() == 1 && is_text(list->getType())) next = list->getInit(0);
    }
    if (next == nullptr) return *e;
    e = next;
  }
}

namespace {

void add_returned(std::vector<const clang::Expr*>& values, const clang::Stmt& node) {
  if (llvm::isa<clang::LambdaExpr>(node)) return;
  const auto* returned = llvm::dyn_cast<clang::ReturnStmt>(&node);
  if (returned != nullptr && returned->getRetValue() != nullptr) {
    values.push_back(returned->getRetValue());
  }
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) add_returned(values, *child);
  }
}

std::optional<Statuses> copied(const Statuses* statuses) {
  return statuses == nullptr ? std::nullopt : std::optional(*statuses);
}

/// Whether the runtime redirects with this status. It throws for others.
bool is_redirect(std::int64_t status) {
  return status == 301 || status == 302 || status == 307 || status == 308;
}

}  // namespace

std::vector<int> constant_statuses(const clang::ASTContext& ast, const clang::Expr& expression) {
  std::vector<int> statuses;
  for (const auto& [written, value] : possible_values(ast, expression)) {
    if (!value || *value < 100 || *value > 599) return {};
    statuses.push_back(static_cast<int>(*value));
  }
  return statuses;
}

void keep_sent_types(const FileContext& context, TypeReader& types) {
  const clang::CXXRecordDecl* response = framework_class(context.ast, "Response");
  if (response == nullptr) return;
  instantiate_senders(context);
  for (const clang::Decl* member : response->decls()) {
    const auto* function = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
    if (function == nullptr || function->getTemplateParameters()->size() != 1) continue;
    const auto* parameter =
        llvm::dyn_cast<clang::TemplateTypeParmDecl>(function->getTemplateParameters()->getParam(0));
    const clang::TypeConstraint* constraint =
        parameter == nullptr ? nullptr : parameter->getTypeConstraint();
    if (constraint == nullptr ||
        constraint->getNamedConcept()->getName() != "WrittenByGeneratedCode") {
      continue;
    }
    for (const clang::FunctionDecl* each : function->specializations()) {
      // Without a location, no call has chosen it.
      const clang::SourceLocation call = each->getPointOfInstantiation();
      if (call.isInvalid()) continue;
      const clang::QualType type = each->getTemplateSpecializationArgs()->get(0).getAsType();
      types.keep_sent(type, context.at.in_main_file(call) ? std::optional(context.at.token(call))
                                                          : std::nullopt);
    }
  }
}

const clang::Expr* passed_through(const clang::Expr& expression) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&strip_wrappers(expression));
  if (call == nullptr || call->getNumArgs() != 1) return nullptr;
  const std::string name = called_name(*call->getCallee());
  const bool is_known = name == "std::move" || name == "std::forward" || name == "std::as_const" ||
                        name == "std::addressof";
  return is_known ? call->getArg(0) : nullptr;
}

bool is_copy_of_members(const clang::CXXConstructExpr& construct) {
  const clang::CXXConstructorDecl& constructor = *construct.getConstructor();
  return constructor.isCopyOrMoveConstructor() && !constructor.isUserProvided() &&
         construct.getNumArgs() == 1;
}

bool can_hold(clang::QualType type, const HeldResponse& held) {
  if (type->isReferenceType() || type->isPointerType()) return true;
  return record_of(type) != nullptr && !held.is_response();
}

ResponseUse::ResponseUse(const FileContext& context, TypeReader& types,
                         const clang::FunctionDecl& handler)
    : context_(context), at_(context.at), ast_(context.ast), types_(types) {
  if (const auto* response = response_parameter(handler)) {
    names_.emplace(response, HeldResponse::response());
  }
  const clang::QualType result = handler.getReturnType().getNonReferenceType();
  has_result_ = !result->isVoidType() && qualified_type_name(result) != "fw::Response";
}

void ResponseUse::begin(bool keeps) {
  keeps_ = keeps;
  state_ = ResponseState::first();
  escaped_ = {};
  // What was set when fewer calls were known to return the response counts no longer.
  if (!keeps) ever_ = {};
}

void ResponseUse::end() {
  if (!state_.is_open) return;
  left_ = state_.set_by;
  if (has_result_ || !keeps_) return;
  state_.add(escaped_);
  const Statuses statuses = state_.statuses();
  if (statuses.is_unknown) sends_others_ = true;
  for (const int status : statuses.known) {
    // Without content, no other call is needed.
    if (has_content(status)) continue;
    sent_.push_back({.function = "end", .statuses = {status}});
  }
}

std::vector<model::SentResponse> ResponseUse::take_sent() {
  // A function may be called several times. Of bodies without a type, the first call is enough.
  std::vector<model::SentResponse> sent;
  for (model::SentResponse& each : sent_) {
    const bool is_known = std::ranges::any_of(sent, [&](const model::SentResponse& other) {
      return other.function == each.function &&
             (other.range == each.range || is_one_of(kUntyped, each.function)) &&
             other.statuses == each.statuses && other.is_error == each.is_error &&
             other.media_type == each.media_type && other.type.name == each.type.name;
    });
    if (!is_known) sent.push_back(std::move(each));
  }
  return sent;
}

std::vector<model::RefusedRedirect> ResponseUse::take_refused_redirects() {
  std::vector<model::RefusedRedirect> refused;
  for (model::RefusedRedirect& each : refused_redirects_) {
    const bool is_known = std::ranges::any_of(refused, [&](const model::RefusedRedirect& other) {
      return other.status == each.status && other.range == each.range;
    });
    if (!is_known) refused.push_back(std::move(each));
  }
  return refused;
}

std::vector<model::SentStatus> ResponseUse::take_statuses() {
  std::vector<model::SentStatus> statuses;
  for (SetStatus& each : statuses_) {
    model::SentStatus& set = each.status;
    set.is_left =
        !sends_others_ && !has_escaped_ && left_.contains(each.node) && !used_.contains(each.node);
    // A function may be called several times.
    const bool is_known = std::ranges::any_of(statuses, [&](const model::SentStatus& other) {
      return other.status == set.status && other.range == set.range;
    });
    if (!is_known) statuses.push_back(std::move(set));
  }
  return statuses;
}

std::vector<int> ResponseUse::constant_statuses(const clang::Expr& expression) const {
  const Statuses statuses = statuses_of(expression);
  if (statuses.is_unknown) return {};
  return {statuses.known.begin(), statuses.known.end()};
}

/// The value of a parameter of a function that is visited, or of a member of an object that has the
/// response; empty if that is not followed.
std::optional<Statuses> ResponseUse::passed_statuses(const clang::Expr& expression) const {
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression)) {
    return copied(values_.statuses(*reference->getDecl()));
  }
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&expression);
  const auto* field =
      member == nullptr ? nullptr : llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  if (field == nullptr || !values_.is_kept(*field)) return std::nullopt;
  return copied(held_by(*member->getBase()).statuses(*field));
}

/// The strings that it may be: literals, constants, what parameters get and functions return.
Texts ResponseUse::texts_of(const clang::Expr& expression, int depth) const {
  const Texts unknown{.is_unknown = true};
  if (expression.isTypeDependent() || expression.containsErrors() || depth == kMaxNames ||
      dependence_of(context_, expression).condition != nullptr) {
    return unknown;
  }
  const clang::Expr& e = text_source(expression);
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  if (const Texts* passed = name == nullptr ? nullptr : values_.texts(*name->getDecl())) {
    return *passed;
  }
  const auto value = evaluate(context_, e, Purpose::options).value;
  if (value && value->kind == model::Value::Kind::string) return {.known = {value->text}};
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&e)) {
    Texts texts = texts_of(*choice->getTrueExpr(), depth + 1);
    texts.join(texts_of(*choice->getFalseExpr(), depth + 1));
    return texts;
  }
  if (const auto* sum = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&e)) {
    if (sum->getOperator() != clang::OO_Plus || sum->getNumArgs() != 2) return unknown;
    const Texts left = texts_of(*sum->getArg(0), depth + 1);
    const Texts right = texts_of(*sum->getArg(1), depth + 1);
    Texts texts{.is_unknown = left.is_unknown || right.is_unknown ||
                              left.known.size() * right.known.size() > kMaxTexts};
    if (texts.is_unknown) return texts;
    for (const std::string& each : left.known) {
      for (const std::string& other : right.known) texts.known.insert(each + other);
    }
    return texts;
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) return returned_texts(*call, depth);
  const auto* variable =
      name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  const bool is_copy = variable != nullptr && !llvm::isa<clang::ParmVarDecl>(variable) &&
                       variable->getInit() != nullptr && is_text(variable->getType()) &&
                       (variable->getType().isConstQualified() || values_.is_kept(*variable));
  return is_copy ? texts_of(*variable->getInit(), depth + 1) : unknown;
}

Texts ResponseUse::returned_texts(const clang::CallExpr& call, int depth) const {
  const Texts unknown{.is_unknown = true};
  const clang::FunctionDecl* function = called_function(call);
  if (function == nullptr || may_be_overridden(*function)) return unknown;
  const auto read = read_function(context_, *function);
  if (!read) return unknown;
  std::vector<const clang::Expr*> values;
  add_returned(values, *read->body);
  if (values.empty()) return unknown;
  Texts texts;
  for (const clang::Expr* each : values) texts.join(texts_of(*each, depth + 1));
  return texts;
}

Statuses ResponseUse::statuses_of(const clang::Expr& expression, int depth) const {
  const Statuses unknown{.is_unknown = true};
  // What depends on a condition of the compiler is no constant.
  if (dependence_of(context_, expression).condition != nullptr) return unknown;
  const clang::Expr& e = strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  if (auto passed = passed_statuses(e)) return *std::move(passed);
  const clang::Expr* same = depth == kMaxNames ? nullptr : passed_through(e);
  if (same != nullptr) return statuses_of(*same, depth + 1);
  if (is_status_of_error(expression)) return {.may_be_error = true};
  const std::vector<int> constants = frontend::constant_statuses(ast_, expression);
  if (!constants.empty()) return {.known = {constants.begin(), constants.end()}};
  if (depth == kMaxNames) return unknown;
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&e)) {
    Statuses statuses = statuses_of(*choice->getTrueExpr(), depth + 1);
    statuses.join(statuses_of(*choice->getFalseExpr(), depth + 1));
    return statuses;
  }
  // `static_cast<int>(status)` of an enumeration.
  const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&e);
  if (cast != nullptr && cast->getSubExpr()->getType()->isIntegralOrEnumerationType()) {
    return statuses_of(*cast->getSubExpr(), depth + 1);
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  const auto* variable =
      name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  const bool is_copy = variable != nullptr && variable->getInit() != nullptr &&
                       variable->getType()->isIntegralOrEnumerationType() &&
                       values_.is_kept(*variable);
  return is_copy ? statuses_of(*variable->getInit(), depth + 1) : unknown;
}

void ResponseUse::set_member(HeldResponse& object, const clang::FieldDecl& member,
                             const clang::Expr& value) const {
  if (!member.getType()->isIntegralOrEnumerationType()) return;
  const Statuses statuses = statuses_of(value);
  if (!statuses.is_unknown) object.set_statuses(member, statuses);
}

bool ResponseUse::begin_call(const clang::Stmt& node, const MemberUse& use) {
  // A second response is ignored, and so is its status.
  if (!state_.is_open) return false;
  if (use.name == "status") {
    set_status(node, use, 0);
  } else if (use.name == "set_header" || use.name == "append_header") {
    set_media_type(node, use);
  } else if (use.name == "redirect") {
    set_status_of_redirect(node, use);
  } else if (is_one_of(kWithStatus, use.name) && use.arguments.size() > 1) {
    set_status(node, use, 1);
  }
  return use.name == "json" || use.name == "raw_json";
}

void ResponseUse::call(const clang::Stmt& node, const MemberUse& use) {
  const bool is_sending = is_one_of(kSending, use.name);
  if (!state_.is_open) return;
  has_escaped_ = has_escaped_ || !escaping_.empty();
  if (keeps_) {
    note_page(use);
    const bool is_json = use.name == "json" || use.name == "raw_json";
    if (is_json ? !sends_data(use) || is_end(use) : is_sending) {
      sends_without_json_ = true;
    } else if (!is_one_of(kChainable, use.name) && !is_one_of(kQueries, use.name)) {
      may_send_json_ = true;
    }
    const bool is_known =
        is_sending || is_one_of(kChainable, use.name) || is_one_of(kQueries, use.name);
    if (!is_known) sends_others_ = true;
  }
  if (is_sending) send(node, use);
}

void ResponseUse::set_status(const clang::Stmt& node, const MemberUse& use, std::size_t index) {
  Statuses statuses{.is_unknown = true};
  const bool is_certain = condition_around(context_, node.getBeginLoc()) == nullptr;
  if (index < use.arguments.size() && is_certain) {
    const clang::Expr& argument = *use.arguments[index];
    statuses = statuses_of(argument);
    for (const int status : constant_statuses(argument)) {
      if (!keeps_) break;
      statuses_.push_back(
          {.status = {.status = status, .range = at_.of(argument), .calls = helper_calls()},
           .node = &node});
    }
  }
  state_.set_statuses(statuses);
  state_.set_by = {&node};
  if (use.name != "status") return;  // it is sent at once
  ever_.statuses.join(statuses);
  if (!escaping_.empty()) escaped_.statuses.join(statuses);
}

/// What the response has been given before is not sent.
void ResponseUse::set_status_of_redirect(const clang::Stmt& node, const MemberUse& use) {
  Statuses statuses{.known = {302}};
  if (use.arguments.size() > 1) {
    const clang::Expr& argument = *use.arguments[1];
    const bool is_certain = condition_around(context_, node.getBeginLoc()) == nullptr &&
                            dependence_of(context_, argument).condition == nullptr;
    statuses = is_certain ? accepted_by_redirect(argument) : Statuses{.is_unknown = true};
  }
  if (statuses == Statuses()) return end_with_error();
  state_.set_statuses(statuses);
  state_.set_by = {&node};
}

/// Keeps the others: with these, the call throws.
Statuses ResponseUse::accepted_by_redirect(const clang::Expr& argument) {
  Statuses accepted;
  const auto add = [&](const clang::Expr& written, std::int64_t status) {
    if (is_redirect(status)) {
      accepted.known.insert(static_cast<int>(status));
    } else if (keeps_) {
      refused_redirects_.push_back({status, at_.of(written)});
      sent_.push_back({.function = "raise", .statuses = {500}});
    }
  };
  const clang::Expr& e = strip_wrappers(*argument.IgnoreUnlessSpelledInSource());
  if (const auto known = passed_statuses(e)) {
    for (const int status : known->known) add(argument, status);
    accepted.is_unknown = known->is_unknown;
    return accepted;
  }
  for (const auto& [written, constant] : possible_values(ast_, argument)) {
    constant ? add(*written, *constant) : void(accepted.is_unknown = true);
  }
  return accepted;
}

void ResponseUse::keep_arguments(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  const clang::FunctionDecl* pattern =
      callee == nullptr ? nullptr : callee->getTemplateInstantiationPattern();
  const bool has_response =
      std::any_of(call.arg_begin(), call.arg_end(),
                  [&](const clang::Expr* each) { return is_response(*each); });
  if (pattern == nullptr || !has_response) return;
  for (const clang::Expr* argument : call.arguments()) {
    const auto* record = record_of(argument->getType());
    if (record == nullptr || record->isLambda() || is_in_namespace(*record, "fw")) continue;
    types_.keep_sent(argument->getType().getNonReferenceType().getUnqualifiedType(), std::nullopt);
  }
}

void ResponseUse::set_arguments(
    const std::vector<std::pair<const clang::ParmVarDecl*, const clang::Expr*>>& arguments,
    const clang::Stmt& body) {
  for (const auto& [parameter, argument] : arguments) {
    if (is_text(parameter->getType())) {
      values_.set_texts(*parameter, body, texts_of(*argument));
    } else {
      values_.set_statuses(*parameter, body, statuses_of(*argument));
    }
  }
}

void ResponseUse::send(const clang::Stmt& node, const MemberUse& use) {
  // In the program, it may not be there.
  if (condition_around(context_, node.getBeginLoc()) != nullptr) {
    sends_others_ = true;
    return;
  }
  used_.insert(state_.set_by.begin(), state_.set_by.end());
  const bool is_end = this->is_end(use);
  const auto heads = std::exchange(state_, ResponseState::sent()).heads;
  if (!keeps_) return;
  model::SentResponse sent{
      .function = use.name, .statuses = {}, .media_type = {}, .type = {}, .range = {}};
  sent.calls = helper_calls();
  const bool is_call = is_one_of(kUntyped, use.name) || use.name == "render" ||
                       use.name == "events" || use.name == "lines";
  if (is_call) sent.range = at_.of(node);
  // The page is the first argument of `render`.
  const std::size_t position = use.name == "render" ? 1 : 0;
  if ((use.name == "json" || use.name == "render") && use.arguments.size() > position) {
    const clang::Expr& argument = *use.arguments[position];
    const clang::Expr& data = strip_wrappers(*argument.IgnoreUnlessSpelledInSource());
    sent.range = at_.of(argument);
    if (type_dependence_of(context_, argument).condition != nullptr) {
      sends_others_ = true;
    } else {
      clang::QualType type = named_type(node, data, position);
      if (type.isNull() && has_certain_type(data)) type = data.getType();
      auto known = type.isNull() ? std::nullopt : types_.read_sent(type);
      if (known) sent.type = std::move(*known);
    }
  }
  // The options may have a status.
  if (use.name == "render" && use.arguments.size() > 2) sends_others_ = true;
  if (use.name == "json" && (!sends_data(use) || is_end)) sent.function = "end";
  std::map<std::string, Statuses> by_media_type;
  for (const auto& [header, statuses] : heads) {
    for (const std::string& each : media_types_of(use, header)) by_media_type[each].join(statuses);
  }
  for (const auto& [media_type, statuses] : by_media_type) {
    sent.media_type = sent.function == "end" ? std::string() : media_type;
    sent.statuses.clear();
    if (!statuses.is_unknown) sent.statuses = {statuses.known.begin(), statuses.known.end()};
    sent.is_error = false;
    const bool has_error = statuses.may_be_error && !statuses.is_unknown;
    if (!has_error || !sent.statuses.empty()) sent_.push_back(sent);
    if (!has_error) continue;
    sent.statuses.clear();
    sent.is_error = true;
    sent_.push_back(sent);
  }
}

std::vector<model::HelperCall> ResponseUse::helper_calls() const {
  std::vector<model::HelperCall> calls;
  for (const clang::CallExpr* call : calls_ | std::views::reverse) {
    const clang::FunctionDecl* function = called_function(*call);
    const bool is_named = function != nullptr && function->getIdentifier() != nullptr;
    calls.push_back({.function = is_named ? function->getNameAsString() : std::string(),
                     .range = at_.used(call->getSourceRange())});
  }
  return calls;
}

/// `res.status(204).json(nullptr)`.
bool ResponseUse::is_end(const MemberUse& use) const {
  const Statuses statuses = state_.statuses();
  return is_null(use) && !statuses.is_unknown && !statuses.may_be_error &&
         std::ranges::none_of(statuses.known, has_content);
}

/// Of a body that a function sends after this media type has been set as a header.
std::set<std::string> ResponseUse::media_types_of(const MemberUse& use,
                                                  const std::string& header) const {
  const auto unless_set = [&](llvm::StringRef usual) {
    return std::set{header.empty() ? usual.str() : header};
  };
  const auto argument_or_header = [&](std::size_t index) {
    if (use.arguments.size() <= index) return unless_set(kBinary);
    std::set<std::string> types = media_types(texts_of(*use.arguments[index]));
    if (types.erase(kBinary.str()) > 0) types.merge(unless_set(kBinary));
    return types;
  };
  if (use.name == "json" || use.name == "raw_json") {
    const llvm::StringRef type = llvm::StringRef(header).split(';').first.trim();
    const bool is_json = !sends_data(use) || type.equals_insensitive("application/json");
    return {is_json ? std::string() : header};
  }
  if (use.name == "text") return unless_set("text/plain");
  if (use.name == "render") return unless_set("text/html");
  if (use.name == "stream") return argument_or_header(1);
  if (use.name == "download") return argument_or_header(2);
  if (use.name == "events") return {"text/event-stream"};
  if (use.name == "lines") return {"application/x-ndjson"};
  return {""};
}

void ResponseUse::set_media_type(const clang::Stmt& node, const MemberUse& use) {
  if (use.arguments.size() != 2) return;
  const Texts names = texts_of(*use.arguments[0]);
  const auto is_type = [](llvm::StringRef name) { return name.equals_insensitive("content-type"); };
  const bool may_be_type = names.is_unknown || std::ranges::any_of(names.known, is_type);
  if (!may_be_type) return;
  const bool is_certain = !names.is_unknown && std::ranges::all_of(names.known, is_type);
  const std::set<std::string> types =
      names.is_unknown ? std::set{kAnyType.str()} : media_types(texts_of(*use.arguments[1]));
  if (!is_certain || condition_around(context_, node.getBeginLoc()) != nullptr) {
    state_.add({.media_types = types});
  } else if (use.name == "set_header") {
    state_.set_media_type(types);
  } else {
    state_.append_media_type(types);
  }
  ever_.media_types.insert(types.begin(), types.end());
  if (!escaping_.empty()) escaped_.media_types.insert(types.begin(), types.end());
}

void ResponseUse::note_page(const MemberUse& use) {
  if (use.name != "render" || use.arguments.empty()) return;
  const Texts names = texts_of(*use.arguments[0]);
  const model::Range range = at_.of(*use.arguments[0]);
  for (const std::string& name : names.known) pages_.push_back({.name = name, .range = range});
  // Without a name, it is known at run time only.
  if (names.is_unknown) pages_.push_back({.name = {}, .range = range});
}

void ResponseUse::set_name(const clang::ValueDecl& name, HeldResponse held) {
  if (held.is_empty()) {
    names_.erase(&name);  // a function may be called several times
  } else {
    names_.insert_or_assign(&name, std::move(held));
  }
}

void ResponseUse::set_result(const clang::Expr& call, HeldResponse held) {
  const auto known = results_.find(&call);
  if (known != results_.end()) {
    known->second = std::move(held);
  } else if (!held.is_empty()) {
    results_.emplace(&call, std::move(held));
  }
}

void ResponseUse::declare(const clang::VarDecl& variable) {
  const clang::Expr* value = variable.getInit();
  if (value == nullptr) return;
  HeldResponse held = held_by(*value);
  if (!held.is_empty() && (variable.isStaticLocal() || !can_hold(variable.getType(), held))) {
    lose(*value);
    held = {};
  }
  set_name(variable, std::move(held));
}

void ResponseUse::lose(const clang::Expr& value) {
  ++losses_;
  if (!state_.is_open) return;
  change_elsewhere();
  if (!keeps_) return;
  may_send_json_ = true;
  sends_others_ = true;
  pages_.push_back({.name = {}, .range = at_.of(value)});  // which other code may render
}

void ResponseUse::change_elsewhere() {
  if (!state_.is_open) return;
  has_escaped_ = has_escaped_ || !escaping_.empty();
  used_.insert(state_.set_by.begin(), state_.set_by.end());
  const HeadChanges unknown{.statuses = {.is_unknown = true}};
  state_.add(unknown);
  ever_.statuses.is_unknown = true;
  if (!escaping_.empty()) escaped_.statuses.is_unknown = true;
}

void ResponseUse::end_unknown() {
  may_send_json_ = true;
  sends_others_ = true;
  forget_status();
}

void ResponseUse::forget_status() {
  used_.insert(state_.set_by.begin(), state_.set_by.end());
  ResponseState unknown = ResponseState::first();
  unknown.add(ever_);
  unknown.set_statuses({.is_unknown = true});
  state_.join(unknown);
  ever_.statuses.is_unknown = true;
  escaped_.statuses.is_unknown = escaped_.statuses.is_unknown || has_escaped_;
}

void ResponseUse::end_with_error() {
  used_.insert(state_.set_by.begin(), state_.set_by.end());
  state_ = {};
}

void ResponseUse::call_elsewhere() {
  if (state_.is_open) state_.add(escaped_);
}

void ResponseUse::begin_escaped() {
  escaping_.push_back(state_);
  if (state_.is_open) state_.add(ever_);
}

void ResponseUse::end_escaped() {
  // It may be called later, or never.
  state_ = escaping_.back();
  escaping_.pop_back();
}

HeldResponse ResponseUse::held_by(const clang::Expr& expression) const {
  const clang::Expr& e = strip_wrappers(expression);
  if (llvm::isa<clang::CXXThisExpr>(e)) return self_;
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&e)) {
    const bool is_pointer =
        unary->getOpcode() == clang::UO_AddrOf || unary->getOpcode() == clang::UO_Deref;
    return is_pointer ? held_by(*unary->getSubExpr()) : HeldResponse();
  }
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    const auto* part = llvm::dyn_cast<clang::BindingDecl>(reference->getDecl());
    if (part != nullptr && part->getBinding() != nullptr) return held_by(*part->getBinding());
    const auto known = names_.find(reference->getDecl());
    return known == names_.end() ? HeldResponse() : known->second;
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) {
    const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    return field == nullptr ? HeldResponse() : held_by(*member->getBase()).member(*field);
  }
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&e)) {
    HeldResponse one = held_by(*choice->getTrueExpr());
    const HeldResponse other = held_by(*choice->getFalseExpr());
    one.join(other);
    return one == other ? one : HeldResponse();
  }
  if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&e)) {
    HeldResponse held = held_by(*cast->getSubExpr());
    return record_of(cast->getType()->isPointerType() ? cast->getType()->getPointeeType()
                                                      : cast->getType()) != nullptr
               ? held
               : HeldResponse();
  }
  if (const clang::Expr* same = passed_through(e)) return held_by(*same);
  if (const auto known = results_.find(&e); known != results_.end()) return known->second;
  const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e);
  if (construct != nullptr && is_copy_of_members(*construct)) return held_by(*construct->getArg(0));
  const auto use = member_use(e);
  if (use && is_one_of(kChainable, use->name) && is_response(*use->object)) {
    return HeldResponse::response();
  }
  return {};
}

}  // namespace fairway::frontend
