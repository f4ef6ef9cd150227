#include "frontend/handlers/handler_check.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>
#include <clang/Sema/Initialization.h>
#include <clang/Sema/Sema.h>
#include <fmt/format.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/methods.hpp"
#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/errors/compile_errors.hpp"
#include "frontend/errors/error_collector.hpp"
#include "frontend/handlers/caught_errors.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/handlers/handler_call.hpp"
#include "frontend/handlers/handler_signature.hpp"
#include "frontend/handlers/handler_type.hpp"
#include "frontend/handlers/raise_options.hpp"
#include "frontend/handlers/reassigned_variable.hpp"
#include "frontend/handlers/response_use.hpp"
#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_names.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/types/json_conversion.hpp"
#include "frontend/types/type_members.hpp"
#include "model/source_rules.hpp"

namespace fairway::frontend {
namespace {

/// Whether a value of the type can be called, as far as this file shows.
bool may_be_called(clang::QualType type) {
  type = type.getNonReferenceType();
  if (type->isDependentType() || type->isFunctionType() || type->isNullPtrType()) return true;
  if (type->isPointerType()) return type->getPointeeType()->isFunctionType();
  const auto* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return false;
  const clang::DeclarationName call =
      record->getASTContext().DeclarationNames.getCXXOperatorName(clang::OO_Call);
  if (!record->lookup(call).empty() || is_route_handler(type)) return true;
  const auto conversions = record->getDefinition()->getVisibleConversionFunctions();
  const bool is_converted =
      std::any_of(conversions.begin(), conversions.end(), [](const clang::NamedDecl* each) {
        const clang::FunctionDecl* conversion = each->getUnderlyingDecl()->getAsFunction();
        if (conversion == nullptr) return true;
        const clang::QualType made = conversion->getReturnType().getNonReferenceType();
        return made->isFunctionType() || made->isFunctionPointerType() || made->isDependentType() ||
               is_route_handler(made);
      });
  if (is_converted) return true;
  return std::ranges::any_of(record->bases(), [](const clang::CXXBaseSpecifier& base) {
    return may_be_called(base.getType());
  });
}

model::Diagnostic& report_handler(FileContext& context, const RegistrationCall& call,
                                  std::string message, const model::Range& range) {
  auto& diagnostic = context.report(model::rules::bad_registration, std::move(message), range);
  diagnostic.method = call.method;
  diagnostic.route = route_hint(call);
  diagnostic.help =
      "a handler takes 'fw::Request&', 'fw::Response&', 'fw::Param<T>', 'fw::Query<T>', "
      "'fw::Header<T>', 'fw::Cookie<T>' and 'fw::Body<T>', each at most once";
  return diagnostic;
}

/// What a handler with a parameter `auto`, or one of another class, is called with.
constexpr std::array<llvm::StringLiteral, 2> kCalledWith = {"fw::Request", "fw::Response"};

/// Whether an object of this class of the framework initialises a parameter of another class.
bool is_made_of(FileContext& context, clang::QualType type, llvm::StringRef name) {
  const auto* record = record_of(type);
  if (record == nullptr || is_in_namespace(*record, "fw")) return false;
  const auto* source =
      framework_class(context.ast, name.drop_front(llvm::StringRef("fw::").size()));
  const clang::QualType plain = type.getNonReferenceType();
  const bool is_known = source != nullptr && !record->isInvalidDecl() &&
                        context.sema.isCompleteType(record->getLocation(), plain);
  if (!is_known) return true;
  clang::OpaqueValueExpr object(record->getLocation(), context.ast.getRecordType(source),
                                clang::VK_LValue);
  const auto parameter = clang::InitializedEntity::InitializeParameter(context.ast, type, false);
  return context.sema.CanPerformCopyInitialization(parameter, &object);
}

/// Whether the type of a parameter of a socket's handler takes what it is called with.
bool takes(FileContext& context, clang::QualType type, llvm::StringRef name) {
  if (type->isDependentType()) return true;
  if (qualified_type_name(type.getNonReferenceType()) != name) {
    return is_made_of(context, type, name);
  }
  return name != "fw::Request" || type->isLValueReferenceType();
}

/// Whether the parameter is made of the request, if it is the first one, or the response.
bool is_converted(FileContext& context, const HandlerType& handler, unsigned index) {
  if (handler.parameters.size() != kCalledWith.size()) return false;
  const std::string other = kind_of_parameter(handler.parameters[1 - index].type);
  return (other.empty() || other == kCalledWith[1 - index]) &&
         is_made_of(context, handler.parameters[index].type, kCalledWith[index]);
}

/// Whether the object is called with the request and the response, which are followed by parameters
/// with defaults.
bool is_called_with_defaults(FileContext& context, const clang::FunctionDecl& handler,
                             const clang::Expr& argument) {
  return llvm::isa<clang::CXXMethodDecl>(handler) && handler.getNumParams() > kCalledWith.size() &&
         handler.getParamDecl(kCalledWith.size())->hasDefaultArg() &&
         takes_request_and_response(context, argument);
}

/// A handler with a parameter `auto` is called with the request and the response, in this order.
bool check_generic_parameter(FileContext& context, const RegistrationCall& call,
                             const clang::FunctionDecl& handler, unsigned index) {
  const auto is_open = [](const clang::ParmVarDecl* each) {
    return each->isParameterPack() || each->hasDefaultArg();
  };
  if (std::any_of(handler.param_begin(), handler.param_end(), is_open)) return true;
  const clang::ParmVarDecl& parameter = *handler.getParamDecl(index);
  if (handler.getNumParams() != kCalledWith.size()) {
    report_handler(context, call, "the type of a parameter of the handler is not written",
                   type_range(context, parameter))
        .help =
        "write the type, such as 'fw::Body<T>'; 'auto&' is possible only in a handler that "
        "takes the request and the response";
    return false;
  }
  const clang::QualType type = parameter.getType();
  if (!type->isReferenceType()) {
    // A pointer, or a copy.
    auto& diagnostic = report_handler(
        context, call,
        fmt::format(
            "a handler cannot take a parameter of the type '{}', because '{}' has no copies",
            type.getAsString(plain_policy(context.ast)), kCalledWith[index].str()),
        type_range(context, parameter));
    diagnostic.help = fmt::format("write '{}&'", kCalledWith[index].str());
    diagnostic.fixes.push_back({type_range(context, parameter), kCalledWith[index].str() + "&"});
    return false;
  }
  const clang::ParmVarDecl& other = *handler.getParamDecl(1 - index);
  const std::string name = kind_of_parameter(other.getType());
  // Without a name, it is dependent, converted, or reported.
  if (name.empty() || name == kCalledWith[1 - index]) return true;
  report_handler(context, call,
                 fmt::format("the handler takes '{}', so that the type of the other parameter must "
                             "be written",
                             other.getType().getAsString(plain_policy(context.ast))),
                 type_range(context, parameter));
  return false;
}

/// The name with which the type of a parameter begins in the source.
clang::CharSourceRange written_name(const FileContext& context,
                                    const clang::ParmVarDecl& parameter) {
  const clang::SourceLocation begin = parameter.getOuterLocStart();
  if (!begin.isFileID()) return {};
  bool invalid = false;
  const llvm::StringRef text = context.at.sources().getCharacterData(begin, &invalid);
  if (invalid) return {};
  const llvm::StringRef name =
      text.take_while([](char each) { return llvm::isAlnum(each) || each == '_' || each == ':'; });
  return clang::CharSourceRange::getCharRange(
      begin, begin.getLocWithOffset(static_cast<int>(name.size())));
}

/// Whether the template arguments of a parameter are written after its name: then Clang says what
/// is wrong with them.
bool has_arguments(const FileContext& context, const clang::CharSourceRange& name) {
  llvm::StringRef after =
      llvm::StringRef(context.at.sources().getCharacterData(name.getEnd())).ltrim();
  return after.consume_front("<") && !after.ltrim().starts_with(">");
}

/// Clang's errors about the same parameter are not reported. Errors about a parameter without a
/// name are after its type.
void explain(FileContext& context, const clang::FunctionDecl& handler,
             const clang::ParmVarDecl& parameter) {
  clang::SourceRange range = parameter.getSourceRange();
  const clang::FunctionTypeLoc function = handler.getFunctionTypeLoc();
  if (!function.isNull() && function.getParensRange().isValid()) {
    range.setEnd(function.getParensRange().getEnd());
  }
  context.explained.push_back(
      {range, context.file.diagnostics.size() - 1, clang::SourceLocation()});
}

/// Reports `fw::Body` without its type, and `fw::Body<T&>`.
bool check_written(FileContext& context, const RegistrationCall& call,
                   const clang::FunctionDecl& handler, const clang::ParmVarDecl& parameter) {
  const auto* special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      record_of(parameter.getType()));
  if (parameter.isInvalidDecl() && special == nullptr) {
    const clang::CharSourceRange written = written_name(context, parameter);
    const llvm::StringRef name =
        written.isInvalid()
            ? llvm::StringRef()
            : clang::Lexer::getSourceText(written, context.at.sources(), context.at.language());
    const std::string full = name.contains("::") ? name.str() : "fw::" + name.str();
    const auto range = written.isInvalid() ? std::nullopt : context.at.characters(written);
    if (!range || !is_input_template(full) || has_arguments(context, written)) return true;
    report_handler(context, call,
                   fmt::format("the parameter '{}' does not say which type it has", name.str()),
                   *range)
        .help = fmt::format("write '{}<T>' with the struct that it is", name.str());
    explain(context, handler, parameter);
    return false;
  }
  const std::string kind = kind_of_parameter(parameter.getType().getNonReferenceType());
  if (special == nullptr || !is_input_template(kind)) return true;
  const clang::QualType type = type_argument(*special, 0);
  const bool is_plain = type.isNull() || (!type->isReferenceType() && !type.hasLocalQualifiers());
  if (is_plain) return true;
  const std::string plain = shown(context, type.getNonReferenceType().getUnqualifiedType());
  auto& diagnostic = report_handler(context, call,
                                    fmt::format("'{}' is not of a plain type: '{}' is {}", kind,
                                                type.getAsString(plain_policy(context.ast)),
                                                type->isReferenceType() ? "a reference" : "const"),
                                    type_range(context, parameter));
  diagnostic.help =
      fmt::format("write '{}<{}>', whose value lives as long as the request", kind, plain);
  explain(context, handler, parameter);
  return false;
}

/// `is_foreign`: the type is in a header that cannot be changed, or deduced.
void report_unknown_parameter(FileContext& context, const RegistrationCall& call,
                              clang::QualType type, const model::Range& range, bool is_foreign) {
  auto& diagnostic =
      report_handler(context, call,
                     fmt::format("a handler cannot take a parameter of the type '{}'",
                                 type.getAsString(plain_policy(context.ast))),
                     range);
  const bool is_pointer = type->isPointerType();
  const clang::QualType plain = (is_pointer ? type->getPointeeType() : type.getNonReferenceType());
  const std::string name = qualified_type_name(plain);
  std::string instead;
  if (name == "fw::Request" || name == "fw::Response") {
    instead = name + "&";
    // The body of the handler uses a pointer with '->'.
    if (!is_pointer && !is_foreign) diagnostic.fixes.push_back({range, instead});
  } else if (is_input_template(name)) {
    instead = shown(context, plain.getUnqualifiedType());
    if (!is_pointer) diagnostic.fixes.push_back({range, instead});
  } else if (const auto* record = record_of(plain); record != nullptr &&
                                                    !is_in_namespace(*record, "fw") &&
                                                    !is_in_namespace(*record, "std")) {
    const std::string own = shown(context, plain.getUnqualifiedType());
    diagnostic.help = fmt::format(
        "write 'fw::Body<{0}>' for the body, or 'fw::Param<{0}>', 'fw::Query<{0}>', "
        "'fw::Header<{0}>' or 'fw::Cookie<{0}>'",
        own);
  } else if (is_std_type(plain,
                         {"vector", "array", "set", "unordered_set", "map", "unordered_map"})) {
    diagnostic.help = fmt::format("write 'fw::Body<{}>' for the body",
                                  shown(context, plain.getUnqualifiedType()));
  } else if (type->isArithmeticType() || type->isEnumeralType() ||
             is_std_type(plain, {"basic_string", "basic_string_view"})) {
    diagnostic.help =
        "make it a member of a struct T, and take 'fw::Param<T>' for a parameter of the path or "
        "'fw::Query<T>' for one of the query";
  }
  if (!instead.empty()) diagnostic.help = fmt::format("write '{}'", instead);
}

}  // namespace

