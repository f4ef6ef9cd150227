#include "frontend/static_value.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/TargetInfo.h>
#include <fmt/format.h>

#include <set>

namespace fairway::frontend {
namespace {

using model::Value;

constexpr std::size_t kMaxTrackedBytes = 4096;

std::string qualified_name(const clang::NamedDecl& declaration) {
  return declaration.getQualifiedNameAsString();
}

const clang::CXXRecordDecl* record_of(clang::QualType type) {
  return type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
}

bool is_in_namespace(const clang::Decl* declaration, llvm::StringRef name) {
  for (const auto* scope = declaration->getDeclContext(); scope != nullptr;
       scope = scope->getParent()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(scope);
    if (space != nullptr && space->getName() == name && !space->getParent()->isNamespace()) {
      return true;
    }
  }
  return false;
}

bool is_framework_type(clang::QualType type) {
  const auto* record = record_of(type);
  return record != nullptr && is_in_namespace(record, "fw");
}

bool is_json_type(clang::QualType type) {
  const auto* record = record_of(type);
  return record != nullptr && is_in_namespace(record, "nlohmann");
}

bool is_std_type(clang::QualType type, std::initializer_list<llvm::StringRef> names) {
  const auto* record = record_of(type);
  if (record == nullptr || !record->isInStdNamespace()) return false;
  return std::find(names.begin(), names.end(), record->getName()) != names.end();
}

/// Milliseconds that one tick of a chrono duration lasts, as a fraction.
struct Ratio {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
};

std::optional<Ratio> duration_ratio(clang::QualType type) {
  if (type.isNull()) return std::nullopt;
  const auto* record =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record_of(type));
  if (record == nullptr || record->getName() != "duration" || !is_in_namespace(record, "std")) {
    return std::nullopt;
  }
  const auto& arguments = record->getTemplateArgs();
  if (arguments.size() != 2) return std::nullopt;
  const auto* ratio = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      arguments[1].getAsType()->getAsCXXRecordDecl());
  if (ratio == nullptr || ratio->getTemplateArgs().size() != 2) return std::nullopt;
  return Ratio{ratio->getTemplateArgs()[0].getAsIntegral().getExtValue(),
               ratio->getTemplateArgs()[1].getAsIntegral().getExtValue()};
}

/// Arguments that were written: default arguments stand at the end.
llvm::SmallVector<const clang::Expr*> written_arguments(const clang::CXXConstructExpr& construct) {
  llvm::SmallVector<const clang::Expr*> arguments;
  for (const clang::Expr* argument : construct.arguments()) {
    if (!llvm::isa<clang::CXXDefaultArgExpr>(argument)) arguments.push_back(argument);
  }
  return arguments;
}

class Resolver {
 public:
  Resolver(Unit& unit, Purpose purpose, std::string_view method, std::string_view route)
      : unit_(unit), purpose_(purpose), method_(method), route_(route) {}

  std::optional<Value> resolve(const clang::Expr& expression) {
    const clang::Expr* written = &expression;
    const clang::Expr* inner = without_wrappers(written);
    if (inner->containsErrors() && llvm::isa<clang::RecoveryExpr>(inner)) return std::nullopt;
    std::optional<Value> value = dispatch(*inner);
    if (value && value->range.line == 0) value->range = unit_.at.of(*written);
    return value;
  }

