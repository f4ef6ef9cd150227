// Braces and constructors.
#include <clang/Basic/Version.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/static_resolver.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

const clang::FieldDecl* field_of(const clang::DesignatedInitExpr::Designator& designator) {
#if CLANG_VERSION_MAJOR >= 17
  return designator.getFieldDecl();
#else
  return designator.getField();
#endif
}

/// Arguments that were written: default arguments stand at the end.
llvm::SmallVector<const clang::Expr*> written_arguments(const clang::CXXConstructExpr& construct) {
  llvm::SmallVector<const clang::Expr*> arguments;
  for (const clang::Expr* argument : construct.arguments()) {
    if (!llvm::isa<clang::CXXDefaultArgExpr>(argument)) arguments.push_back(argument);
  }
  return arguments;
}

/// The members that hold a value or a function take functions of any type by value.
bool takes_function(const clang::CXXConstructExpr& construct) {
  const std::string owner = qualified_type_name(construct.getType());
  if (owner != "fw::CacheKey" && owner != "fw::PermissionArgument") return false;
  const clang::CXXConstructorDecl* constructor = construct.getConstructor();
  return constructor->isTemplateInstantiation() && constructor->getNumParams() == 1 &&
         !constructor->getParamDecl(0)->getType()->isReferenceType();
}

/// The type of the only parameter that is given, without reference and qualifiers.
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

/// `char` arrays, pointers to `char`, and the classes that hold such text.
bool is_text(clang::QualType type) {
  if (const auto* element = type->getPointeeOrArrayElementType();
      type->isArrayType() || type->isPointerType()) {
    return element->isCharType();
  }
  return is_std_type(type, {"basic_string", "basic_string_view"}) ||
         qualified_type_name(type) == "fw::Text";
}

/// Whether the JSON library makes of such a value what its braces or its literal show. Containers
/// are arrays for it even where the same braces would be an object, and users say themselves what
/// their enumerators are.
bool is_plain_in_json(clang::QualType type) {
  return (type->isArithmeticType() && !type->isEnumeralType()) || type->isNullPtrType() ||
         is_text(type) || is_json_type(type) || is_std_type(type, {"initializer_list"});
}

/// The builder that makes a value of this type; its constructor means the same.
std::string builder_of(const std::string& type) {
  if (type == "fw::ArrayOf") return "array_of";
  if (type == "fw::OptionalField") return "optional";
  return type == "fw::schema_adapter::FieldBuilder" ? "compile_field" : "";
}

bool makes_json(clang::QualType type) {
  return is_json_type(type) || qualified_type_name(type) == "fw::PermissionArgument";
}

}  // namespace

std::optional<model::Value> StaticResolver::braces(const clang::InitListExpr& list) {
  if (!list.isSemanticForm() && list.getSemanticForm() != nullptr) {
    return braces(*list.getSemanticForm());
  }
  const clang::QualType type = list.getType();
  if (const auto* record = record_of(type); record != nullptr && !type->isArrayType()) {
    if (is_in_namespace(*record, "fw")) return aggregate(list, *record);
    return refuse(list, fmt::format("a value of the type '{}'", record->getNameAsString()));
  }
  if (!type->isArrayType()) {
    return list.getNumInits() == 1 ? resolve(*list.getInit(0)) : zero(type);
  }
  Value value;
  value.kind = Value::Kind::list;
  value.range = unit_.at.of(list);
  return append(std::move(value), list.inits());
}

std::optional<model::Value> StaticResolver::aggregate(const clang::InitListExpr& list,
                                                      const clang::CXXRecordDecl& record) {
  Value value;
  value.kind = Value::Kind::record;
  value.text = record.getNameAsString();
  value.range = unit_.at.of(list);
  unsigned index = 0;
  bool complete = designators_in_order(list);
  for (const clang::FieldDecl* field : record.fields()) {
    if (index >= list.getNumInits()) break;
    const clang::Expr* initialiser = list.getInit(index++);
    if (llvm::isa<clang::CXXDefaultInitExpr, clang::ImplicitValueInitExpr>(initialiser)) continue;
    auto member = resolve(*initialiser);
    if (!member) {
      complete = false;
      continue;
    }
    // `std::nullopt`, `{}` for an option that is off by default, no function: nothing is declared.
    if (member->kind == Value::Kind::null) continue;
    model::Range name_range = designator_range(list, *field);
    if (name_range.line == 0) name_range = member->range;
    value.members.push_back({field->getNameAsString(), std::move(*member), std::move(name_range)});
  }
  if (!complete) {
    // The errors in the other options of the registration are found all the same.
    if (qualified_type_name(list.getType()) != "fw::RouteOptions") return std::nullopt;
    lacks_members_ = true;
  }
  const bool is_schema = qualified_type_name(list.getType()) == "fw::JsonSchema";
  if (!is_schema || value.members.empty()) return value;
  return called("json_schema", std::move(value.members.front().value), list);
}