bool check_socket_handler(FileContext& context, const RegistrationCall& call) {
  const auto functions = handler_functions(context, *call.arguments.back());
  if (functions.size() != 1) return true;
  const clang::FunctionDecl& handler = *functions.front();
  constexpr std::array<llvm::StringLiteral, 2> kTaken = {"fw::Request", "fw::Socket"};
  constexpr const char* kHelp =
      "the handler of a socket takes 'fw::Request&' and 'fw::Socket&', in this order";
  for (unsigned i = 0; i < handler.getNumParams(); ++i) {
    const clang::ParmVarDecl& parameter = *handler.getParamDecl(i);
    if (i < kTaken.size() && takes(context, parameter.getType(), kTaken[i])) continue;
    report_handler(
        context, call,
        fmt::format("the handler of a socket cannot take a {} parameter of the type '{}'",
                    i == 0   ? "first"
                    : i == 1 ? "second"
                             : "further",
                    parameter.getType().getAsString(plain_policy(context.ast))),
        type_range(context, parameter))
        .help = kHelp;
    return false;
  }
  if (handler.getNumParams() < kTaken.size()) {
    report_handler(context, call, "the handler of a socket must take the request and the socket",
                   context.at.token(handler.getBeginLoc()))
        .help = kHelp;
    return false;
  }
  const clang::QualType result = handler.getReturnType();
  if (result->isVoidType() || result->isDependentType() || result->isUndeducedType()) return true;
  report_handler(context, call,
                 fmt::format("the handler of a socket returns '{}', which nobody gets",
                             result.getAsString(plain_policy(context.ast))),
                 context.at.token(handler.getBeginLoc()))
      .help = "send messages with 'socket.send(…)'";
  return false;
}

