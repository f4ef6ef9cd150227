#include "frontend/handlers/error_arguments.hpp"

#include <clang/Sema/Initialization.h>
#include <clang/Sema/Sema.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string_view>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/handlers/caught_errors.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/handlers/passed_values.hpp"
#include "frontend/handlers/response_use.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_value.hpp"
#include "model/application.hpp"

namespace fairway::frontend {
namespace {

constexpr int kMinError = 400;
constexpr int kStatusOfOptions = 500;
constexpr int kStatusOfValidation = 422;
constexpr std::string_view kFromKey = "fw::HttpError::from_key";
constexpr int kMaxDelegations = 4;
/// Arguments of a constructor that may have two values.
constexpr int kMaxChoices = 3;

/// The argument of a call; null if the source does not have it.
const clang::Expr* argument(llvm::ArrayRef<const clang::Expr*> arguments, std::size_t index) {
  if (index >= arguments.size()) return nullptr;
  const clang::Expr& written = strip_wrappers(*arguments[index]);
  return llvm::isa<clang::CXXDefaultArgExpr, clang::CXXDefaultInitExpr>(written) ? nullptr
                                                                                 : arguments[index];
}

/// Braces around several values: parameters of the message, or details.
bool is_in_braces(const clang::Expr& expression) {
  return llvm::isa<clang::InitListExpr, clang::CXXStdInitializerListExpr>(
      strip_wrappers(*expression.IgnoreUnlessSpelledInSource()));
}

/// An integer that the compiler evaluates, such as `kBase + 7`.
std::optional<model::Value> constant_integer(const clang::ASTContext& ast,
                                             const clang::Expr& expression) {
  const clang::Expr& written = strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  clang::Expr::EvalResult result;
  if (!written.getType()->isIntegralOrEnumerationType() || written.isValueDependent() ||
      !written.EvaluateAsInt(result, ast) || !result.Val.getInt().isRepresentableByInt64()) {
    return std::nullopt;
  }
  model::Value value;
  value.kind = model::Value::Kind::integer;
  value.integer = result.Val.getInt().getExtValue();
  return value;
}

/// Whether the constructor takes the arguments, of which some have no known type.
bool may_accept(const FileContext& context, const clang::CXXConstructorDecl& constructor,
                llvm::ArrayRef<const clang::Expr*> arguments) {
  if (constructor.isDeleted() || arguments.size() < constructor.getMinRequiredArguments() ||
      arguments.size() > constructor.getNumParams()) {
    return false;
  }
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const clang::QualType type = constructor.getParamDecl(i)->getType();
    if (type->isDependentType() || arguments[i]->isTypeDependent()) continue;
    // Only clang::Sema chooses, and changes nothing.
    auto* given =
        const_cast<clang::Expr*>(arguments[i]);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    const auto parameter = clang::InitializedEntity::InitializeParameter(context.ast, type, false);
    const auto kind = clang::InitializationKind::CreateCopy(given->getBeginLoc(), {});
    if (clang::InitializationSequence(context.sema, parameter, kind, given).Failed()) return false;
  }
  return true;
}

/// The argument of which a parameter is initialised, with its value by default.
const clang::Expr* with_default(const clang::Expr* argument) {
  const clang::Expr* by_default = default_of(strip_wrappers(*argument));
  return by_default == nullptr ? argument : by_default;
}

/// Whether the expression names a parameter of the function.
bool names_parameter(const clang::Stmt& node, const clang::FunctionDecl& function) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&node);
  const auto* parameter =
      name == nullptr ? nullptr : llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl());
  if (parameter != nullptr && parameter->getDeclContext() == &function) return true;
  return std::ranges::any_of(node.children(), [&](const clang::Stmt* child) {
    return child != nullptr && names_parameter(*child, function);
  });
}

/// The value of an object that is no class; the expression itself if it is a value. Null for
/// others.
const clang::Expr* loaded(const FileContext& context, const clang::Expr& expression) {
  if (expression.isPRValue()) return &expression;
  if (const auto* made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(&expression)) {
    return made->getSubExpr();
  }
  const clang::QualType type = expression.getType();
  if (type->isDependentType() || !type->isScalarType()) return nullptr;
  // Clang takes no const operand, and does not change it.
  auto* operand =
      const_cast<clang::Expr*>(&expression);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return clang::ImplicitCastExpr::Create(context.ast, type.getUnqualifiedType(),
                                         clang::CK_LValueToRValue, operand, nullptr,
                                         clang::VK_PRValue, clang::FPOptionsOverride());
}