/// Clang takes them in any order; the language and other compilers do not.
bool StaticResolver::designators_in_order(const clang::InitListExpr& list) {
  const auto* syntactic = list.isSyntacticForm() ? &list : list.getSyntacticForm();
  const clang::FieldDecl* last = nullptr;
  for (const clang::Expr* init : syntactic == nullptr ? list.inits() : syntactic->inits()) {
    const auto* designated = llvm::dyn_cast<clang::DesignatedInitExpr>(init);
    if (designated == nullptr || designated->size() == 0) continue;
    const auto* designator = designated->getDesignator(0);
    if (!designator->isFieldDesignator()) continue;
    const clang::FieldDecl* field = field_of(*designator);
    if (field == nullptr) continue;
    if (last != nullptr && field->getFieldIndex() < last->getFieldIndex()) {
      auto& diagnostic = report("bad-registration", *init,
                                fmt::format("'{}' is written after '{}'", field->getNameAsString(),
                                            last->getNameAsString()));
      diagnostic.range = unit_.at.token(designator->getFieldLoc());
      diagnostic.help = fmt::format(
          "move '.{}' before '.{}': designators follow the order of the members of 'fw::{}'",
          field->getNameAsString(), last->getNameAsString(), field->getParent()->getNameAsString());
      return false;
    }
    last = field;
  }
  return true;
}

model::Range StaticResolver::designator_range(const clang::InitListExpr& list,
                                              const clang::FieldDecl& field) {
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

std::optional<model::Value> StaticResolver::construction(const clang::CXXConstructExpr& construct) {
  if (takes_function(construct)) return function_value();
  const clang::QualType type = construct.getType();
  const clang::CXXRecordDecl* record = record_of(type);
  const bool ours = is_framework_type(type) || is_json_type(type);
  if (record == nullptr || (!ours && !record->isInStdNamespace())) return conversion(construct);
  const auto arguments = written_arguments(construct);
  if (arguments.empty()) return without_arguments(construct, *record);
  const clang::CXXConstructorDecl& constructor = *construct.getConstructor();
  if (arguments.size() == 1) {
    if (constructor.isCopyOrMoveConstructor() || takes_list(constructor)) {
      const bool is_listed = !constructor.isCopyOrMoveConstructor() &&
                             is_std_type(type, {"basic_string", "basic_string_view"});
      return is_listed ? refuse(construct, "a string from a list of characters")
                       : resolve(*arguments[0]);
    }
    return from_one(construct, *arguments[0]);
  }
  if (!is_framework_type(type)) return refuse(construct, "a constructor with several arguments");
  Value value;
  value.kind = Value::Kind::list;
  const clang::SourceRange braces = construct.getParenOrBraceRange();
  value.range = unit_.at.of(braces.isValid() ? braces : construct.getSourceRange());
  return append(std::move(value), arguments);
}

/// What a class is without arguments: an empty text or list, or nothing.
std::optional<model::Value> StaticResolver::without_arguments(
    const clang::CXXConstructExpr& construct, const clang::CXXRecordDecl& record) {
  const clang::QualType type = construct.getType();
  Value value;
  if (is_text(type)) {
    value.kind = Value::Kind::string;
  } else if (is_std_type(type, {"vector", "initializer_list"}) ||
             (is_framework_type(type) && !makes_json(type) && has_list_constructor(record))) {
    value.kind = Value::Kind::list;
    value.range = unit_.at.of(construct);
  } else if (!is_framework_type(type) && !is_json_type(type) && !is_std_type(type, {"optional"})) {
    return refuse(construct, describe_type(type));
  }
  return value;
}

/// A constructor that takes one value of another type: only those whose result that value is.
std::optional<model::Value> StaticResolver::from_one(const clang::CXXConstructExpr& construct,
                                                     const clang::Expr& argument) {
  const clang::QualType type = construct.getType();
  const clang::QualType parameter = only_parameter(construct);
  if (is_text(type)) {
    if (!is_text(parameter)) return refuse(construct, describe_type(parameter));
    return string_of(argument);
  }
  if (is_std_type(type, {"optional"})) {
    if (is_std_type(parameter, {"nullopt_t"})) return Value{};
    if (is_std_type(parameter, {"in_place_t"})) return refuse(construct, describe_type(parameter));
    return resolve(argument);
  }
  if (makes_json(type) && !is_plain_in_json(parameter)) {
    return refuse(argument, describe_type(parameter));
  }
  if (!is_framework_type(type) && !is_json_type(type)) {
    return refuse(construct, describe_type(type));
  }
  const std::string builder = builder_of(qualified_type_name(type));
  if (builder.empty()) return is_text(parameter) ? string_of(argument) : resolve(argument);
  auto value = resolve(argument);
  if (!value) return value;
  return called(builder, std::move(*value), construct);
}

/// An array of `char` may be a list of characters.
std::optional<model::Value> StaticResolver::string_of(const clang::Expr& argument) {
  auto value = resolve(argument);
  if (!value || value->kind == Value::Kind::string) return value;
  return refuse(argument, "a string that is not a literal");
}

model::Value StaticResolver::called(std::string builder, Value argument, const clang::Expr& e) {
  Value call;
  call.kind = Value::Kind::call;
  call.text = std::move(builder);
  call.range = unit_.at.of(e);
  call.items.push_back(std::move(argument));
  return call;
}

}  // namespace fairway::frontend