namespace {

/// The parameters of a function that is not in the source.
bool check_parameters(FileContext& context, const RegistrationCall& call,
                      const HandlerType& handler) {
  bool is_right = true;
  llvm::StringMap<model::Range> first;
  for (unsigned i = 0; i < handler.parameters.size(); ++i) {
    const auto& [type, written, range] = handler.parameters[i];
    const std::string kind = kind_of_parameter(type);
    if (kind.empty()) {
      if (is_converted(context, handler, i)) continue;
      report_unknown_parameter(context, call, type, range, written.isNull());
      is_right = false;
    } else if (const auto [known, is_new] = first.try_emplace(kind, range); !is_new) {
      report_handler(context, call,
                     fmt::format("the handler takes two parameters of the kind '{}'", kind), range)
          .notes.push_back({"the first one is here", known->second});
      is_right = false;
    }
  }
  return is_right;
}

bool check_call(FileContext& context, const RegistrationCall& call) {
  const clang::Expr& handler = *call.arguments.back();
  auto problem = call_problem(context, handler);
  if (!problem) return true;
  report_handler(context, call, std::move(problem->message), context.at.of(handler)).help =
      std::move(problem->help);
  return false;
}

/// Whether it is certain that the program needs generated code to send a value of the type.
bool needs_code(const FileContext& context, clang::QualType type) {
  const auto* record = record_of(type);
  if (record == nullptr || !record->hasDefinition() || is_json_type(type)) return false;
  if (is_framework_type(type) || is_in_namespace(*record, "std")) {
    const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
    const auto is_part = [&](const clang::TemplateArgument& each, const auto& self) -> bool {
      if (each.getKind() == clang::TemplateArgument::Pack) {
        return llvm::any_of(each.pack_elements(),
                            [&](const auto& part) { return self(part, self); });
      }
      return each.getKind() == clang::TemplateArgument::Type &&
             needs_code(context, each.getAsType());
    };
    return special != nullptr &&
           llvm::any_of(special->getTemplateArgs().asArray(),
                        [&](const auto& each) { return is_part(each, is_part); });
  }
  const NamesInJson names = names_in_json(context, *record);
  if (names.listed || names.is_unknown || has_own_conversion(*record)) return false;
  // Others that fw::Json may convert: strings, and lists.
  const clang::CXXRecordDecl& definition = *record->getDefinition();
  const bool has_begin = !definition.lookup(&context.ast.Idents.get("begin")).empty();
  return definition.getVisibleConversionFunctions().empty() && !has_begin &&
         converted_otherwise(context, type) == nullptr;
}

bool has_inputs(const clang::FunctionDecl& handler) {
  return llvm::any_of(handler.parameters(), [](const clang::ParmVarDecl* each) {
    return is_input_template(kind_of_parameter(each->getType()));
  });
}

/// Whether the functions are one whose types must be known, so that there is code for them.
bool has_types(const FileContext& context, llvm::ArrayRef<const clang::FunctionDecl*> functions) {
  if (functions.size() != 1) return false;
  const clang::FunctionDecl& handler = *functions.front();
  return needs_code(context, handler.getReturnType()) || has_inputs(handler);
}

/// Counts the handlers of which a fw::RouteHandler may be, as far as the file shows.
class PossibleHandlers {
 public:
  explicit PossibleHandlers(const FileContext& context) : context_(context) {}