/// The argument as Clang evaluates the parameter with it; null if that needs a conversion.
const clang::Expr* argument_of(const FileContext& context, const clang::ParmVarDecl& parameter,
                               const clang::Expr& argument) {
  const clang::QualType type = parameter.getType();
  if (type->isDependentType() || argument.isTypeDependent() || argument.containsErrors() ||
      dependence_of(context, argument).condition != nullptr) {
    return nullptr;
  }
  // `literal_of` an enumerator.
  const auto* enumeration = type->getAs<clang::EnumType>();
  if (enumeration != nullptr && llvm::isa<clang::IntegerLiteral>(argument) &&
      context.ast.hasSameUnqualifiedType(enumeration->getDecl()->getIntegerType(),
                                         argument.getType())) {
    return &argument;
  }
  if (!context.ast.hasSameUnqualifiedType(type.getNonReferenceType(), argument.getType())) {
    return nullptr;
  }
  if (!type->isReferenceType()) return loaded(context, argument);
  return argument.isGLValue() ? &argument : nullptr;
}

/// An argument for the parameter that Clang cannot evaluate.
const clang::Expr* unknown_value(const FileContext& context, const clang::ParmVarDecl& parameter) {
  const clang::QualType type = parameter.getType();
  return new (context.ast)
      clang::OpaqueValueExpr(parameter.getLocation(), type.getNonReferenceType(),
                             type->isReferenceType() ? clang::VK_LValue : clang::VK_PRValue);
}

/// The choice that an expression is, or that a constant is initialised with; null for others.
const clang::ConditionalOperator* choice_of(const clang::Expr& expression) {
  const clang::Expr* written = &strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(written);
  const auto* variable =
      name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  const bool is_constant = variable != nullptr && variable->hasLocalStorage() &&
                           variable->getType().isConstQualified() && variable->hasInit();
  if (is_constant) written = &strip_wrappers(*variable->getInit()->IgnoreUnlessSpelledInSource());
  return llvm::dyn_cast<clang::ConditionalOperator>(written);
}

/// A literal with the value: of an integer, or of the whole string that a pointer or a
/// std::string_view has; null for others.
const clang::Expr* literal_of(const FileContext& context, const clang::APValue& value,
                              clang::QualType type, clang::SourceLocation location) {
  if (value.isInt()) {
    if (value.getInt().isNegative()) return nullptr;
    const auto* enumeration = type->getAs<clang::EnumType>();
    if (enumeration != nullptr) type = enumeration->getDecl()->getIntegerType();
    return clang::IntegerLiteral::Create(context.ast, value.getInt(), type.getUnqualifiedType(),
                                         location);
  }
  if (value.isLValue()) {
    const auto* base = value.getLValueBase().dyn_cast<const clang::Expr*>();
    const auto* literal = llvm::dyn_cast_or_null<clang::StringLiteral>(base);
    return literal != nullptr && value.getLValueOffset().isZero() ? literal : nullptr;
  }
  if (!value.isStruct() || !is_std_type(type, {"basic_string_view"}) ||
      value.getStructNumFields() != 2) {
    return nullptr;
  }
  const clang::StringLiteral* literal = nullptr;
  std::optional<std::uint64_t> size;
  for (unsigned i = 0; i < 2; ++i) {
    const clang::APValue& field = value.getStructField(i);
    if (field.isInt()) size = field.getInt().getZExtValue();
    if (!field.isLValue()) continue;
    literal =
        llvm::dyn_cast_or_null<clang::StringLiteral>(literal_of(context, field, {}, location));
  }
  return literal != nullptr && size == literal->getLength() ? literal : nullptr;
}

