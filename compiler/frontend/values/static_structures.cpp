// Evaluates brace initialisers and constructor calls.
#include <clang/Basic/Version.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_context.hpp"

namespace fairway::frontend::statics {
namespace {

const clang::FieldDecl* field_of(const clang::DesignatedInitExpr::Designator& designator) {
#if CLANG_VERSION_MAJOR >= 17
  return designator.getFieldDecl();
#else
  return designator.getField();
#endif
}

/// The arguments in the source, without default arguments at the end.
llvm::SmallVector<const clang::Expr*> written_arguments(const clang::CXXConstructExpr& construct) {
  llvm::SmallVector<const clang::Expr*> arguments;
  for (const clang::Expr* argument : construct.arguments()) {
    if (!llvm::isa<clang::CXXDefaultArgExpr>(argument)) arguments.push_back(argument);
  }
  return arguments;
}

/// Whether GCC makes an array of what is written, and Clang only its single element: `fw::Json{x}`
/// where `x` is one, and `fw::Json({nullptr})`, because a constructor takes a null pointer.
bool is_list_of_one(const clang::CXXConstructExpr& construct, const clang::Expr& argument) {
  if (construct.getConstructor()->isCopyOrMoveConstructor())
    return construct.isListInitialization();
  return !construct.isListInitialization() && llvm::isa<clang::InitListExpr>(argument);
}

/// Whether this is a constructor from a function, of an option that is either a plain value or a
/// function.
bool takes_function(const clang::CXXConstructExpr& construct) {
  const std::string owner = qualified_type_name(construct.getType());
  if (owner != "fw::CacheKey" && owner != "fw::PermissionArgument") return false;
  const clang::CXXConstructorDecl* constructor = construct.getConstructor();
  return constructor->isTemplateInstantiation() && constructor->getNumParams() == 1 &&
         !constructor->getParamDecl(0)->getType()->isReferenceType();
}

/// The type of the first parameter, without reference and qualifiers. The others have no arguments
/// in the source.
clang::QualType only_parameter(const clang::CXXConstructExpr& construct) {
  const clang::CXXConstructorDecl& constructor = *construct.getConstructor();
  if (constructor.getNumParams() == 0) return {};
  return constructor.getParamDecl(0)->getType().getNonReferenceType().getUnqualifiedType();
}

bool takes_list(const clang::CXXConstructorDecl& constructor) {
  return constructor.getNumParams() > 0 &&
         is_std_type(constructor.getParamDecl(0)->getType(), {"initializer_list"});
}

bool has_list_constructor(const clang::CXXRecordDecl& record) {
  return std::ranges::any_of(record.ctors(),
                             [](const auto* constructor) { return takes_list(*constructor); });
}

/// `char` arrays, pointers to `char`, and string classes.
bool is_text(clang::QualType type) {
  if (const auto* element = type->getPointeeOrArrayElementType();
      type->isArrayType() || type->isPointerType()) {
    return element->isCharType();
  }
  return is_std_type(type, {"basic_string", "basic_string_view"}) ||
         qualified_type_name(type) == "fw::Text";
}

/// Whether the JSON of a value follows from its literal or its braces alone. It does not for
/// containers, which always become arrays, nor for enumerations, which may have their own
/// conversion.
bool is_plain_in_json(clang::QualType type) {
  return (type->isArithmeticType() && !type->isEnumeralType()) || type->isNullPtrType() ||
         is_text(type) || is_json_type(type) || is_std_type(type, {"initializer_list"});
}

/// The builder that is equivalent to the constructor of a type; empty if there is none.
std::string builder_of(const std::string& type) {
  if (type == "fw::ArrayOf") return "array_of";
  if (type == "fw::OptionalField") return "optional";
  return type == "fw::schema_adapter::FieldBuilder" ? "compile_field" : "";
}

bool holds_json(clang::QualType type) {
  return is_json_type(type) || qualified_type_name(type) == "fw::PermissionArgument";
}

/// Resolves every expression, so that one run reports all errors of a list.
template <class Expressions>
Result append(Context& c, Value list, const Expressions& expressions) {
  bool complete = true;
  for (const clang::Expr* expression : expressions) {
    if (auto item = resolve(c, *expression)) {
      list.items.push_back(std::move(*item));
    } else {
      complete = false;
    }
  }
  if (!complete) return std::nullopt;
  return list;
}

Value builder_call(Context& c, std::string builder, Value argument, const clang::Expr& e) {
  Value call;
  call.kind = Value::Kind::call;
  call.text = std::move(builder);
  call.range = c.at.of(e);
  call.items.push_back(std::move(argument));
  return call;
}

/// A string argument. Lists of characters, which can also initialise an array of `char`, are not
/// static.
Result string_of(Context& c, const clang::Expr& argument) {
  auto value = resolve(c, argument);
  if (!value || value->kind == Value::Kind::string) return value;
  return not_static(c, argument, "a string that is not a literal");
}

struct WrittenMember {
  const clang::FieldDecl* field;
  const clang::DesignatedInitExpr* written;
};

llvm::SmallVector<WrittenMember> written_members(const clang::InitListExpr& list) {
  llvm::SmallVector<WrittenMember> members;
  for (const clang::Expr* init : list.inits()) {
    const auto* designated = llvm::dyn_cast<clang::DesignatedInitExpr>(init);
    if (designated == nullptr || designated->size() == 0) continue;
    const auto* designator = designated->getDesignator(0);
    if (!designator->isFieldDesignator()) continue;
    if (const clang::FieldDecl* field = field_of(*designator))
      members.push_back({field, designated});
  }
  return members;
}

/// Whether directives may select members of the list, or parts of them.
bool has_directive(const Context& c, const clang::InitListExpr& list) {
  const auto whole = clang::CharSourceRange::getTokenRange(list.getSourceRange());
  llvm::SmallVector<llvm::StringRef> lines;
  clang::Lexer::getSourceText(whole, c.at.sources(), c.at.language()).split(lines, '\n');
  return std::ranges::any_of(lines,
                             [](llvm::StringRef line) { return line.ltrim().starts_with("#"); });
}

/// Puts the members in the order of the structure, each at the place of another. Empty if they are
/// in a macro or in another file.
std::vector<model::FixIt> sorted_members(const Context& c,
                                         const llvm::SmallVector<WrittenMember>& members) {
  const auto range_of = [](const WrittenMember& member) {
    return clang::CharSourceRange::getTokenRange(member.written->getSourceRange());
  };
  auto sorted = members;
  std::ranges::stable_sort(
      sorted, {}, [](const WrittenMember& member) { return member.field->getFieldIndex(); });
  std::vector<model::FixIt> fixes;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].written == sorted[i].written) continue;
    auto place = c.at.characters(range_of(members[i]));
    if (!place || !c.at.characters(range_of(sorted[i]))) return {};
    const llvm::StringRef text =
        clang::Lexer::getSourceText(range_of(sorted[i]), c.at.sources(), c.at.language());
    fixes.push_back({std::move(*place), text.str()});
  }
  return fixes;
}