  void visit(const clang::Stmt& node) {
    if (llvm::isa<clang::LambdaExpr>(node)) return;
    const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&node);
    if (construct != nullptr && is_route_handler(construct->getType()) &&
        construct->getNumArgs() == 1 && !construct->getConstructor()->isCopyOrMoveConstructor()) {
      return add(*construct->getArg(0));
    }
    // `std::pair<std::string, fw::RouteHandler>("a", handler)`.
    if (construct != nullptr && contains_handler(construct->getType())) {
      add_callables({construct->getArgs(), construct->getNumArgs()});
    }
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
      visit_declaration(*name->getDecl());
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) {
      visit_declaration(*member->getMemberDecl());
    } else if (const auto* made = llvm::dyn_cast<clang::CallExpr>(&node)) {
      visit_call(*made);
    }
    for (const clang::Stmt* child : node.children()) {
      if (child != nullptr) visit(*child);
    }
  }

  bool has_typed() const { return has_typed_; }
  /// Without types, or not known.
  bool has_others() const { return has_others_; }
  /// Whether the program may start without the types: other routes may have the code of the
  /// results, whereas inputs are a part of the route table.
  bool may_start() const { return is_exchangeable_ && !has_inputs_; }

 private:
  void visit_call(const clang::CallExpr& call) {
    if (passed_through(call) != nullptr) return;
    const clang::FunctionDecl* function = called_function(call);
    if (function != nullptr && !visited_.insert(function).second) return;
    // `std::make_unique<fw::RouteHandler>(handler)`.
    if (contains_handler(call.getType())) add_callables({call.getArgs(), call.getNumArgs()});
    llvm::SmallVector<const clang::Expr*, 1> returned;
    if (function != nullptr) returned = returned_handlers(context_, *function);
    // What it does with its arguments is not known, either. A function of the standard library
    // returns an element of its object.
    const bool is_library = function != nullptr && is_in_namespace(*function, "std");
    if (returned.empty() && is_route_handler(call.getType()) && !is_library) has_others_ = true;
    for (const clang::Expr* each : returned) visit(*each);
  }

  void visit_declaration(const clang::ValueDecl& declared) {
    const clang::Expr* initialiser = nullptr;
    if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&declared)) {
      // Of a call that is followed, the arguments are visited.
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(parameter->getDeclContext());
      if (function == nullptr || !visited_.contains(function)) has_others_ = true;
      return;
    }
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declared)) {
      initialiser = variable->getAnyInitializer();
      if (!visited_.contains(variable) && may_be_reassigned(context_, *variable)) {
        const bool is_container =
            variable->getType()->isArrayType() || contains_handler(variable->getType());
        is_container ? visit_later_values(*variable) : void(has_others_ = true);
      }
    } else if (const auto* field = llvm::dyn_cast<clang::FieldDecl>(&declared)) {
      initialiser = field->getInClassInitializer();
      const auto* owner = llvm::dyn_cast<clang::CXXRecordDecl>(field->getParent());
      if (owner == nullptr || !owner->isAggregate()) has_others_ = true;
    }
    if (initialiser != nullptr && visited_.insert(&declared).second) visit(*initialiser);
  }

  /// A container may get other handlers than it is initialised with.
  void visit_later_values(const clang::VarDecl& variable) {
    visited_.insert(&variable);
    is_exchangeable_ = true;
    const LaterValues later = later_values(context_, variable);
    if (later.may_have_others) has_others_ = true;
    add_callables(later.values);
    for (const clang::Expr* each : later.values) visit(*each);
    if (variable.getAnyInitializer() != nullptr) visit(*variable.getAnyInitializer());
  }

  /// Whether the type is a template of the standard library with fw::RouteHandler.
  static bool contains_handler(clang::QualType type) {
    const auto* special =
        llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record_of(type));
    if (special == nullptr || !special->isInStdNamespace()) return false;
    return llvm::any_of(special->getTemplateArgs().asArray(), [](const auto& each) {
      return each.getKind() == clang::TemplateArgument::Type && is_route_handler(each.getAsType());
    });
  }

  /// The handlers among values of which the library makes others.
  void add_callables(llvm::ArrayRef<const clang::Expr*> values) {
    for (const clang::Expr* each : values) {
      if (is_route_handler(each->getType())) continue;
      const auto functions = handler_functions(context_, *each);
      if (!functions.empty()) add(*each);
    }
  }

  void add(const clang::Expr& handler) {
    const auto functions = handler_functions(context_, handler);
    const bool is_typed = has_types(context_, functions);
    if (is_typed && has_inputs(*functions.front())) has_inputs_ = true;
    is_typed ? has_typed_ = true : has_others_ = true;
  }

  const FileContext& context_;
  llvm::SmallPtrSet<const clang::ValueDecl*, 8> visited_;
  bool has_typed_ = false;
  bool has_others_ = false;
  bool has_inputs_ = false;
  bool is_exchangeable_ = false;
};

