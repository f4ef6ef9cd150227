// Braces and constructors.
#include <fmt/format.h>

#include "frontend/static_resolver.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

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
  bool complete = true;
  for (const clang::FieldDecl* field : record.fields()) {
    if (index >= list.getNumInits()) break;
    const clang::Expr* initialiser = list.getInit(index++);
    if (llvm::isa<clang::CXXDefaultInitExpr, clang::ImplicitValueInitExpr>(initialiser)) continue;
    auto member = resolve(*initialiser);
    if (!member) {
      complete = false;
      continue;
    }
    model::Range name_range = designator_range(list, *field);
    if (name_range.line == 0) name_range = member->range;
    value.members.push_back({field->getNameAsString(), std::move(*member), std::move(name_range)});
  }
  if (!complete) return std::nullopt;
  return value;
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
  const clang::QualType type = construct.getType();
  if (takes_function(construct)) return function_value();
  const auto arguments = written_arguments(construct);
  const clang::CXXRecordDecl* record = record_of(type);
  const bool ours = is_framework_type(type) || is_json_type(type);
  const bool known = ours || (record != nullptr && record->isInStdNamespace());
  if (!known) return conversion(construct);
  if (arguments.size() == 1) return resolve(*arguments[0]);
  if (!ours && !arguments.empty()) return refuse(construct, "a constructor with several arguments");
  Value value;
  if (arguments.empty() && is_std_type(type, {"basic_string", "basic_string_view"})) {
    value.kind = Value::Kind::string;
    return value;
  }
  value.kind = Value::Kind::list;
  const clang::SourceRange braces = construct.getParenOrBraceRange();
  value.range = unit_.at.of(braces.isValid() ? braces : construct.getSourceRange());
  return append(std::move(value), arguments);
}

}  // namespace fairway::frontend
