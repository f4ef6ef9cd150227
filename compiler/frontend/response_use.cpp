#include "frontend/response_use.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/compiler_conditions.hpp"
#include "frontend/file_reading.hpp"
#include "frontend/registration_call.hpp"
#include "frontend/type_queries.hpp"
#include "options/response_selectors.hpp"

namespace fairway::frontend {
namespace {

constexpr std::array<llvm::StringLiteral, 5> kChainable = {"status", "set_header", "append_header",
                                                           "set_cookie", "clear_cookie"};
constexpr std::array<llvm::StringLiteral, 7> kWithoutJson = {
    "text", "stream", "download", "redirect", "render", "events", "lines"};
constexpr std::array<llvm::StringLiteral, 10> kSending = {
    "json",     "raw_json", "text", "stream", "download",
    "redirect", "render",   "end",  "events", "lines"};
constexpr llvm::StringLiteral kAnyType = "*/*";
constexpr llvm::StringLiteral kBinary = "application/octet-stream";
constexpr std::array<llvm::StringLiteral, 3> kQueries = {"get_header", "status_code", "is_sent"};

/// The text of a literal.
std::optional<std::string> constant_text(const clang::Expr& expression) {
  const auto* literal = llvm::dyn_cast<clang::StringLiteral>(
      &strip_wrappers(*expression.IgnoreUnlessSpelledInSource()));
  if (literal == nullptr || literal->getCharByteWidth() != 1) return std::nullopt;
  return literal->getString().str();
}

/// `json(nullptr)` and statuses without content send no JSON.
bool sends_data(const MemberUse& use) {
  if (use.arguments.empty()) return true;
  const clang::Expr& data = strip_wrappers(*use.arguments[0]->IgnoreUnlessSpelledInSource());
  if (llvm::isa<clang::CXXNullPtrLiteralExpr>(data)) return false;
  if (use.arguments.size() < 2) return true;
  const auto* status = llvm::dyn_cast<clang::IntegerLiteral>(&strip_wrappers(*use.arguments[1]));
  if (status == nullptr) return true;
  return fw::options::may_have_content(std::to_string(status->getValue().getLimitedValue()));
}

/// How often a parameter is named, and how often only its value is read there.
struct Uses {
  std::size_t all = 0;
  std::size_t reads = 0;
};

void count_uses(const clang::ParmVarDecl& parameter, const clang::Stmt& node, Uses& uses) {
  const auto names = [&](const clang::Stmt& each) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&each);
    return reference != nullptr && reference->getDecl() == &parameter;
  };
  const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&node);
  if (names(node)) ++uses.all;
  if (cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue &&
      names(*cast->getSubExpr()->IgnoreParens())) {
    ++uses.reads;
  }
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) count_uses(parameter, *child, uses);
  }
}

/// Whether the parameter always has the value of the argument.
bool is_only_read(const clang::ParmVarDecl& parameter, const clang::Stmt& body) {
  Uses uses;
  count_uses(parameter, body, uses);
  return uses.all == uses.reads;
}

}  // namespace