/// A fw::RouteHandler of an expression that is not followed, such as an element of an array.
/// Without their types, handlers that have types have no generated code.
bool check_hidden(FileContext& context, const RegistrationCall& call, const clang::Expr& handler) {
  if (!is_route_handler(handler.getType())) return true;
  PossibleHandlers handlers(context);
  handlers.visit(handler);
  const bool is_choice = llvm::isa<clang::ConditionalOperator>(handler);
  const bool is_open = handlers.has_others() || handlers.may_start();
  if (!handlers.has_typed() || (is_open && !is_choice)) return true;
  report_handler(context, call, "the parameters of the handler are not known",
                 context.at.of(handler))
      .help =
      "pass the handler itself, or let the expression be a 'std::function' with the parameters and "
      "the result";
  return false;
}

/// A function that returns one of several handlers as fw::RouteHandler.
bool check_returned(FileContext& context, const RegistrationCall& call,
                    const clang::CallExpr& made) {
  const clang::FunctionDecl* function = called_function(made);
  if (function == nullptr || !is_route_handler(function->getReturnType())) return true;
  const auto returned = returned_handlers(context, *function);
  const bool is_typed = llvm::any_of(returned, [&](const clang::Expr* each) {
    return has_types(context, handler_functions(context, *each));
  });
  if (returned.size() < 2 || !is_typed) return check_hidden(context, call, made);
  report_handler(context, call, "the parameters of the handler are not known", context.at.of(made))
      .help = fmt::format(
      "'{}' returns one of several handlers: let it return a 'std::function' with the parameters "
      "and the result",
      function->getNameAsString());
  return false;
}

