#include "frontend/types/json_conversion.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Sema/Initialization.h>
#include <clang/Sema/Sema.h>
#include <fmt/format.h>

#include <algorithm>

#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_names.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/types/type_members.hpp"

namespace fairway::frontend {
namespace {

/// The type `fw::Json`; null if the file does not include it.
clang::QualType json_type(clang::ASTContext& ast) {
  const auto find = [&](const clang::DeclContext& scope, llvm::StringRef name) {
    const auto found = scope.lookup(clang::DeclarationName(&ast.Idents.get(name)));
    return found.empty() ? nullptr : found.front();
  };
  const auto* space =
      llvm::dyn_cast_or_null<clang::NamespaceDecl>(find(*ast.getTranslationUnitDecl(), "fw"));
  const auto* alias = space == nullptr
                          ? nullptr
                          : llvm::dyn_cast_or_null<clang::TypedefNameDecl>(find(*space, "Json"));
  return alias == nullptr ? clang::QualType() : alias->getUnderlyingType();
}

bool is_converted(const FileContext& context, const clang::CXXRecordDecl& record) {
  const clang::QualType json = json_type(context.ast);
  const clang::SourceLocation location = record.getLocation();
  if (json.isNull() || !context.sema.isCompleteType(location, json)) return false;
  clang::OpaqueValueExpr object(location, context.ast.getRecordType(&record).withConst(),
                                clang::VK_LValue);
  const auto parameter = clang::InitializedEntity::InitializeParameter(context.ast, json, false);
  return context.sema.CanPerformCopyInitialization(parameter, &object);
}

/// A `to_json` for all types of the template of which the struct is one.
bool has_template_conversion(const clang::CXXRecordDecl& record) {
  const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  if (special == nullptr) return false;
  const clang::ClassTemplateDecl* pattern = special->getSpecializedTemplate();
  const clang::DeclarationName name(&record.getASTContext().Idents.get("to_json"));
  const auto takes_it = [&](const clang::NamedDecl* each) {
    const auto* function = llvm::dyn_cast_or_null<clang::FunctionTemplateDecl>(each);
    if (function == nullptr || function->getDeclName() != name) return false;
    const clang::FunctionDecl& templated = *function->getTemplatedDecl();
    if (templated.getNumParams() != 2) return false;
    const auto* type = templated.getParamDecl(1)
                           ->getType()
                           .getNonReferenceType()
                           ->getAs<clang::TemplateSpecializationType>();
    const auto* named = type == nullptr ? nullptr : type->getTemplateName().getAsTemplateDecl();
    return named != nullptr && named->getCanonicalDecl() == pattern->getCanonicalDecl();
  };
  const auto found = record.getDeclContext()->getRedeclContext()->lookup(name);
  return std::any_of(found.begin(), found.end(), takes_it);
}

const clang::CXXRecordDecl* base_with_conversion(const clang::CXXRecordDecl& record) {
  for (const clang::CXXBaseSpecifier& base : record.bases()) {
    const auto* parent = record_of(base.getType());
    if (parent == nullptr || !parent->hasDefinition()) continue;
    if (has_own_conversion(*parent) || has_template_conversion(*parent)) return parent;
    if (const auto* found = base_with_conversion(*parent->getDefinition())) return found;
  }
  return nullptr;
}

/// Whether the file specialises `nlohmann::adl_serializer` for the struct.
bool has_serializer(const clang::CXXRecordDecl& record) {
  clang::ASTContext& ast = record.getASTContext();
  const auto find = [&](const clang::DeclContext& scope, llvm::StringRef name) {
    const auto found = scope.lookup(clang::DeclarationName(&ast.Idents.get(name)));
    return found.empty() ? nullptr : found.front();
  };
  const auto* space =
      llvm::dyn_cast_or_null<clang::NamespaceDecl>(find(*ast.getTranslationUnitDecl(), "nlohmann"));
  // The class may be in an inline namespace, which has the version of the library.
  const auto* serializer = llvm::dyn_cast_or_null<clang::ClassTemplateDecl>(
      space == nullptr ? nullptr : find(*space, "adl_serializer"));
  if (serializer == nullptr) return false;
  const auto specialisations = serializer->specializations();
  return std::any_of(specialisations.begin(), specialisations.end(), [&](const auto* each) {
    return each->getSpecializationKind() == clang::TSK_ExplicitSpecialization &&
           record_of(each->getTemplateArgs()[0].getAsType()) != nullptr &&
           record_of(each->getTemplateArgs()[0].getAsType())->getCanonicalDecl() ==
               record.getCanonicalDecl();
  });
}

/// How fw::Json converts the struct: "by …", or "otherwise".
std::string conversion_of(const clang::CXXRecordDecl& record) {
  if (has_serializer(record)) {
    return fmt::format("by the specialisation 'nlohmann::adl_serializer<{}>'", tag_name(record));
  }
  if (has_template_conversion(record)) {
    return fmt::format("by the 'to_json' of the template '{}'", record.getNameAsString());
  }
  const auto* base = base_with_conversion(record);
  return base == nullptr
             ? "otherwise"
             : fmt::format("by the 'to_json' of its base '{}'", base->getNameAsString());
}

}  // namespace

const clang::CXXRecordDecl* converted_otherwise(const FileContext& context, clang::QualType type) {
  const auto* record = record_of(type.getCanonicalType());
  if (record == nullptr || !record->hasDefinition()) return nullptr;
  const auto* special = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  const bool is_items =
      special != nullptr && is_in_namespace(*record, "fw") && record->getName() == "Items";
  if (special != nullptr && (is_items || is_in_namespace(*record, "std"))) {
    // Generated code writes a variant, and calls fw::Json for its alternatives.
    if (is_std_type(type, {"variant"})) {
      for (const clang::TemplateArgument& each : special->getTemplateArgs()[0].pack_elements()) {
        const auto* found = converted_otherwise(context, each.getAsType());
        if (found != nullptr) return found;
      }
      return nullptr;
    }
    const clang::QualType item =
        type_argument(*special, record->getName().ends_with("map") ? 1 : 0);
    return item.isNull() ? nullptr : converted_otherwise(context, item);
  }
  // The conversion of a generated struct writes what its schema says.
  const bool is_struct = !is_in_namespace(*record, "std") && !is_in_namespace(*record, "fw") &&
                         !is_json_type(type) && !record->isLambda() &&
                         !context.at.in_generated_header(record->getLocation());
  if (!is_struct || names_in_json(context, *record->getDefinition()).listed) return nullptr;
  return is_converted(context, *record->getDefinition()) ? record->getDefinition() : nullptr;
}

std::string conversion_help(const clang::CXXRecordDecl& record) {
  return fmt::format(
      "'fw::Json' converts it {}, and not by its members: use 'FW_JSON' in it, or no conversion",
      conversion_of(record));
}

}  // namespace fairway::frontend