std::vector<int> constant_statuses(const clang::ASTContext& ast, const clang::Expr& expression) {
  clang::Expr::EvalResult constant;
  if (expression.isValueDependent() || expression.containsErrors()) return {};
  if (expression.EvaluateAsInt(constant, ast)) {
    const std::int64_t value = constant.Val.getInt().getExtValue();
    if (value < 100 || value > 599) return {};
    return {static_cast<int>(value)};
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
  if (choice == nullptr) return {};
  std::vector<int> statuses = constant_statuses(ast, *choice->getTrueExpr());
  const std::vector<int> others = constant_statuses(ast, *choice->getFalseExpr());
  if (statuses.empty() || others.empty()) return {};
  statuses.insert(statuses.end(), others.begin(), others.end());
  return statuses;
}

void keep_sent_types(const FileContext& context, TypeReader& types) {
  clang::ASTContext& ast = context.ast;
  const auto find = [&](const clang::DeclContext& scope, llvm::StringRef name) {
    const auto found = scope.lookup(clang::DeclarationName(&ast.Idents.get(name)));
    return found.empty() ? nullptr : found.front();
  };
  const auto* space =
      llvm::dyn_cast_or_null<clang::NamespaceDecl>(find(*ast.getTranslationUnitDecl(), "fw"));
  const auto* response =
      space == nullptr ? nullptr
                       : llvm::dyn_cast_or_null<clang::CXXRecordDecl>(find(*space, "Response"));
  if (response == nullptr || !response->hasDefinition()) return;
  for (const clang::Decl* member : response->getDefinition()->decls()) {
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

void ResponseUse::begin_statement(const clang::Stmt& statement) {
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&statement);
  if (declaration != nullptr && declaration->isSingleDecl()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl());
    if (variable != nullptr) expression = variable->getInit();
  }
  statement_ = expression == nullptr ? nullptr : &strip_wrappers(*expression);
}

std::vector<model::SentResponse> ResponseUse::take_sent() {
  for (model::SentResponse& each : sent_) {
    if (media_type_.empty()) break;
    const bool has_other_type =
        each.function == "text" || (each.media_type == kBinary && each.function != "render");
    if (has_other_type) each.media_type = media_type_;
  }
  // A helper may be called several times.
  std::vector<model::SentResponse> sent;
  for (model::SentResponse& each : sent_) {
    const bool is_known = std::ranges::any_of(sent, [&](const model::SentResponse& other) {
      return !each.range.file.empty() && other.range == each.range &&
             other.statuses == each.statuses && other.type.name == each.type.name;
    });
    if (!is_known) sent.push_back(std::move(each));
  }
  return sent;
}

std::vector<model::SentStatus> ResponseUse::take_statuses() {
  if (!sends_others()) {
    for (std::size_t i = left_; i < statuses_.size(); ++i) statuses_[i].is_left = true;
  }
  // The body of a lambda may be seen several times.
  std::vector<model::SentStatus> statuses;
  for (model::SentStatus& each : statuses_) {
    const bool is_known = std::ranges::any_of(statuses, [&](const model::SentStatus& other) {
      return other.status == each.status && other.range == each.range;
    });
    if (!is_known) statuses.push_back(std::move(each));
  }
  return statuses;
}

std::vector<int> ResponseUse::constant_statuses(const clang::Expr& expression) const {
  if (dependence_of(context_, expression).condition != nullptr) return {};
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(
      &strip_wrappers(*expression.IgnoreUnlessSpelledInSource()));
  const auto known =
      reference == nullptr ? arguments_.end() : arguments_.find(reference->getDecl());
  return known == arguments_.end() ? frontend::constant_statuses(ast_, expression) : known->second;
}

std::optional<std::string> ResponseUse::text_of(const clang::Expr& expression) const {
  if (dependence_of(context_, expression).condition != nullptr) return std::nullopt;
  return constant_text(expression);
}

void ResponseUse::see(const clang::Stmt& node) {
  helper_ = helper_of(node);
  const auto use = member_use(node);
  // The request ends with an error, which has its own status.
  if (llvm::isa<clang::CXXThrowExpr>(node) || (use && use->name == "raise")) {
    left_ = statuses_.size();
  }
  const bool on_response = use && is_response(*use->object);
  if (on_response) {
    note_response(node, *use);
    note_status(node, *use);
    note_page(*use);
    note_media_type(*use);
    const bool is_json = use->name == "json" || use->name == "raw_json";
    if (is_json ? !sends_data(*use) : is_one_of(kWithoutJson, use->name)) {
      sends_without_json_ = true;
    } else if (!is_one_of(kChainable, use->name) && !is_one_of(kQueries, use->name)) {
      may_send_json_ = true;
    }
    const bool is_known = is_one_of(kSending, use->name) || is_one_of(kChainable, use->name) ||
                          is_one_of(kQueries, use->name);
    if (!is_known) sends_others_ = true;
  }
  // Any other expression with the response may send JSON. A member is handled with its call.
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
  if (unary != nullptr && is_response(*unary)) return;
  const bool is_callee =
      llvm::isa<clang::MemberExpr, clang::UnresolvedMemberExpr, clang::CXXDependentScopeMemberExpr>(
          node);
  if (is_callee || !llvm::isa<clang::Expr, clang::DeclStmt, clang::ReturnStmt>(node)) return;
  if (helper_) return;
  if (const auto* statement = llvm::dyn_cast<clang::DeclStmt>(&node)) {
    for (const clang::Decl* each : statement->decls()) {
      if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(each)) take(*variable);
    }
    return;
  }
  for (const clang::Stmt* child : node.children()) {
    const auto* value = llvm::dyn_cast_or_null<clang::Expr>(child);
    const bool is_object =
        value != nullptr && on_response && &strip_wrappers(*value) == &strip_wrappers(*use->object);
    if (value != nullptr && !is_object) take(*value);
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  if (call != nullptr && !on_response) keep_arguments(*call);
}

/// A function template whose body is not seen may send what it gets.
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

/// A call that has the response as one argument, and a body that is read.
std::optional<ResponseHelper> ResponseUse::helper_of(const clang::Stmt& node) const {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : called_function(*call);
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  if (callee == nullptr || (method != nullptr && method->isVirtual())) return std::nullopt;
  const bool is_conditional = condition_around(context_, callee->getLocation()) != nullptr;
  if (is_conditional) return std::nullopt;
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = instantiated(context_, *callee).getBody(defined);
  if (body == nullptr) body = pattern_of(*callee).getBody(defined);
  if (body == nullptr || !is_read(context_, *callee, *body)) return std::nullopt;
  // The first argument of an operator is its object.
  const unsigned first = method != nullptr && llvm::isa<clang::CXXOperatorCallExpr>(call) ? 1 : 0;
  std::optional<ResponseHelper> found;
  for (unsigned i = 0; i < call->getNumArgs(); ++i) {
    if (!is_response(*call->getArg(i))) continue;
    const bool is_parameter = i >= first && i - first < defined->getNumParams();
    if (found || !is_parameter) return std::nullopt;
    const clang::ParmVarDecl* parameter = defined->getParamDecl(i - first);
    const clang::QualType type = parameter->getType();
    if (!type->isReferenceType() && !type->isPointerType()) return std::nullopt;
    found = {.call = call, .body = body, .response = parameter};
  }
  for (unsigned i = first; found && i < call->getNumArgs(); ++i) {
    if (i - first >= defined->getNumParams()) break;
    const clang::ParmVarDecl* parameter = defined->getParamDecl(i - first);
    if (parameter->getType()->isIntegerType()) {
      found->arguments.emplace_back(parameter, call->getArg(i));
    }
  }
  return found;
}

ResponseUse::Caller ResponseUse::enter(const ResponseHelper& helper) {
  Caller caller{.response = std::exchange(response_, helper.response),
                .set = set_,
                .statement = std::exchange(statement_, nullptr),
                .sending_calls = sending_calls_,
                .is_reached = false};
  caller.is_reached = caller.statement == helper.call;
  for (const auto& [parameter, argument] : helper.arguments) {
    arguments_[parameter] =
        is_only_read(*parameter, *helper.body) ? constant_statuses(*argument) : std::vector<int>();
  }
  helper_.reset();
  return caller;
}

void ResponseUse::leave(const Caller& caller) {
  response_ = caller.response;
  statement_ = caller.statement;
  sending_calls_ = caller.sending_calls;
  if (caller.is_reached) return;
  if (caller.set.empty()) set_.clear();
  if (set_.empty()) return;
  for (const int status : caller.set) {
    if (std::ranges::find(set_, status) == set_.end()) set_.push_back(status);
  }
}

void ResponseUse::pass(const clang::ParmVarDecl& parameter,
                       const std::vector<const clang::Expr*>& arguments, const clang::Stmt& body) {
  std::vector<int>& statuses = arguments_[&parameter];
  statuses.clear();
  if (!is_only_read(parameter, body)) return;
  for (const clang::Expr* argument : arguments) {
    const std::vector<int> passed = constant_statuses(*argument);
    if (passed.empty()) return statuses.clear();
    for (const int status : passed) {
      if (std::ranges::find(statuses, status) == statuses.end()) statuses.push_back(status);
    }
  }
}

/// Whether the statement that was begun is a chain of calls with this one: `res.status(201);`.
bool ResponseUse::is_in_statement(const clang::Stmt& node) const {
  for (const clang::Expr* e = statement_; e != nullptr;) {
    if (e == &node) return true;
    const auto use = member_use(*e);
    e = use ? &strip_wrappers(*use->object) : nullptr;
  }
  return false;
}

void ResponseUse::note_status(const clang::Stmt& node, const MemberUse& use) {
  const bool is_sent = use.name == "json" || use.name == "text";
  if (!is_sent && use.name != "status") return;
  const std::size_t index = is_sent ? 1 : 0;
  if (use.arguments.size() <= index) return;
  std::vector<int> statuses = constant_statuses(*use.arguments[index]);
  if (condition_around(context_, node.getBeginLoc()) != nullptr) statuses.clear();
  for (const int status : statuses) {
    statuses_.push_back({status, at_.of(*use.arguments[index])});
  }
  if (is_sent || chained_.contains(&node)) {
    left_ = statuses_.size();
    return;
  }
  if (statuses.empty()) {
    has_left_unknown_ = true;
    set_.clear();
    return;
  }
  const bool is_known = is_in_statement(node) || !set_.empty();
  if (is_in_statement(node)) set_.clear();
  for (const int status : statuses) {
    if (is_known) set_.push_back(status);
    // Without content, no other call is needed.
    if (!fw::options::may_have_content(std::to_string(status))) {
      sent_.push_back({.function = "end", .statuses = {status}});
    }
  }
}

/// The status that a chain of calls before one that sends has set: `res.status(201).json(…)`.
void ResponseUse::chained_status(const clang::Expr& object, std::vector<int>& statuses) {
  for (const clang::Expr* e = &strip_wrappers(object);;) {
    const auto use = member_use(*e);
    if (!use) return;
    if (use->name == "status" && use->arguments.size() == 1) {
      chained_.insert(e);
      statuses = constant_statuses(*use->arguments[0]);
      return;
    }
    e = &strip_wrappers(*use->object);
  }
}

void ResponseUse::note_response(const clang::Stmt& node, const MemberUse& use) {
  if (!is_one_of(kSending, use.name)) return;
  if (condition_around(context_, node.getBeginLoc()) != nullptr) {
    sends_others_ = true;
    return;
  }
  ++sending_calls_;
  left_ = statuses_.size();
  has_left_unknown_ = false;
  model::SentResponse sent{
      .function = use.name, .statuses = set_, .media_type = {}, .type = {}, .range = {}};
  // The page is the first argument of `render`.
  const std::size_t position = use.name == "render" ? 1 : 0;
  if ((use.name == "json" || use.name == "render") && use.arguments.size() > position) {
    const clang::Expr& argument = *use.arguments[position];
    const clang::Expr& data = strip_wrappers(*argument.IgnoreUnlessSpelledInSource());
    sent.range = at_.of(argument);
    if (dependence_of(context_, argument).condition != nullptr) {
      sends_others_ = true;
    } else if (!data.isTypeDependent() && !data.containsErrors() &&
               !llvm::isa<clang::InitListExpr>(data)) {
      if (auto known = types_.read_sent(data.getType())) sent.type = std::move(*known);
    }
  }
  chained_status(*use.object, sent.statuses);
  const auto set_status = [&](std::size_t index) {
    if (use.arguments.size() <= index) return;
    sent.statuses = constant_statuses(*use.arguments[index]);
  };
  const auto type_argument = [&](std::size_t index) -> std::string {
    if (use.arguments.size() <= index) return kBinary.str();
    return text_of(*use.arguments[index]).value_or(kAnyType.str());
  };
  if (use.name == "json" || use.name == "raw_json" || use.name == "text") {
    set_status(1);
    if (use.name == "text") sent.media_type = "text/plain";
  } else if (use.name == "redirect") {
    sent.statuses = {302};
    set_status(1);
  } else if (use.name == "render") {
    sent.media_type = "text/html";
    // The options may have a status.
    if (use.arguments.size() > 2) sends_others_ = true;
  } else if (use.name == "stream") {
    sent.media_type = type_argument(1);
  } else if (use.name == "download") {
    sent.media_type = type_argument(2);
  } else if (use.name == "events" || use.name == "lines") {
    sent.media_type = use.name == "events" ? "text/event-stream" : "application/x-ndjson";
    sent.range = at_.of(node);
  }
  if (use.name == "json" && !sends_data(use)) sent.function = "end";
  sent_.push_back(std::move(sent));
}

bool ResponseUse::has_lost_calls(const clang::Stmt& body) const {
  const auto& sources = at_.sources();
  const clang::SourceLocation begin = sources.getExpansionLoc(body.getBeginLoc());
  const clang::SourceLocation end = sources.getExpansionLoc(body.getEndLoc());
  const clang::FileID file = sources.getFileID(begin);
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), at_.language(), text.begin(),
                     text.begin() + sources.getFileOffset(begin), text.end());
  std::size_t calls = 0;
  clang::Token token;
  for (bool follows_dot = false; !lexer.LexFromRawLexer(token) && token.getLocation() < end;
       follows_dot = token.isOneOf(clang::tok::period, clang::tok::arrow)) {
    if (follows_dot && token.is(clang::tok::raw_identifier) &&
        is_one_of(kSending, token.getRawIdentifier())) {
      ++calls;
    }
  }
  return calls > sending_calls_;
}