/// What a statement assigns to the variable; null for others.
const clang::Expr* assigned_by(const clang::Stmt& node, const clang::VarDecl& variable) {
  const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
  const auto* call = expression == nullptr
                         ? nullptr
                         : llvm::dyn_cast<clang::CXXOperatorCallExpr>(&strip_wrappers(*expression));
  if (call == nullptr || call->getOperator() != clang::OO_Equal || call->getNumArgs() != 2) {
    return nullptr;
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&strip_wrappers(*call->getArg(0)));
  return name != nullptr && name->getDecl() == &variable ? call->getArg(1) : nullptr;
}

/// Adds the handlers that a part of a function assigns to the variable. An assignment that is
/// always executed before `use` replaces the earlier ones.
void add_assigned(llvm::SmallVectorImpl<const clang::Expr*>& handlers,
                  const clang::VarDecl& variable, const clang::Stmt& node,
                  clang::SourceLocation use) {
  const auto contains_use = [&](const clang::Stmt& each) {
    return each.getSourceRange().fullyContains({use, use});
  };
  const bool is_around = llvm::isa<clang::CompoundStmt>(node) && contains_use(node);
  bool is_before = true;
  for (const clang::Stmt* child : node.children()) {
    if (child == nullptr) continue;
    is_before = is_before && !contains_use(*child);
    if (is_around && !is_before && !contains_use(*child)) continue;  // after it
    const clang::Expr* assigned = assigned_by(*child, variable);
    if (assigned != nullptr && is_around && is_before) handlers.clear();
    assigned != nullptr ? handlers.push_back(assigned)
                        : add_assigned(handlers, variable, *child, use);
  }
}

