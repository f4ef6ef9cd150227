#include <clang/AST/ExprCXX.h>
#include <clang/Sema/Initialization.h>
#include <clang/Sema/Sema.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/methods.hpp"
#include "frontend/errors/compile_errors.hpp"
#include "frontend/errors/error_collector.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/handlers/handler_call.hpp"
#include "frontend/handlers/handler_check.hpp"
#include "frontend/registrations/factory.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_value.hpp"

namespace fairway::frontend {
namespace {

constexpr const char* kForms =
    "a registration takes a path and a handler, or a path, options and a handler; the handler is "
    "the last argument, and takes 'fw::Request&', 'fw::Response&', 'fw::Body<T>' and the like";

constexpr const char* kSocketForm =
    "a socket takes a path, options with its messages, and a handler that takes 'fw::Request&' and "
    "'fw::Socket&'";

bool is_socket(const RegistrationCall& call) { return call.method == fw::base::kSocketMethod; }

/// A handler before the options, or one that is overloaded.
std::string wrong_argument(const RegistrationCall& call) {
  const auto written = [](const clang::Expr& argument) -> const clang::Expr& {
    return strip_wrappers(*argument.IgnoreUnlessSpelledInSource());
  };
  const clang::Expr& second = written(*call.arguments[1]);
  const bool is_handler =
      llvm::isa<clang::LambdaExpr>(second) || second.getType()->isFunctionType();
  if (call.arguments.size() == 3 && is_handler) {
    return fmt::format("'{}' is called with the handler before the options", call.function);
  }
  const auto* overloads = llvm::dyn_cast<clang::OverloadExpr>(&written(*call.arguments.back()));
  if (overloads == nullptr || overloads->getNumDecls() < 2) return {};
  return fmt::format(
      "several functions have the name '{}': write a lambda that calls the one that "
      "is meant",
      overloads->getName().getAsString());
}

std::string wrong_count(const RegistrationCall& call) {
  if (is_socket(call) && call.arguments.size() == 2) {
    return "'socket' is called without options or without a handler";
  }
  switch (call.arguments.size()) {
    case 0:
      return fmt::format("'{}' is called without arguments", call.function);
    case 1:
      return fmt::format("'{}' is called without a handler", call.function);
    case 2:
    case 3:
      return wrong_argument(call);
    default:
      return fmt::format("'{}' is called with {} arguments", call.function, call.arguments.size());
  }
}

/// The type `fw::RouteOptions`, as a parameter of an overload of the method that `call` names.
clang::QualType options_type(const RegistrationCall& call) {
  const auto* record =
      record_of(call.object->getType()->isPointerType() ? call.object->getType()->getPointeeType()
                                                        : call.object->getType());
  if (record == nullptr) return {};
  for (const clang::CXXMethodDecl* method : record->methods()) {
    if (method->getDeclName().isIdentifier() && method->getName() == call.function &&
        method->getNumParams() == 3) {
      return method->getParamDecl(1)->getType();
    }
  }
  return {};
}

/// Overload resolution only reports that the braces do not match. Initialising the options alone
/// makes Clang report the wrong member. A socket has one overload, whose errors Clang has reported;
/// it would not report again a member whose spelling it has corrected.
std::vector<ErrorCollector::Error> errors_of_options(FileContext& context,
                                                     const RegistrationCall& call) {
  if (call.arguments.size() != 3) return {};
  const auto* braces = llvm::dyn_cast<clang::InitListExpr>(call.arguments[1]->IgnoreParens());
  const clang::QualType type = options_type(call);
  if (braces == nullptr || type.isNull()) return {};
  if (is_socket(call)) {
    std::vector<ErrorCollector::Error> reported;
    std::ranges::copy_if(
        context.errors.errors(), std::back_inserter(reported),
        [&](const auto& error) { return belongs_to(context, braces->getSourceRange(), error); });
    if (!reported.empty()) return reported;
  }
  const auto entity = clang::InitializedEntity::InitializeTemporary(type);
  return context.errors.errors_of([&] {
    context.sema.PerformCopyInitialization(entity, braces->getBeginLoc(),
                                           const_cast<clang::InitListExpr*>(braces));
  });
}

/// Options that accept several types, so that their braces must name one.
struct TypedOption {
  llvm::StringLiteral type;
  llvm::StringLiteral option;
  llvm::StringLiteral written;
};
constexpr std::array<TypedOption, 4> kTypedOptions = {
    {{"'Auth'", "auth", "fw::AuthRequirement"},
     {"'Cache'", "cache", "fw::RouteCacheOptions"},
     {"'SessionSwitch'", "session", "fw::SessionOptions"},
     {"'RateLimitOverride'", "rate_limit", "fw::RateLimitOptions"}}};

const TypedOption* typed_option(const ErrorCollector::Error& error) {
  const llvm::StringRef text = error.message.text;
  if (!text.contains("non-aggregate type")) return nullptr;
  const auto* found = std::ranges::find_if(
      kTypedOptions, [&](const TypedOption& each) { return text.contains(each.type); });
  return found == kTypedOptions.end() ? nullptr : found;
}

bool is_open_brace(const FileContext& context, clang::SourceLocation location) {
  bool invalid = false;
  const char* text = context.at.sources().getCharacterData(location, &invalid);
  return !invalid && *text == '{';
}

/// Reports the type that the braces of an option need, with a fix that inserts it.
void explain_type(const FileContext& context, const TypedOption& option,
                  const ErrorCollector::Error& error, model::Diagnostic& diagnostic) {
  diagnostic.message = fmt::format("the braces of '{}' need their type, '{}'", option.option.str(),
                                   option.written.str());
  diagnostic.help = fmt::format("write '.{} = {}{{…}}'", option.option.str(), option.written.str());
  const clang::SourceLocation location = error.message.location;
  if (!location.isFileID() || !is_open_brace(context, location)) return;
  const auto before =
      context.at.characters(clang::CharSourceRange::getCharRange(location, location));
  if (before) diagnostic.fixes.push_back({*before, option.written.str()});
}

std::string help_for(const ErrorCollector::Error& error) {
  const llvm::StringRef text = error.message.text;
  const bool is_quoted = text.contains("'const char[");
  for (const char* type : {"'Timeout'", "'Cache'", "Milliseconds"}) {
    if (is_quoted && text.contains(type)) {
      return "write a duration without quotes, '5s' after 'using namespace "
             "std::chrono_literals', or a number of milliseconds";
    }
  }
  if (text.contains("'SecurityRequirements'")) {
    return "an alternative and each of its schemes have braces of their own: "
           "'{{{\"bearerAuth\"}}, {{\"oauth\", {\"read\"}}}}'; '{{{\"a\"}, {\"b\"}}}' needs both";
  }
  if (text.contains("'Messages'")) {
    return "write a name and the members of each message: "
           "'{{\"say\", {{\"text\", \"string\"}}}}', a struct as '{{\"say\", fw::type<Say>}}', or "
           "'fw::raw'";
  }
  return "'fw::RouteOptions' and its members are declared in <fairway/route_options.hpp>, "
         "<fairway/auth.hpp>, <fairway/docs.hpp> and <fairway/responses.hpp>";
}

const clang::FieldDecl* field_named(const clang::CXXRecordDecl& record,
                                    const clang::IdentifierInfo* name) {
  for (const clang::FieldDecl* field : record.fields()) {
    if (field->getIdentifier() == name) return field;
  }
  return nullptr;
}

/// Initialises one member of the options alone. Its errors are already reported.
std::optional<model::Value> member_that_fits(FileContext& context, const RegistrationCall& call,
                                             const clang::FieldDecl& field, clang::Expr& written,
                                             std::string_view route) {
  const auto entity =
      clang::InitializedEntity::InitializeMember(const_cast<clang::FieldDecl*>(&field));
  clang::ExprResult result;
  const auto errors = context.errors.errors_of([&] {
    result = context.sema.PerformCopyInitialization(entity, written.getBeginLoc(), &written);
  });
  if (!errors.empty() || !result.isUsable()) return std::nullopt;
  return resolve_static(context, *result.get(), Purpose::options, call.method, route);
}

}  // namespace

StaticOptions partial_options(FileContext& context, const RegistrationCall& call,
                              std::string_view route) {
  if (call.arguments.size() != 3) return {};
  const auto* braces = llvm::dyn_cast<clang::InitListExpr>(call.arguments[1]->IgnoreParens());
  const clang::QualType type = options_type(call);
  const auto* record = type.isNull() ? nullptr : record_of(type);
  if (record == nullptr) return {.value = std::nullopt, .is_complete = false};
  if (braces == nullptr) {
    const bool is_options = record_of(call.arguments[1]->getType()) == record;
    return is_options ? resolve_options(context, *call.arguments[1], call.method, route)
                      : StaticOptions{.value = std::nullopt, .is_complete = false};
  }
  model::Value options;
  options.kind = model::Value::Kind::record;
  options.text = record->getNameAsString();
  options.range = context.at.of(*braces);
  bool is_complete = true;
  for (const clang::Expr* init : braces->inits()) {
    const auto* designated = llvm::dyn_cast<clang::DesignatedInitExpr>(init);
    const auto* designator =
        designated == nullptr || designated->size() != 1 ? nullptr : designated->getDesignator(0);
    const auto* field = designator == nullptr || !designator->isFieldDesignator()
                            ? nullptr
                            : field_named(*record, designator->getFieldName());
    auto value = field == nullptr
                     ? std::nullopt
                     : member_that_fits(context, call, *field, *designated->getInit(), route);
    is_complete = is_complete && value.has_value();
    if (value && value->kind != model::Value::Kind::null) {
      options.members.push_back({field->getNameAsString(), std::move(*value),
                                 context.at.token(designator->getFieldLoc())});
    }
  }
  return {.value = std::move(options), .is_complete = is_complete};
}

namespace {

/// Why a handler with a name, which has to be copied, does not fit.
std::optional<CallProblem> problem_of_handler(FileContext& context, const RegistrationCall& call) {
  if (is_socket(call) || call.arguments.empty()) return std::nullopt;
  const clang::Expr& handler = *call.arguments.back();
  if (record_of(handler.getType()) == nullptr || handler.isTypeDependent() ||
      handler_functions(context, handler).size() != 1) {
    return std::nullopt;
  }
  return call_problem(context, handler);
}

}  // namespace

void report_bad_registration(FileContext& context, const RegistrationCall& call) {
  const auto complete = [&](model::Diagnostic& diagnostic) {
    diagnostic.method = call.method;
    diagnostic.route = route_hint(call);
    diagnostic.help = is_socket(call) ? kSocketForm : kForms;
  };
  const auto errors = errors_of_options(context, call);
  for (const auto& error : errors) {
    auto& diagnostic = context.report(model::rules::bad_registration,
                                      "the options do not fit: " + error.message.text,
                                      context.at.of(error.message.shown()));
    complete(diagnostic);
    diagnostic.help = help_for(error);
    diagnostic.fixes = repairs(context, error);
    if (const auto* option = typed_option(error)) explain_type(context, *option, error, diagnostic);
  }
  const bool has_wrong_handler = errors.empty() && is_socket(call) && call.arguments.size() == 3 &&
                                 !check_socket_handler(context, call);
  if (errors.empty() && !has_wrong_handler) {
    std::string message = wrong_count(call);
    const auto problem = message.empty() ? problem_of_handler(context, call) : std::nullopt;
    if (message.empty()) {
      message = fmt::format("'{}' cannot be called with these arguments", call.function);
    }
    auto& diagnostic = context.report(
        model::rules::bad_registration, problem ? problem->message : std::move(message),
        problem ? context.at.of(*call.arguments.back()) : context.at.token(call.name));
    complete(diagnostic);
    if (problem) diagnostic.help = problem->help;
  }
  const bool has_reason = !errors.empty() || has_wrong_handler || call.arguments.empty();
  const auto handler = has_reason ? clang::SourceLocation() : call.arguments.back()->getBeginLoc();
  context.explained.push_back(
      {call.expression->getSourceRange(), context.file.diagnostics.size() - 1, handler});
}

}  // namespace fairway::frontend