void ResponseUse::note_media_type(const MemberUse& use) {
  if (use.name != "set_header" || use.arguments.size() != 2) return;
  const auto name = constant_text(*use.arguments[0]);
  if (name && llvm::StringRef(*name).equals_insensitive("content-type")) {
    media_type_ = text_of(*use.arguments[1]).value_or(kAnyType.str());
  }
}

void ResponseUse::note_page(const MemberUse& use) {
  if (use.name != "render" || use.arguments.empty()) return;
  // Without a name, it is known at run time only.
  pages_.push_back(
      {.name = text_of(*use.arguments[0]).value_or(""), .range = at_.of(*use.arguments[0])});
}

void ResponseUse::take(const clang::VarDecl& variable) {
  const clang::Expr* value = variable.getInit();
  if (value == nullptr || !is_response(*value)) return;
  const clang::QualType type = variable.getType();
  const bool is_alias =
      (type->isReferenceType() || type->isPointerType()) && !variable.isStaticLocal();
  if (is_alias) {
    aliases_.insert(&variable);
  } else {
    lose(*value);
  }
}

void ResponseUse::take(const clang::Expr& value) {
  if (is_response(value)) lose(value);
}

void ResponseUse::lose(const clang::Expr& value) {
  may_send_json_ = true;
  sends_others_ = true;
  set_.clear();
  pages_.push_back({.name = {}, .range = at_.of(value)});  // which other code may render
}

bool ResponseUse::is_response(const clang::Expr& expression) const {
  const clang::Expr& e = strip_wrappers(expression);
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&e)) {
    const bool is_pointer =
        unary->getOpcode() == clang::UO_AddrOf || unary->getOpcode() == clang::UO_Deref;
    return is_pointer && is_response(*unary->getSubExpr());
  }
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    return (response_ != nullptr && reference->getDecl() == response_) ||
           aliases_.contains(reference->getDecl());
  }
  const auto use = member_use(e);
  return use && is_one_of(kChainable, use->name) && is_response(*use->object);
}

}  // namespace fairway::frontend
