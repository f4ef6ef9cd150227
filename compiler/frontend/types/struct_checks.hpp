// What a struct or an enumeration must be like to have a form in JSON, apart from the types of its
// members (docs/types.md). Each check adds the failure that it finds.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>

#include "frontend/source/file_context.hpp"
#include "frontend/types/type_failures.hpp"
#include "frontend/types/type_members.hpp"

namespace fairway::frontend {

/// Whether generated code can name the type, and its members are the same to each compiler.
bool check_definition(const FileContext& context, TypeFailures& failures, clang::QualType type,
                      const clang::TagDecl& definition);

bool check_struct(const FileContext& context, TypeFailures& failures,
                  const clang::CXXRecordDecl& record, const NamesInJson& names);

/// Whether a member can be one of JSON.
bool check_member(const FileContext& context, TypeFailures& failures,
                  const clang::CXXRecordDecl& record, const clang::FieldDecl& field,
                  const NamesInJson& names);

/// Whether a request can be read into the struct.
bool check_input(const FileContext& context, TypeFailures& failures,
                 const clang::CXXRecordDecl& record);

}  // namespace fairway::frontend