bool designators_in_order(Context& c, const clang::InitListExpr& list) {
  const auto* syntactic = list.isSyntacticForm() ? &list : list.getSyntacticForm();
  const clang::FieldDecl* last = nullptr;
  const auto members = written_members(syntactic == nullptr ? list : *syntactic);
  for (const auto& [field, written] : members) {
    if (last != nullptr && field->getFieldIndex() < last->getFieldIndex()) {
      auto& reason = wrong_order(c, written->getDesignator(0)->getFieldLoc(), *field, *last);
      if (!has_directive(c, list)) reason.fixes = sorted_members(c, members);
      return false;
    }
    last = field;
  }
  return true;
}

model::Range designator_range(Context& c, const clang::InitListExpr& list,
                              const clang::FieldDecl& field) {
  const auto* syntactic = list.isSyntacticForm() ? &list : list.getSyntacticForm();
  if (syntactic == nullptr) return {};
  for (const clang::Expr* init : syntactic->inits()) {
    const auto* designated = llvm::dyn_cast<clang::DesignatedInitExpr>(init);
    if (designated == nullptr || designated->size() == 0) continue;
    const auto* designator = designated->getDesignator(0);
    if (designator->isFieldDesignator() && designator->getFieldName() == field.getIdentifier()) {
      return c.at.token(designator->getFieldLoc());
    }
  }
  return {};
}

Result aggregate(Context& c, const clang::InitListExpr& list, const clang::CXXRecordDecl& record) {
  Value value;
  value.kind = Value::Kind::record;
  value.text = record.getNameAsString();
  value.range = c.at.of(list);
  unsigned index = 0;
  bool complete = designators_in_order(c, list);
  for (const clang::FieldDecl* field : record.fields()) {
    if (index >= list.getNumInits()) break;
    const clang::Expr* initialiser = list.getInit(index++);
    if (llvm::isa<clang::CXXDefaultInitExpr, clang::ImplicitValueInitExpr>(initialiser)) continue;
    auto member = resolve(c, *initialiser);
    if (!member) {
      complete = false;
      continue;
    }
    // `std::nullopt`, `{}` for an option that is disabled by default, or an empty function declare
    // nothing.
    if (member->kind == Value::Kind::null) continue;
    model::Range name_range = designator_range(c, list, *field);
    if (name_range.line == 0) name_range = member->range;
    value.members.push_back({field->getNameAsString(), std::move(*member), std::move(name_range)});
  }
  if (!complete) {
    // Continue, in order to find the errors in the other options of the registration.
    if (qualified_type_name(list.getType()) != "fw::RouteOptions") return std::nullopt;
    c.lacks_members = true;
  }
  const bool is_schema = qualified_type_name(list.getType()) == "fw::JsonSchema";
  if (!is_schema || value.members.empty()) return value;
  return builder_call(c, "json_schema", std::move(value.members.front().value), list);
}

