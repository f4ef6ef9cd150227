// What fw::Json converts by itself, so that a response does not have the members of a struct:
//
//   struct Base { int id; };
//   void to_json(fw::Json& json, const Base& base);
//   struct Order : Base { int total; };  // `res.json(Order())` sends what this function writes
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>

#include <string>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// The struct that is a result, or an item of a container that is one, if fw::Json converts it
/// otherwise than generated code writes it; null if there is none.
const clang::CXXRecordDecl* converted_otherwise(const FileContext& context, clang::QualType type);

/// Help for such a struct.
std::string conversion_help(const clang::CXXRecordDecl& record);

}  // namespace fairway::frontend