/// A variable of the type fw::RouteHandler that is assigned again may take and return anything. The
/// handlers that it gets say whether it does.
bool check_exchanged(FileContext& context, const RegistrationCall& call,
                     const clang::Expr& handler) {
  if (const auto* made = llvm::dyn_cast<clang::CallExpr>(&handler)) {
    return check_returned(context, call, *made);
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&handler);
  const auto* variable =
      reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  if (variable == nullptr) return check_hidden(context, call, handler);
  if (!is_route_handler(variable->getType()) || !may_be_reassigned(context, *variable)) return true;
  PossibleHandlers handlers(context);
  llvm::SmallVector<const clang::Expr*, 2> assigned;
  if (variable->getAnyInitializer() != nullptr) assigned.push_back(variable->getAnyInitializer());
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
  const clang::Stmt* body = function == nullptr ? nullptr : function->getBody();
  if (body != nullptr) add_assigned(assigned, *variable, *body, handler.getBeginLoc());
  for (const clang::Expr* each : assigned) handlers.visit(*each);
  if (!handlers.has_typed()) return true;
  report_handler(context, call, "the parameters of the handler are not known",
                 context.at.of(handler))
      .help = fmt::format(
      "'{}' may be assigned again: make it const, or a 'std::function' with the parameters and the "
      "result",
      variable->getNameAsString());
  return false;
}

}  // namespace

bool check_handler(FileContext& context, const RegistrationCall& call) {
  if (call.method == fw::base::kSocketMethod) return check_socket_handler(context, call);
  const clang::Expr& argument = *call.arguments.back();
  const clang::Expr& written = strip_wrappers(*argument.IgnoreUnlessSpelledInSource());
  if (written.containsErrors() || written.isTypeDependent()) return true;
  if (const auto type = type_of_callable(context, argument)) {
    return check_parameters(context, call, *type) && check_call(context, call);
  }
  const auto functions = handler_functions(context, argument);
  if (functions.empty()) {
    if (may_be_called(written.getType())) {
      return check_exchanged(context, call, written) && check_call(context, call);
    }
    report_handler(
        context, call,
        fmt::format("the handler is of the type '{}', which cannot be called",
                    written.getType().getUnqualifiedType().getAsString(plain_policy(context.ast))),
        context.at.of(written));
    return false;
  }
  if (functions.size() > 1) return check_call(context, call);
  const clang::FunctionDecl& handler = *functions.front();
  bool is_right = true;
  llvm::StringMap<const clang::ParmVarDecl*> first;
  for (unsigned i = 0; i < handler.getNumParams(); ++i) {
    const clang::ParmVarDecl& parameter = *handler.getParamDecl(i);
    const clang::QualType type = parameter.getType();
    if (type->isDependentType()) {
      is_right = check_generic_parameter(context, call, handler, i) && is_right;
      continue;
    }
    if (!check_written(context, call, handler, parameter)) {
      is_right = false;
      continue;
    }
    const std::string kind = kind_of_parameter(type);
    if (kind.empty()) {
      if (is_converted(context, type_of_function(context, handler), i)) continue;
      if (is_called_with_defaults(context, handler, argument)) continue;
      // Clang, which reports the error, assumes a type that is nowhere written.
      if (parameter.isInvalidDecl() || type_range(context, parameter).line == 0) continue;
      // A function of a system header need not be meant.
      const bool is_foreign = context.at.sources().isInSystemHeader(parameter.getLocation());
      report_unknown_parameter(
          context, call, type,
          is_foreign ? context.at.of(argument) : type_range(context, parameter), is_foreign);
      is_right = false;
    } else if (const auto [known, is_new] = first.try_emplace(kind, &parameter); !is_new) {
      report_handler(context, call,
                     fmt::format("the handler takes two parameters of the kind '{}'", kind),
                     type_range(context, parameter))
          .notes.push_back({"the first one is here", type_range(context, *known->second)});
      is_right = false;
    }
  }
  return is_right && check_call(context, call);
}

namespace {

constexpr int kMaxNestedCalls = 4;

/// Whether the statement may end the request with an error: it throws, calls a function that does
/// not return, or has a loop without a condition.
class Throwing {
 public:
  explicit Throwing(const FileContext& context) : caught_(context) {}

