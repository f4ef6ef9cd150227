#include "frontend/tree/type_queries.hpp"

#include <clang/AST/DeclTemplate.h>

namespace fairway::frontend {

const clang::CXXRecordDecl* record_of(clang::QualType type) {
  return type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
}

bool is_in_namespace(const clang::Decl& declaration, llvm::StringRef name) {
  for (const auto* scope = declaration.getDeclContext(); scope != nullptr;
       scope = scope->getParent()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(scope);
    // It may be in `extern "C++"`.
    if (space != nullptr && space->getName() == name &&
        space->getParent()->getRedeclContext()->isTranslationUnit()) {
      return true;
    }
  }
  return false;
}

bool is_framework_type(clang::QualType type) {
  const auto* record = record_of(type);
  return record != nullptr && is_in_namespace(*record, "fw");
}

const clang::CXXRecordDecl* framework_class(clang::ASTContext& ast, llvm::StringRef name) {
  const auto find = [&](const clang::DeclContext& scope, llvm::StringRef each) {
    const auto found = scope.lookup(clang::DeclarationName(&ast.Idents.get(each)));
    return found.empty() ? nullptr : found.front();
  };
  const auto* space =
      llvm::dyn_cast_or_null<clang::NamespaceDecl>(find(*ast.getTranslationUnitDecl(), "fw"));
  const auto* record =
      space == nullptr ? nullptr : llvm::dyn_cast_or_null<clang::CXXRecordDecl>(find(*space, name));
  return record == nullptr ? nullptr : record->getDefinition();
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

clang::TypeLoc without_aliases(clang::TypeLoc written) {
  while (!written.isNull()) {
    if (const auto qualified = written.getAs<clang::QualifiedTypeLoc>()) {
      written = qualified.getUnqualifiedLoc();
    } else if (const auto elaborated = written.getAs<clang::ElaboratedTypeLoc>()) {
      written = elaborated.getNamedTypeLoc();
    } else if (const auto alias = written.getAs<clang::TypedefTypeLoc>()) {
      const auto* source = alias.getTypedefNameDecl()->getTypeSourceInfo();
      if (source == nullptr) return {};
      written = source->getTypeLoc();
    } else {
      break;
    }
  }
  return written;
}

clang::TypeLoc written_argument(clang::TypeLoc written, unsigned index) {
  written = without_aliases(written);
  if (written.isNull()) return {};
  const auto specialised = written.getAs<clang::TemplateSpecializationTypeLoc>();
  if (specialised.isNull() || index >= specialised.getNumArgs()) return {};
  const clang::TemplateArgumentLoc argument = specialised.getArgLoc(index);
  if (argument.getArgument().getKind() != clang::TemplateArgument::Type) return {};
  const auto* source = argument.getTypeSourceInfo();
  return source == nullptr ? clang::TypeLoc() : source->getTypeLoc();
}

const clang::FunctionDecl& pattern_of(const clang::FunctionDecl& function) {
  const auto* pattern = function.getTemplateInstantiationPattern();
  return pattern == nullptr ? function : *pattern;
}

}  // namespace fairway::frontend
