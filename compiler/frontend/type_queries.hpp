// Whose types and functions these are.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>

#include <initializer_list>
#include <string>

namespace fairway::frontend {

/// The class behind a type or a reference to it; null for anything else.
const clang::CXXRecordDecl* record_of(clang::QualType type);
/// Whether `declaration` stands in the outermost namespace `name` or in one inside it.
bool is_in_namespace(const clang::Decl& declaration, llvm::StringRef name);
bool is_framework_type(clang::QualType type);
/// `fw::Json` and its parts.
bool is_json_type(clang::QualType type);
bool is_std_type(clang::QualType type, std::initializer_list<llvm::StringRef> names);
bool is_lambda_type(clang::QualType type);
/// "fw::Router"; empty for what is no class.
std::string qualified_type_name(clang::QualType type);
/// `fw::Router`, a reference or a pointer to it.
bool is_router(clang::QualType type);
/// A pointer to a member function of `fw::Router`.
bool is_router_member_pointer(clang::QualType type);

}  // namespace fairway::frontend