/// What Clang evaluates of an expression with the arguments of the function: `status_of(kind)`.
/// Null if it is not constant. Arguments with two possible values give a choice.
const clang::Expr* evaluated(const FileContext& context, const clang::Expr& expression,
                             const clang::FunctionDecl& function,
                             llvm::ArrayRef<const clang::Expr*> given, int choices = 0) {
  if (expression.isValueDependent() || expression.containsErrors() ||
      !names_parameter(expression, function) ||
      dependence_of(context, expression).condition != nullptr) {
    return nullptr;
  }
  llvm::SmallVector<const clang::Expr*, 4> arguments;
  bool has_values = false;
  for (const clang::ParmVarDecl* parameter : function.parameters()) {
    if (parameter->getType()->isDependentType()) return nullptr;
    const std::size_t index = arguments.size();
    const clang::Expr* written = index < given.size() ? given[index] : nullptr;
    const clang::Expr* value =
        written == nullptr ? nullptr : argument_of(context, *parameter, *with_default(written));
    has_values = has_values || value != nullptr;
    arguments.push_back(value == nullptr ? unknown_value(context, *parameter) : value);
  }
  if (!has_values) return nullptr;
  clang::APValue value;
  if (expression.EvaluateWithSubstitution(value, context.sema.Context, &function, arguments)) {
    return literal_of(context, value, expression.getType(), expression.getBeginLoc());
  }
  for (std::size_t i = 0; i < arguments.size() && choices < kMaxChoices; ++i) {
    const auto* choice = choice_of(*arguments[i]);
    if (choice == nullptr) continue;
    arguments[i] = choice->getTrueExpr();
    const auto* first = evaluated(context, expression, function, arguments, choices + 1);
    arguments[i] = choice->getFalseExpr();
    const auto* second = evaluated(context, expression, function, arguments, choices + 1);
    if (first == nullptr || second == nullptr) return nullptr;
    // Clang takes no const operands, and does not change them.
    auto* yes = const_cast<clang::Expr*>(first);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    auto* no = const_cast<clang::Expr*>(second);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    return new (context.ast) clang::ConditionalOperator(
        choice->getCond(), choice->getQuestionLoc(), yes, choice->getColonLoc(), no,
        first->getType(), first->getValueKind(), clang::OK_Ordinary);
  }
  return nullptr;
}

/// What the parameter gets that an expression names, perhaps converted, or the value that it has
/// with the arguments; the expression itself if neither is known.
const clang::Expr* substituted(const FileContext& context, const clang::Expr& expression,
                               const clang::FunctionDecl& function,
                               llvm::ArrayRef<const clang::Expr*> given) {
  const clang::Expr& e = strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  if (const clang::Expr* same = passed_through(e))
    return substituted(context, *same, function, given);
  const clang::Expr* value = nullptr;
  if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&e)) {
    value = cast->getSubExpr();
  } else if (const clang::Expr* text = viewed_text(e)) {
    value = text;
  } else if (const auto* conversion = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
    const llvm::ArrayRef<const clang::Expr*> written(conversion->getArgs(),
                                                     conversion->getNumArgs());
    // `std::string(code)` has an allocator by default.
    const bool is_conversion =
        !written.empty() && llvm::all_of(written.drop_front(), [](const clang::Expr* each) {
          return llvm::isa<clang::CXXDefaultArgExpr>(each);
        });
    if (is_conversion) value = written[0];
  }
  if (value != nullptr) {
    const clang::Expr* found = substituted(context, *value, function, given);
    return found == value ? &expression : found;
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  const auto* parameter =
      name == nullptr ? nullptr : llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl());
  if (parameter == nullptr || parameter->getDeclContext() != &function) {
    // An object is converted from the value.
    const bool is_object = expression.isGLValue() || record_of(expression.getType()) != nullptr;
    const auto* computed = loaded(context, is_object ? e : expression);
    const auto* found =
        computed == nullptr ? nullptr : evaluated(context, *computed, function, given);
    return found == nullptr ? &expression : found;
  }
  const unsigned index = parameter->getFunctionScopeIndex();
  return index < given.size() && given[index] != nullptr ? with_default(given[index]) : &expression;
}

}  // namespace

llvm::SmallVector<const clang::Expr*, 4> arguments_of(
    const clang::CXXUnresolvedConstructExpr& construct) {
  if (construct.isListInitialization() && construct.getNumArgs() == 1) {
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(construct.getArg(0))) {
      const llvm::ArrayRef<const clang::Expr*> inits(list->getInits(), list->getNumInits());
      return {inits.begin(), inits.end()};
    }
  }
  return {construct.arg_begin(), construct.arg_end()};
}

std::optional<llvm::SmallVector<const clang::Expr*, 4>> unresolved_arguments(
    const clang::Expr& initialiser) {
  llvm::SmallVector<const clang::Expr*, 4> found;
  if (const auto* list = llvm::dyn_cast<clang::ParenListExpr>(&initialiser)) {
    for (unsigned i = 0; i < list->getNumExprs(); ++i) found.push_back(list->getExpr(i));
    return found;
  }
  const auto* braces = llvm::dyn_cast<clang::InitListExpr>(&initialiser);
  if (braces == nullptr || record_of(braces->getType()) != nullptr) return std::nullopt;
  for (unsigned i = 0; i < braces->getNumInits(); ++i) found.push_back(braces->getInit(i));
  return found;
}