/// The value of a constructor call without arguments: an empty string or list, or null.
Result without_arguments(Context& c, const clang::CXXConstructExpr& construct,
                         const clang::CXXRecordDecl& record) {
  const clang::QualType type = construct.getType();
  Value value;
  if (is_text(type)) {
    value.kind = Value::Kind::string;
  } else if (is_std_type(type, {"vector", "initializer_list"}) ||
             (is_framework_type(type) && !holds_json(type) && has_list_constructor(record) &&
              qualified_type_name(type) != "fw::OptionalResponseSchema")) {
    value.kind = Value::Kind::list;
    value.range = c.at.of(construct);
  } else if (!is_framework_type(type) && !is_json_type(type) && !is_std_type(type, {"optional"})) {
    return not_static(c, construct, describe_type(c, type));
  }
  return value;
}

/// The value of a constructor call with one argument of another type. Only constructors that keep
/// the value of their argument are resolved.
Result from_one(Context& c, const clang::CXXConstructExpr& construct, const clang::Expr& argument) {
  const clang::QualType type = construct.getType();
  const clang::QualType parameter = only_parameter(construct);
  if (is_text(type)) {
    if (!is_text(parameter)) return not_static(c, construct, describe_type(c, parameter));
    return string_of(c, argument);
  }
  if (is_std_type(parameter, {"nullopt_t"})) return Value{};  // the option is not declared
  if (is_std_type(type, {"optional"})) {
    if (is_std_type(parameter, {"in_place_t"}))
      return not_static(c, construct, describe_type(c, parameter));
    return resolve(c, argument);
  }
  if (holds_json(type) && !is_plain_in_json(parameter)) {
    return not_static(c, argument, describe_type(c, parameter));
  }
  if (!is_framework_type(type) && !is_json_type(type)) {
    return not_static(c, construct, describe_type(c, type));
  }
  const std::string builder = builder_of(qualified_type_name(type));
  if (builder.empty()) return is_text(parameter) ? string_of(c, argument) : resolve(c, argument);
  auto value = resolve(c, argument);
  if (!value) return value;
  return builder_call(c, builder, std::move(*value), construct);
}

/// `fw::Json{x}`, or `= {x}` for a member of options, where `x` is JSON.
Result list_of_one_json(Context& c, const clang::Expr& list) {
  return not_static(c, list,
                    "a list of one JSON value, which GCC reads as an array and Clang as the value; "
                    "write fw::Json(x) or fw::Json::array({x})");
}

}  // namespace

Result braces(Context& c, const clang::InitListExpr& list) {
  if (!list.isSemanticForm() && list.getSemanticForm() != nullptr) {
    return braces(c, *list.getSemanticForm());
  }
  const clang::QualType type = list.getType();
  if (const auto* record = record_of(type); record != nullptr && !type->isArrayType()) {
    if (is_json_type(type)) return list_of_one_json(c, list);
    if (is_in_namespace(*record, "fw")) return aggregate(c, list, *record);
    return not_static(c, list, fmt::format("a value of the type '{}'", record->getNameAsString()));
  }
  if (!type->isArrayType()) {
    return list.getNumInits() == 1 ? resolve(c, *list.getInit(0)) : zero(type);
  }
  Value value;
  value.kind = Value::Kind::list;
  value.range = c.at.of(list);
  return append(c, std::move(value), list.inits());
}

Result construction(Context& c, const clang::CXXConstructExpr& construct) {
  if (takes_function(construct)) return callable(construct);
  const clang::QualType type = construct.getType();
  const clang::CXXRecordDecl* record = record_of(type);
  const bool is_known = is_framework_type(type) || is_json_type(type);
  if (record == nullptr || (!is_known && !record->isInStdNamespace()))
    return foreign_conversion(c, construct);
  const auto arguments = written_arguments(construct);
  if (arguments.empty()) return without_arguments(c, construct, *record);
  const clang::CXXConstructorDecl& constructor = *construct.getConstructor();
  if (arguments.size() == 1) {
    if (is_json_type(type) && is_list_of_one(construct, *arguments[0])) {
      return list_of_one_json(c, construct);
    }
    if (constructor.isCopyOrMoveConstructor() || takes_list(constructor)) {
      const bool is_listed = !constructor.isCopyOrMoveConstructor() &&
                             is_std_type(type, {"basic_string", "basic_string_view"});
      return is_listed ? not_static(c, construct, "a string from a list of characters")
                       : resolve(c, *arguments[0]);
    }
    return from_one(c, construct, *arguments[0]);
  }
  if (!is_framework_type(type))
    return not_static(c, construct, "a constructor with several arguments");
  Value value;
  value.kind = Value::Kind::list;
  const clang::SourceRange braces = construct.getParenOrBraceRange();
  value.range = c.at.of(braces.isValid() ? braces : construct.getSourceRange());
  return append(c, std::move(value), arguments);
}

}  // namespace fairway::frontend::statics