 private:
  /// Looks through what adds no meaning: parentheses, casts, temporaries.
  static const clang::Expr* without_wrappers(const clang::Expr*& written) {
    const clang::Expr* e = written;
    while (true) {
      if (const auto* full = llvm::dyn_cast<clang::FullExpr>(e)) {
        e = full->getSubExpr();
      } else if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e)) {
        e = temporary->getSubExpr();
      } else if (const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(e)) {
        e = bound->getSubExpr();
      } else if (const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(e)) {
        e = list->getSubExpr();
      } else if (const auto* parenthesised = llvm::dyn_cast<clang::ParenExpr>(e)) {
        e = parenthesised->getSubExpr();
      } else if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(e);
                 cast != nullptr && !duration_ratio(cast->getType())) {
        e = cast->getSubExpr();
      } else {
        return e;
      }
    }
  }

  std::optional<Value> dispatch(const clang::Expr& e) {
    if (const auto* literal = llvm::dyn_cast<clang::StringLiteral>(&e)) return string(*literal);
    if (const auto* literal = llvm::dyn_cast<clang::IntegerLiteral>(&e)) {
      return integer(literal->getValue().getZExtValue());
    }
    if (const auto* literal = llvm::dyn_cast<clang::CharacterLiteral>(&e)) {
      return integer(literal->getValue());
    }
    if (const auto* literal = llvm::dyn_cast<clang::FloatingLiteral>(&e)) {
      return number(literal->getValueAsApproximateDouble());
    }
    if (const auto* literal = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(&e)) {
      Value value;
      value.kind = Value::Kind::boolean;
      value.boolean = literal->getValue();
      return value;
    }
    if (llvm::isa<clang::CXXNullPtrLiteralExpr>(e)) return Value{};
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&e)) return signed_literal(*unary);
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
      return constant(e, *reference->getDecl());
    }
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) {
      return constant(e, *member->getMemberDecl());
    }
    if (const auto* literal = llvm::dyn_cast<clang::UserDefinedLiteral>(&e)) {
      return user_defined_literal(*literal);
    }
    if (duration_ratio(e.getType())) return duration(e);
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&e)) return braces(*list);
    if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
      return construction(*construct);
    }
    if (llvm::isa<clang::LambdaExpr>(e)) return function();
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) return this->call(*call);
    if (const auto* value_init = llvm::dyn_cast<clang::CXXScalarValueInitExpr>(&e)) {
      static_cast<void>(value_init);
      return Value{};
    }
    return refuse(e, describe(e));
  }

  // Leaves.

  std::optional<Value> string(const clang::StringLiteral& literal) {
    if (literal.getCharByteWidth() != 1) return refuse(literal, "a string of wide characters");
    Value value;
    value.kind = Value::Kind::string;
    value.text = literal.getString().str();
    if (value.text.size() <= kMaxTrackedBytes) {
      const auto& target = unit_.context.getTargetInfo();
      for (unsigned index = 0; index < value.text.size(); ++index) {
        value.bytes.push_back(unit_.at.byte(
            literal.getLocationOfByte(index, unit_.at.sources(), unit_.at.language(), target)));
      }
    }
    return value;
  }

  static Value integer(std::uint64_t magnitude) {
    Value value;
    value.kind = Value::Kind::integer;
    value.integer = static_cast<std::int64_t>(magnitude);
    return value;
  }

  static Value number(double magnitude) {
    Value value;
    value.kind = Value::Kind::number;
    value.number = magnitude;
    return value;
  }

  static Value function() {
    Value value;
    value.kind = Value::Kind::function;
    return value;
  }

  std::optional<Value> signed_literal(const clang::UnaryOperator& unary) {
    const clang::Expr* operand = unary.getSubExpr()->IgnoreParenImpCasts();
    const bool literal =
        llvm::isa<clang::IntegerLiteral>(operand) || llvm::isa<clang::FloatingLiteral>(operand);
    if (unary.getOpcode() == clang::UO_AddrOf) {
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(operand);
      if (reference != nullptr && llvm::isa<clang::FunctionDecl>(reference->getDecl())) {
        return function();
      }
    }
    if (!literal || (unary.getOpcode() != clang::UO_Minus && unary.getOpcode() != clang::UO_Plus)) {
      return refuse(unary, describe(unary));
    }
    auto value = resolve(*operand);
    if (value && unary.getOpcode() == clang::UO_Minus) {
      value->integer = -value->integer;
      value->number = -value->number;
    }
    if (value) value->range = unit_.at.of(unary);
    return value;
  }

  // Names.

  std::optional<Value> constant(const clang::Expr& use, const clang::ValueDecl& declaration) {
    if (const auto* enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(&declaration)) {
      return integer(static_cast<std::uint64_t>(enumerator->getInitVal().getExtValue()));
    }
    if (llvm::isa<clang::FunctionDecl>(declaration)) return function();
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    const std::string name = declaration.getNameAsString();
    if (variable == nullptr) return refuse(use, fmt::format("'{}' is a member of an object", name));
    const clang::QualType type = variable->getType();
    if (const auto* record = record_of(type); record != nullptr && record->isLambda()) {
      return function();
    }
    if (!type.isConstQualified() && !variable->isConstexpr()) {
      return refuse(use, fmt::format("'{}' is not 'const'", name), variable);
    }
    const bool foreign = !unit_.at.in_main_file(variable->getLocation());
    if (foreign && is_builder(type)) {
      return misuse(use, fmt::format("the field builder '{}' is not defined in this file", name),
                    variable);
    }
    if (foreign && is_options(type)) {
      return refuse(use, fmt::format("the options '{}' are not defined in this file", name),
                    variable);
    }
    const clang::VarDecl* definition = variable;
    const clang::Expr* initialiser = variable->getAnyInitializer(definition);
    if (initialiser == nullptr) {
      return refuse(use, fmt::format("'{}' has no initialiser that is visible here", name),
                    variable);
    }
    if (!visiting_.insert(definition).second) {
      return refuse(use, fmt::format("'{}' is defined by itself", name), variable);
    }
    const std::size_t before = unit_.file.diagnostics.size();
    auto value = resolve(*initialiser);
    visiting_.erase(definition);
    if (!value && unit_.file.diagnostics.size() > before) {
      auto& diagnostic = unit_.file.diagnostics.back();
      diagnostic.notes.push_back(
          {fmt::format("in the initialiser of '{}', used here", name), unit_.at.of(use)});
    }
    return value;
  }

  // Structures.

  std::optional<Value> braces(const clang::InitListExpr& list) {
    if (!list.isSemanticForm() && list.getSemanticForm() != nullptr) {
      return braces(*list.getSemanticForm());
    }
    const clang::QualType type = list.getType();
    if (const auto* record = record_of(type); record != nullptr && !type->isArrayType()) {
      if (!is_in_namespace(record, "fw")) {
        return refuse(list, fmt::format("a value of the type '{}'", record->getNameAsString()));
      }
      return aggregate(list, *record);
    }
    if (!type->isArrayType() && list.getNumInits() == 1) return resolve(*list.getInit(0));
    Value value;
    value.kind = Value::Kind::list;
    value.range = unit_.at.of(list);
    return append(std::move(value), list.inits());
  }

  std::optional<Value> aggregate(const clang::InitListExpr& list,
                                 const clang::CXXRecordDecl& record) {
    Value value;
    value.kind = Value::Kind::record;
    value.text = record.getNameAsString();
    value.range = unit_.at.of(list);
    unsigned index = 0;
    bool complete = true;
    for (const clang::FieldDecl* field : record.fields()) {
      if (index >= list.getNumInits()) break;
      const clang::Expr* initialiser = list.getInit(index++);
      if (llvm::isa<clang::CXXDefaultInitExpr>(initialiser) ||
          llvm::isa<clang::ImplicitValueInitExpr>(initialiser)) {
        continue;
      }
      auto member = resolve(*initialiser);
      if (!member) {
        complete = false;
        continue;
      }
      model::Range name_range = designator_range(list, *field);
      if (name_range.line == 0) name_range = member->range;
      value.members.push_back({field->getNameAsString(), std::move(*member), name_range});
    }
    if (!complete) return std::nullopt;
    return value;
  }

  model::Range designator_range(const clang::InitListExpr& list, const clang::FieldDecl& field) {
    const auto* syntactic = list.isSyntacticForm() ? &list : list.getSyntacticForm();
    if (syntactic == nullptr) return {};
    for (const clang::Expr* init : syntactic->inits()) {
      const auto* designated = llvm::dyn_cast<clang::DesignatedInitExpr>(init);
      if (designated == nullptr || designated->size() == 0) continue;
      const auto* designator = designated->getDesignator(0);
      if (designator->isFieldDesignator() && designator->getFieldName() == field.getIdentifier()) {
        return unit_.at.token(designator->getFieldLoc());
      }
    }
    return {};
  }

  template <class Expressions>
  std::optional<Value> append(Value list, const Expressions& expressions) {
    bool complete = true;
    for (const clang::Expr* expression : expressions) {
      if (auto item = resolve(*expression)) {
        list.items.push_back(std::move(*item));
      } else {
        complete = false;  // all faults of one list are reported
      }
    }
    if (!complete) return std::nullopt;
    return list;
  }

  std::optional<Value> construction(const clang::CXXConstructExpr& construct) {
    const clang::QualType type = construct.getType();
    if (const auto* record = record_of(type); record != nullptr && record->isLambda()) {
      return function();
    }
    if (is_std_type(type, {"function"})) return function();
    const auto arguments = written_arguments(construct);
    if (arguments.size() == 1) return resolve(*arguments[0]);
    const bool known =
        is_framework_type(type) || is_json_type(type) ||
        (arguments.empty() && record_of(type) != nullptr && record_of(type)->isInStdNamespace());
    if (!known) return refuse(construct, "a constructor with several arguments");
    Value value;
    value.kind = Value::Kind::list;
    const clang::SourceRange braces = construct.getParenOrBraceRange();
    value.range = unit_.at.of(braces.isValid() ? braces : construct.getSourceRange());
    return append(std::move(value), arguments);
  }

  // Durations.

  std::optional<Value> in_milliseconds(std::int64_t count, const Ratio& ratio) {
    Value value;
    value.kind = Value::Kind::integer;
    value.integer = count * ratio.numerator * 1000 / ratio.denominator;
    return value;
  }

  std::optional<Value> user_defined_literal(const clang::UserDefinedLiteral& literal) {
    const auto ratio = duration_ratio(literal.getType());
    clang::Expr::EvalResult result;
    if (ratio && literal.EvaluateAsRValue(result, unit_.context) && result.Val.isStruct() &&
        result.Val.getStructNumFields() == 1) {
      const clang::APValue& field = result.Val.getStructField(0);
      if (field.isInt()) return in_milliseconds(field.getInt().getExtValue(), *ratio);
    }
    if (const auto* text = literal.getNumArgs() > 0 ? llvm::dyn_cast<clang::StringLiteral>(
                                                          literal.getArg(0)->IgnoreParenImpCasts())
                                                    : nullptr;
        text != nullptr && is_std_type(literal.getType(), {"basic_string", "basic_string_view"})) {
      return string(*text);
    }
    return refuse(literal, "a user-defined literal");
  }

  std::optional<Value> duration(const clang::Expr& e) {
    const auto ratio = *duration_ratio(e.getType());
    const clang::Expr* inner = &e;
    if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(inner))
      inner = cast->getSubExpr();
    while (const auto* wrapper = llvm::dyn_cast<clang::ImplicitCastExpr>(inner)) {
      inner = wrapper->getSubExpr();
    }
    inner = inner->IgnoreParenImpCasts();
    if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(inner)) {
      inner = temporary->getSubExpr();
    }
    if (inner != &e && inner->getType().getCanonicalType().getUnqualifiedType() ==
                           e.getType().getCanonicalType().getUnqualifiedType()) {
      return resolve(*inner);
    }
    const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(inner);
    if (construct == nullptr) return refuse(e, describe(e));
    const auto arguments = written_arguments(*construct);
    if (arguments.size() != 1) return refuse(e, "a duration without a count");
    auto value = resolve(*arguments[0]);
    if (!value || duration_ratio(arguments[0]->getType())) return value;
    if (value->kind != Value::Kind::integer) return refuse(e, "a duration without a whole count");
    auto converted = in_milliseconds(value->integer, ratio);
    converted->range = unit_.at.of(e);
    return converted;
  }

  // Calls.

  std::optional<Value> call(const clang::CallExpr& call) {
    if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call)) {
      return member_call(*member);
    }
    const clang::FunctionDecl* callee = call.getDirectCallee();
    if (callee == nullptr) return refuse(call, "a call");
    const std::string name = qualified_name(*callee);
    if (llvm::isa<clang::CXXOperatorCallExpr>(call)) return refuse(call, describe(call));
    if (name == "fw::array_of") return builder(call, "array_of");
    if (name == "fw::json_schema") return builder(call, "json_schema");
    if (name == "fw::schema_adapter::compile_field") return builder(call, "compile_field");
    if (is_json_type(call.getType()) && is_in_namespace(callee, "nlohmann")) {
      return builder(call, "Json::" + callee->getNameAsString());
    }
    if (is_framework_type(call.getType())) return helper(call, *callee);
    return refuse(call, fmt::format("a call of '{}'", callee->getNameAsString()));
  }

  std::optional<Value> builder(const clang::CallExpr& call, std::string name) {
    const bool field = name == "compile_field";
    Value value;
    value.kind = Value::Kind::call;
    value.text = std::move(name);
    value.range = unit_.at.of(call);
    for (const clang::Expr* argument : call.arguments()) {
      if (llvm::isa<clang::CXXDefaultArgExpr>(argument)) continue;
      const std::size_t before = unit_.file.diagnostics.size();
      auto item = resolve(*argument);
      if (!item) {
        if (field && unit_.file.diagnostics.size() > before) {
          unit_.file.diagnostics.back().id = "schema-builder-misuse";
        }
        return std::nullopt;
      }
      value.items.push_back(std::move(*item));
    }
    return value;
  }

  std::optional<Value> member_call(const clang::CXXMemberCallExpr& call) {
    const clang::CXXMethodDecl* method = call.getMethodDecl();
    const std::string name = method == nullptr ? "" : qualified_name(*method);
    if (name != "fw::schema_adapter::FieldBuilder::description") {
      if (method != nullptr && is_framework_type(call.getType())) return helper(call, *method);
      return refuse(
          call, fmt::format("a call of '{}'", method == nullptr ? "" : method->getNameAsString()));
    }
    auto value = resolve(*call.getImplicitObjectArgument());
    if (!value) return std::nullopt;
    if (value->kind != Value::Kind::call || !value->members.empty()) {
      return misuse(call, "a second '.description(…)'", nullptr);
    }
    const std::size_t before = unit_.file.diagnostics.size();
    auto text = resolve(*call.getArg(0));
    if (!text) {
      if (unit_.file.diagnostics.size() > before) {
        unit_.file.diagnostics.back().id = "schema-builder-misuse";
      }
      return std::nullopt;
    }
    value->members.push_back({"description", std::move(*text), unit_.at.token(call.getExprLoc())});
    value->range = unit_.at.of(call);
    return value;
  }

  // Refusals.

  std::optional<Value> helper(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
    auto& diagnostic =
        report("options-from-helper", call,
               fmt::format("options come from a call of '{}'", callee.getNameAsString()));
    diagnostic.help =
        "write the options in place, or store them in a 'const' variable of this file";
    if (unit_.at.in_main_file(callee.getLocation())) {
      diagnostic.notes.push_back({fmt::format("'{}' is defined here", callee.getNameAsString()),
                                  unit_.at.token(callee.getLocation())});
    }
    return std::nullopt;
  }

  std::optional<Value> misuse(const clang::Expr& e, const std::string& what,
                              const clang::VarDecl* variable) {
    auto& diagnostic = report("schema-builder-misuse", e, what + " cannot be resolved");
    diagnostic.help =
        "write 'fw::schema_adapter::compile_field(\"…\")' with at most one "
        "'.description(\"…\")' in this file";
    if (variable != nullptr) note_definition(diagnostic, *variable);
    return std::nullopt;
  }

  std::optional<Value> refuse(const clang::Expr& e, const std::string& why,
                              const clang::VarDecl* variable = nullptr) {
    if (e.containsErrors()) return std::nullopt;
    const bool path = purpose_ == Purpose::path;
    auto& diagnostic =
        report(path ? "route-path-not-static" : "options-not-static", e,
               fmt::format("{} not static: {}", path ? "route path is" : "route options are", why));
    diagnostic.help = path ? "write a string literal, or a 'constexpr' variable with one"
                           : "write a literal, or a 'const' variable with a static initialiser";
    if (variable != nullptr) note_definition(diagnostic, *variable);
    return std::nullopt;
  }

  void note_definition(model::Diagnostic& diagnostic, const clang::VarDecl& variable) {
    diagnostic.notes.push_back({fmt::format("'{}' is defined here", variable.getNameAsString()),
                                unit_.at.token(variable.getLocation())});
  }

  model::Diagnostic& report(std::string id, const clang::Expr& e, std::string message) {
    auto& diagnostic = unit_.report(std::move(id), std::move(message), unit_.at.of(e));
    diagnostic.method = method_;
    diagnostic.route = route_;
    return diagnostic;
  }

  static std::string describe(const clang::Expr& e) {
    if (llvm::isa<clang::AbstractConditionalOperator>(e)) return "a conditional expression";
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&e)) {
      return fmt::format("the operator '{}'", binary->getOpcodeStr().str());
    }
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&e)) {
      return fmt::format("the operator '{}'",
                         clang::UnaryOperator::getOpcodeStr(unary->getOpcode()).str());
    }
    if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&e)) {
      return fmt::format("the operator '{}'", clang::getOperatorSpelling(call->getOperator()));
    }
    if (llvm::isa<clang::CXXThisExpr>(e)) return "'this'";
    if (llvm::isa<clang::CXXNewExpr>(e)) return "'new'";
    return "this expression is evaluated at run time";
  }

  bool is_builder(clang::QualType type) const {
    const auto* record = record_of(type);
    return record != nullptr && qualified_name(*record) == "fw::schema_adapter::FieldBuilder";
  }

  bool is_options(clang::QualType type) const {
    const auto* record = record_of(type);
    return record != nullptr && qualified_name(*record) == "fw::RouteOptions";
  }

  Unit& unit_;
  Purpose purpose_;
  std::string_view method_;
  std::string_view route_;
  std::set<const clang::VarDecl*> visiting_;
};

}  // namespace

std::optional<model::Value> resolve_static(Unit& unit, const clang::Expr& expression,
                                           Purpose purpose, std::string_view method,
                                           std::string_view route) {
  return Resolver(unit, purpose, method, route).resolve(expression);
}

}  // namespace fairway::frontend