const clang::CXXConstructorDecl* chosen_constructor(const FileContext& context,
                                                    clang::QualType type,
                                                    llvm::ArrayRef<const clang::Expr*> arguments) {
  llvm::SmallVector<clang::Expr*, 4> given;
  for (const clang::Expr* each : arguments) {
    // Only clang::Sema chooses, and changes nothing.
    given.push_back(
        const_cast<clang::Expr*>(each));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  const clang::SourceLocation at = record_of(type)->getLocation();
  const auto object = clang::InitializedEntity::InitializeTemporary(type);
  const auto kind = clang::InitializationKind::CreateDirect(at, at, at);
  const clang::InitializationSequence sequence(context.sema, object, kind, given);
  if (sequence.Failed()) return nullptr;
  for (const auto& step : sequence.steps()) {
    if (step.Kind != clang::InitializationSequence::SK_ConstructorInitialization) continue;
    return llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(step.Function.Function);
  }
  return nullptr;
}

llvm::SmallVector<const clang::CXXConstructorDecl*, 2> possible_constructors(
    const FileContext& context, const clang::CXXRecordDecl& type,
    llvm::ArrayRef<const clang::Expr*> arguments) {
  const clang::CXXRecordDecl& definition = *type.getDefinition();
  const auto name = context.ast.DeclarationNames.getCXXConstructorName(
      context.ast.getCanonicalType(context.ast.getRecordType(&definition)));
  llvm::SmallVector<const clang::CXXConstructorDecl*, 2> found;
  for (const clang::NamedDecl* each : definition.lookup(name)) {
    const auto* constructor = llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(
        each->getUnderlyingDecl()->getAsFunction());
    const bool is_other = constructor == nullptr || !constructor->isUserProvided() ||
                          constructor->isCopyOrMoveConstructor();
    if (!is_other && may_accept(context, *constructor, arguments)) found.push_back(constructor);
  }
  return found;
}

void ErrorArguments::construct(const clang::CXXConstructorDecl& constructor, Arguments written) {
  // It may compute the status from the parameters of a function that is read.
  llvm::SmallVector<const clang::Expr*, 4> given;
  for (const clang::Expr* each : written) {
    given.push_back(is_raise_options(each->getType()) ? each : &bound(*each));
  }
  if (is_http_error(constructor)) {
    http_error(given);
  } else if (is_in_namespace(constructor, "fw")) {
    validation_error(given);
  } else {
    parameters(given, constructor);
    delegate(constructor, given);
  }
}

/// A constructor that gives its parameters to the one of fw::HttpError, perhaps by others:
///
///   ApiError(int status, std::string message, std::string code)
///       : fw::HttpError(status, std::move(message), std::move(code)) {}
void ErrorArguments::delegate(const clang::CXXConstructorDecl& constructor, Arguments given,
                              int depth) {
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = instantiated(context_, constructor).getBody(defined);
  if (body == nullptr || depth == kMaxDelegations || !is_read(context_, constructor, *body)) return;
  const auto& written = *llvm::cast<clang::CXXConstructorDecl>(defined);
  for (const clang::CXXCtorInitializer* initialiser : written.inits()) {
    const clang::Expr* value =
        initialiser->isAnyMemberInitializer() ? nullptr : initialiser->getInit();
    const auto* base = value == nullptr
                           ? nullptr
                           : llvm::dyn_cast<clang::CXXConstructExpr>(&strip_wrappers(*value));
    if (base == nullptr || !is_object_of_error(*base)) continue;
    llvm::SmallVector<const clang::Expr*, 4> arguments;
    bool is_changed = false;
    for (const clang::Expr* each : base->arguments()) {
      arguments.push_back(substituted(context_, *each, written, given));
      is_changed = is_changed || arguments.back() != each;
    }
    const clang::CXXConstructorDecl& next = written_constructor(*base);
    for (unsigned i = 0; i < base->getNumArgs(); ++i) {
      if (!is_raise_options(base->getArg(i)->getType())) continue;
      const auto options = is_http_error(next)
                               ? raise_options(context_, *base->getArg(i))
                               : raised_options(context_, next, i, *base->getArg(i));
      for (const RaiseMembers& members : options) delegate(members, written, given);
    }
    if (!is_http_error(next)) {
      if (!is_in_namespace(next, "fw")) delegate(next, arguments, depth + 1);
    } else if (arguments.size() > 1 && is_changed) {
      http_error(arguments);
    }
  }
}

/// A constructor that builds options from its parameters:
///
///   ApiError(int status, std::string code) : fw::HttpError({.status = status, .code = code}) {}
void ErrorArguments::delegate(RaiseMembers members, const clang::CXXConstructorDecl& constructor,
                              Arguments given) {
  const RaiseMembers written = members;
  for (RaiseMember* each : {&members.status, &members.message, &members.code}) {
    if (each->value != nullptr)
      each->value = substituted(context_, *each->value, constructor, given);
  }
  if (members != written) add_options(members);
}

/// `throw fw::HttpError(404, …)`, or a class that is derived from it in this file.
void ErrorArguments::http_error(Arguments arguments) {
  if (arguments.empty()) return;
  if (arguments.size() == 1) return options(*arguments[0]);
  add(statuses_of(*arguments[0]), argument(arguments, 1), {argument(arguments, 2)});
}

/// `throw fw::ValidationError({{"name", "name is taken"}})`.
void ErrorArguments::validation_error(Arguments arguments) {
  const clang::Expr* status = argument(arguments, 1);
  model::SentResponse error;
  error.function = "raise";
  error.type.name = model::kValidationError;
  error.type.has_own_code = true;
  for (const int each :
       status == nullptr ? std::vector{kStatusOfValidation} : statuses_of(*status)) {
    error.statuses = {each};
    if (each >= kMinError) found_.push_back(error);
  }
}

/// Reads the arguments of `raise` and `fw::HttpError::from_key`. Returns false for any other
/// function.
bool ErrorArguments::raises(const std::string& function, Arguments arguments) {
  if (!is_raise(function) && function != kFromKey) return false;
  if (arguments.empty()) return true;
  const clang::Expr& first = *arguments[0];
  if (first.getType()->isIntegerType()) {
    // The last code is used.
    add(statuses_of(first), argument(arguments, 1),
        {argument(arguments, 3), argument(arguments, 2)});
  } else if (is_raise_options(first.getType()) || is_in_braces(first) ||
             llvm::isa<clang::CXXUnresolvedConstructExpr>(strip_wrappers(first))) {
    options(first);
  } else if (!first.isTypeDependent()) {
    add_key(first);
  }
  return true;
}

/// `fw::RaiseOptions`.
void ErrorArguments::options(const clang::Expr& expression) {
  for (const RaiseMembers& members : raise_options(context_, expression)) add_options(members);
}

/// Options that the function raises.
void ErrorArguments::parameters(Arguments given, const clang::FunctionDecl& function) {
  for (unsigned i = 0; i < function.getNumParams() && i < given.size(); ++i) {
    if (!is_raise_options(function.getParamDecl(i)->getType())) continue;
    for (const RaiseMembers& members : raised_options(context_, function, i, *given[i])) {
      add_options(members);
    }
  }
}

void ErrorArguments::add_options(const RaiseMembers& members) {
  if (members.status.is_unknown) return;
  const std::vector<int> statuses = members.status.value == nullptr
                                        ? std::vector{kStatusOfOptions}
                                        : statuses_of(*members.status.value);
  if (members.code.is_unknown) return add(statuses, nullptr, {});
  add(statuses, members.message.value, {members.code.value});
}

void ErrorArguments::enter(const clang::FunctionDecl& function, Arguments given) {
  llvm::SmallVector<const clang::Expr*, 4> known;
  for (const clang::Expr* each : given) known.push_back(each == nullptr ? nullptr : &bound(*each));
  bound_.push_back({&function, std::move(known)});
}

std::vector<std::string> ErrorArguments::constants(Arguments given) const {
  std::vector<std::string> found;
  for (const clang::Expr* each : given) {
    found.push_back(each == nullptr ? "" : description(*each));
  }
  if (std::ranges::all_of(found, &std::string::empty)) found.clear();
  return found;
}

std::vector<std::string> ErrorArguments::constants_around(
    const clang::FunctionDecl& function) const {
  std::vector<std::string> found;
  for (const auto* scope = function.getParent(); scope != nullptr; scope = scope->getParent()) {
    const auto outer = std::ranges::find(bound_ | std::views::reverse, scope,
                                         [](const auto& each) { return each.first; });
    if (outer == bound_.rend()) continue;
    const auto known = constants(outer->second);
    found.insert(found.end(), known.begin(), known.end());
  }
  return found;
}

std::size_t ErrorArguments::depth_of(const clang::FunctionDecl& function) const {
  return static_cast<std::size_t>(
      std::ranges::count(bound_, &function, [](const auto& each) { return each.first; }));
}

/// What the parameters that an expression names get where their functions are called.
const clang::Expr& ErrorArguments::bound(const clang::Expr& expression) const {
  const clang::Expr* found = &expression;
  llvm::SmallPtrSet<const clang::FunctionDecl*, 8> seen;
  for (const auto& [function, given] : bound_ | std::views::reverse) {
    // A function that calls itself has the parameters of its last call.
    if (seen.insert(function).second) found = substituted(context_, *found, *function, given);
  }
  return *found;
}

std::vector<int> ErrorArguments::statuses_of(const clang::Expr& written) const {
  const clang::Expr& expression = bound(written);
  if (dependence_of(context_, expression).condition != nullptr) return {};
  return constant_statuses(context_.ast, expression);
}

/// The value as text, or both values of a choice; "" if it is not known.
std::string ErrorArguments::description(const clang::Expr& written, int depth) const {
  const clang::Expr& expression = bound(written);
  const auto value = value_of(expression);
  if (value && value->kind == model::Value::Kind::string) return model::Json(value->text).dump();
  if (value && value->kind == model::Value::Kind::integer) return std::to_string(value->integer);
  const bool may_be_known = !expression.isValueDependent() && !expression.containsErrors() &&
                            dependence_of(context_, expression).condition == nullptr;
  clang::Expr::EvalResult result;
  if (may_be_known && expression.EvaluateAsRValue(result, context_.ast) && !result.HasSideEffects) {
    return result.Val.getAsString(context_.ast, expression.getType().getNonReferenceType());
  }
  const auto* choice = depth < kMaxChoices ? choice_of(expression) : nullptr;
  if (choice == nullptr) return "";
  const std::string first = description(*choice->getTrueExpr(), depth + 1);
  const std::string second = description(*choice->getFalseExpr(), depth + 1);
  return first.empty() || second.empty() ? "" : '(' + first + '|' + second + ')';
}

std::optional<model::Value> ErrorArguments::value_of(const clang::Expr& written) const {
  const clang::Expr& expression = bound(written);
  if (expression.isTypeDependent() || expression.containsErrors()) return std::nullopt;
  if (dependence_of(context_, expression).condition != nullptr) return std::nullopt;
  auto value = evaluate(context_, expression, Purpose::options).value;
  if (!value && is_text(expression.getType())) {
    value = evaluate(context_, text_source(expression), Purpose::options).value;
  }
  return value ? value : constant_integer(context_.ast, expression);
}

std::string ErrorArguments::text_of(const clang::Expr* expression) const {
  const auto text = expression == nullptr ? std::nullopt : value_of(*expression);
  return text && text->kind == model::Value::Kind::string ? text->text : "";
}

/// A key of the locale files, which decide the status.
void ErrorArguments::add_key(const clang::Expr& key) {
  model::SentResponse error;
  error.function = "raise";
  error.message = text_of(&key);
  if (!error.message.empty()) found_.push_back(error);
}

/// `codes` are the arguments that may be a code, the decisive one first.
void ErrorArguments::add(const std::vector<int>& statuses, const clang::Expr* message,
                         std::initializer_list<const clang::Expr*> codes) {
  model::SentResponse error;
  error.function = "raise";
  bool is_known = true;
  for (const clang::Expr* code : codes) {
    if (code == nullptr || is_in_braces(*code)) continue;
    const auto value = value_of(*code);
    // A code with a fraction is none that clients can compare.
    is_known = value.has_value() && value->kind != model::Value::Kind::number;
    if (!is_known) break;
    if (value->kind == model::Value::Kind::string) error.code = model::Json(value->text).dump();
    if (value->kind == model::Value::Kind::integer) error.code = std::to_string(value->integer);
    if (!error.code.empty()) break;
  }
  if (is_known) error.message = text_of(message);
  for (const int each : statuses) {
    error.statuses = {each};
    // With the status of a success, std::invalid_argument is thrown instead.
    found_.push_back(each < kMinError ? model::SentResponse{.function = "raise", .statuses = {500}}
                                      : error);
  }
}

}  // namespace fairway::frontend
