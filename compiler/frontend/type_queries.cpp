#include "frontend/type_queries.hpp"

#include <algorithm>

namespace fairway::frontend {

const clang::CXXRecordDecl* record_of(clang::QualType type) {
  return type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
}

bool is_in_namespace(const clang::Decl& declaration, llvm::StringRef name) {
  for (const auto* scope = declaration.getDeclContext(); scope != nullptr;
       scope = scope->getParent()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(scope);
    if (space != nullptr && space->getName() == name && space->getParent()->isTranslationUnit()) {
      return true;
    }
  }
  return false;
}

bool is_framework_type(clang::QualType type) {
  const auto* record = record_of(type);
  return record != nullptr && is_in_namespace(*record, "fw");
}

bool is_json_type(clang::QualType type) {
  const auto* record = record_of(type);
  return record != nullptr && is_in_namespace(*record, "nlohmann");
}

bool is_std_type(clang::QualType type, std::initializer_list<llvm::StringRef> names) {
  const auto* record = record_of(type);
  return record != nullptr && record->isInStdNamespace() &&
         std::find(names.begin(), names.end(), record->getName()) != names.end();
}

bool is_lambda_type(clang::QualType type) {
  const auto* record = record_of(type);
  return record != nullptr && record->isLambda();
}

std::string qualified_type_name(clang::QualType type) {
  const auto* record = record_of(type);
  return record == nullptr ? std::string() : record->getQualifiedNameAsString();
}

bool is_router(clang::QualType type) {
  if (type.isNull()) return false;
  type = type.getNonReferenceType();
  if (type->isPointerType()) type = type->getPointeeType();
  return qualified_type_name(type) == "fw::Router";
}

bool is_router_member_pointer(clang::QualType type) {
  if (type.isNull()) return false;
  const auto* pointer = type.getNonReferenceType()->getAs<clang::MemberPointerType>();
  if (pointer == nullptr || !pointer->isMemberFunctionPointer()) return false;
  const clang::CXXRecordDecl* owner = pointer->getMostRecentCXXRecordDecl();
  return owner != nullptr && owner->getQualifiedNameAsString() == "fw::Router";
}

}  // namespace fairway::frontend
