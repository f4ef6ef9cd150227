// The names of C++ types in documents, in generated code and in diagnostics.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/Type.h>

#include <string>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// The name of a type, also by a typedef: `typedef struct { … } Item;`. Empty if it has none.
std::string tag_name(const clang::TagDecl& tag);
/// A name in documents: "PageOrder" for `Page<Order>`.
std::string component_name(const FileContext& context, clang::QualType type);
/// The qualified name, for generated code: "::shop::Page<::shop::Order>".
std::string cpp_name(const FileContext& context, clang::QualType type);
/// How diagnostics print types: without "(anonymous namespace)::", and without the location of a
/// type that has no name.
clang::PrintingPolicy plain_policy(const clang::ASTContext& ast);
/// As diagnostics name the type.
std::string shown(const FileContext& context, clang::QualType type);
/// The header that defines the type, below the source directory; empty: the route file.
std::string header_of(const FileContext& context, const clang::TagDecl& tag);

}  // namespace fairway::frontend