  /// The calls in the bodies of functions that the file shows are looked at, too.
  bool may_end(const clang::Stmt& node, int depth = 0) {
    if (llvm::isa<clang::LambdaExpr>(node)) return false;
    if (const auto* raised = llvm::dyn_cast<clang::CXXThrowExpr>(&node)) {
      return raised->getSubExpr() == nullptr || !is_caught(*raised->getSubExpr());
    }
    if (const auto* attempt = llvm::dyn_cast<clang::CXXTryStmt>(&node)) {
      return may_end(*attempt, depth);
    }
    if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&node); loop && !loop->getCond()) {
      return true;
    }
    if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(&node)) {
      if (llvm::isa<clang::CXXBoolLiteralExpr, clang::IntegerLiteral>(
              strip_wrappers(*loop->getCond()))) {
        return true;
      }
    }
    if (llvm::isa<clang::AsmStmt, clang::GotoStmt>(node)) return true;
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      const clang::FunctionDecl* callee = called_function(*call);
      // Any function may be behind a variable.
      if (callee == nullptr) return true;
      const bool is_caught =
          is_raise(called_name(*call->getCallee())) && ends_in_attempt(http_error(*callee));
      if (callee->isNoReturn() && !is_caught) return true;
      const clang::Stmt* body = pattern_of(*callee).getBody();
      if (body != nullptr && depth < kMaxNestedCalls && ends(*body, depth + 1)) return true;
    }
    return std::any_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
      return child != nullptr && may_end(*child, depth);
    });
  }

  /// The same of what each run reaches, as far as the statement shows.
  bool ends(const clang::Stmt& node, int depth = 0) {
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node)) {
      for (const clang::Stmt* each : block->body()) {
        if (each != nullptr && ends(*each, depth)) return true;
      }
      return false;
    }
    const auto* choice = llvm::dyn_cast<clang::IfStmt>(&node);
    if (choice == nullptr) return may_end(node, depth);
    if (choice->getElse() == nullptr) return false;
    return ends(*choice->getThen(), depth) && ends(*choice->getElse(), depth);
  }

 private:
  bool may_end(const clang::CXXTryStmt& attempt, int depth) {
    const auto* outer = std::exchange(attempt_, &attempt);
    const bool may_leave = may_end(*attempt.getTryBlock(), depth);
    attempt_ = outer;
    if (may_leave) return true;
    for (unsigned i = 0; i < attempt.getNumHandlers(); ++i) {
      if (may_end(*attempt.getHandler(i)->getHandlerBlock(), depth)) return true;
    }
    return false;
  }

  bool is_caught(const clang::Expr& raised) {
    return ends_in_attempt(raised.isTypeDependent() ? nullptr : record_of(raised.getType()));
  }
  /// Whether no exception of the class leaves the innermost statement around it.
  bool ends_in_attempt(const clang::CXXRecordDecl* type) {
    return type != nullptr && attempt_ != nullptr && caught_.ends(*attempt_, type);
  }
  static const clang::CXXRecordDecl* http_error(const clang::FunctionDecl& function) {
    return framework_class(function.getASTContext(), "HttpError");
  }

  CaughtErrors caught_;
  const clang::CXXTryStmt* attempt_ = nullptr;
};

}  // namespace

void check_handler_responds(FileContext& context, const RegistrationCall& call) {
  const auto functions = handler_functions(context, *call.arguments.back());
  if (functions.size() != 1) return;
  const clang::FunctionDecl& handler = *functions.front();
  if (!handler.getReturnType()->isVoidType() || handler.getDescribedFunctionTemplate() != nullptr) {
    return;
  }
  const bool takes_known =
      std::all_of(handler.param_begin(), handler.param_end(), [](const clang::ParmVarDecl* each) {
        const std::string kind = kind_of_parameter(each->getType());
        const bool is_const = each->getType().getNonReferenceType().isConstQualified();
        return !kind.empty() && (kind != "fw::Response" || is_const);
      });
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = body_of(handler, defined);
  if (!takes_known || body == nullptr || !is_read(context, handler, *body)) return;
  const bool has_errors =
      std::ranges::any_of(context.errors.errors(), [&](const ErrorCollector::Error& error) {
        return belongs_to(context, body->getSourceRange(), error);
      });
  if (has_errors || condition_in(context, body->getSourceRange()) != nullptr) return;
  if (Throwing(context).ends(*body)) return;
  const clang::FunctionTypeLoc function = handler.getFunctionTypeLoc();
  const clang::SourceRange parameters =
      function.isNull() ? clang::SourceRange() : function.getParensRange();
  const bool has_parameters = parameters.isValid() && parameters.getBegin().isFileID() &&
                              *context.at.sources().getCharacterData(parameters.getBegin()) == '(';
  report_handler(context, call, "the handler returns nothing and cannot send a response",
                 has_parameters ? context.at.used(parameters)
                                : context.at.token(call.arguments.back()->getBeginLoc()))
      .help =
      "return what is sent, or 'fw::NoContent' ('-> fw::NoContent { …; return {}; }'), or "
      "take 'fw::Response& res' and call 'res.json(…)'; declare a function that always "
      "throws '[[noreturn]]'";
}

}  // namespace fairway::frontend
