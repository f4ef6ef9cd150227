#include "frontend/tree/views.hpp"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>

#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

bool refers(clang::QualType type, int depth);

bool has_reference(const clang::CXXRecordDecl& record, int depth) {
  return std::ranges::any_of(record.fields(),
                             [&](const auto* field) { return refers(field->getType(), depth); }) ||
         std::ranges::any_of(record.bases(),
                             [&](const auto& base) { return refers(base.getType(), depth); });
}

/// Whether a value of the type is or contains a pointer or a reference to an object.
bool refers(clang::QualType type, int depth) {
  type = type.getCanonicalType();
  if (const auto* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  if (type->isPointerType() || type->isReferenceType()) {
    return !type->getPointeeType()->isFunctionType();
  }
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() && depth < kMaxNames &&
         has_reference(*record, depth + 1);
}

bool is_of_library(const clang::CXXRecordDecl& record) {
  return is_in_namespace(record, "std") || is_in_namespace(record, "__gnu_cxx");
}

/// `std::reverse_iterator`, and names such as `__normal_iterator`, `_Bit_iterator_base` and
/// `__wrap_iter`.
bool is_iterator(const clang::CXXRecordDecl& record) {
  return is_of_library(record) && record.getDeclName().isIdentifier() &&
         record.getName().contains("iter");
}

bool has_begin(const clang::CXXRecordDecl& record) {
  return !record.lookup(&record.getASTContext().Idents.get("begin")).empty();
}

/// By name: the other functions, such as `key_comp`, return values that do not refer to the object.
bool shows_content(const clang::CXXMethodDecl& method) {
  constexpr llvm::StringLiteral kViews[] = {
      "begin",       "cbegin",  "rbegin", "crbegin", "end",         "cend",   "rend",
      "crend",       "data",    "c_str",  "find",    "lower_bound", "substr", "upper_bound",
      "equal_range", "subspan", "first",  "last",    "base",        "insert", "emplace"};
  constexpr llvm::StringLiteral kElements[] = {"front", "back", "at", "emplace_back",
                                               "emplace_front"};
  const bool is_reference = method.getReturnType()->isReferenceType();
  switch (method.getOverloadedOperator()) {
    case clang::OO_None:
      break;
    // The iterators of some views return the result of a function for an element.
    case clang::OO_Star:
    case clang::OO_Subscript:
      return is_reference;
    case clang::OO_Arrow:
      return method.getReturnType()->isPointerType();
    case clang::OO_Plus:
    case clang::OO_Minus:
    case clang::OO_PlusPlus:
    case clang::OO_MinusMinus:
    case clang::OO_PlusEqual:
    case clang::OO_MinusEqual:
      return is_iterator(*method.getParent()) || is_reference;
    default:
      return false;
  }
  if (llvm::isa<clang::CXXConversionDecl>(method)) return true;
  if (!method.getDeclName().isIdentifier()) return false;
  return llvm::is_contained(kViews, method.getName()) ||
         (is_reference && llvm::is_contained(kElements, method.getName()));
}

void add_types(llvm::ArrayRef<clang::TemplateArgument> arguments,
               std::vector<clang::QualType>& types) {
  for (const clang::TemplateArgument& argument : arguments) {
    if (argument.getKind() == clang::TemplateArgument::Pack) {
      add_types(argument.pack_elements(), types);
    } else if (argument.getKind() == clang::TemplateArgument::Type) {
      types.push_back(argument.getAsType());
    }
  }
}

}  // namespace

bool is_view(clang::QualType type) {
  type = type.getCanonicalType();
  if (type->isPointerType()) return refers(type, 0);
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() && !record->isLambda() &&
         !is_framework_type(type) && !is_std_type(type, {"reference_wrapper"}) &&
         record->hasTrivialDestructor() && has_reference(*record, 0);
}

bool is_made_of_ranges(clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record != nullptr &&
         (is_std_type(type, {"basic_string_view", "span"}) || is_iterator(*record));
}

bool is_plain_view(clang::QualType type) {
  return is_view(type) && (type->isPointerType() || is_made_of_ranges(type));
}

bool is_owner(clang::QualType type) {
  if (type->isArrayType() || is_std_type(type, {"array"})) return true;
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() && record->isInStdNamespace() &&
         has_begin(*record) && !is_view(type);
}

const clang::Expr* viewed_object(const clang::CallExpr& call) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  if (method == nullptr || !is_of_library(*method->getParent())) return nullptr;
  const bool is_of_range = has_begin(*method->getParent()) || is_iterator(*method->getParent());
  if (!is_of_range || !shows_content(*method)) return nullptr;
  if (!method->getReturnType()->isReferenceType() && !is_view(call.getType())) return nullptr;
  if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    return member->getImplicitObjectArgument();
  }
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call) && call.getNumArgs() > 0;
  return is_operator ? call.getArg(0) : nullptr;
}

std::vector<clang::QualType> stored_elements(clang::QualType type) {
  std::vector<clang::QualType> elements;
  const auto* record =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (record != nullptr && is_std_type(type, {"pair", "tuple", "optional"})) {
    add_types(record->getTemplateArgs().asArray(), elements);
  }
  return elements;
}

}  // namespace fairway::frontend
