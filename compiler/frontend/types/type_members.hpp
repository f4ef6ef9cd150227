// What the source says of the members of a type: names and descriptions.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/TypeLoc.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// The members that a struct has in JSON.
struct NamesInJson {
  const FileContext& context;
  std::optional<std::map<std::string, std::string>> listed;  ///< by FW_JSON; empty: all members
  bool is_unknown = false;  ///< whether there is an FW_JSON whose members are not known
  /// Members whose names in FW_JSON are no constant strings, and where these are.
  std::map<std::string, clang::SourceLocation> unreadable = {};

  /// The name of a member; empty if JSON does not have it.
  std::optional<std::string> of(const clang::FieldDecl& field) const;
};

/// The names that an FW_JSON inside the struct or after it gives, otherwise the members' names.
NamesInJson names_in_json(const FileContext& context, const clang::CXXRecordDecl& record);

/// The names of the members of a base: by the FW_JSON of the struct, or else of the base.
NamesInJson names_of_base(const FileContext& context, const clang::CXXRecordDecl& base,
                          const NamesInJson& names);

/// Whether nlohmann::json converts the type by a `to_json` of its own, a friend of it or in its
/// namespace.
bool has_own_conversion(const clang::CXXRecordDecl& record);

/// The name in JSON of a member or an enumerator: as the application's `JSON_NAMES` says.
std::string json_name(const FileContext& context, llvm::StringRef name);

/// Adds `description` and `deprecated` from the documentation comment and the attributes. Returns
/// the beginning of the comment if it is not UTF-8, otherwise an invalid location.
clang::SourceLocation describe(const FileContext& context, const clang::Decl& declaration,
                               nlohmann::ordered_json& schema);

/// The schema of a generated type, which is an attribute of it in the headers of ParseJob; any for
/// a type without this attribute.
nlohmann::ordered_json generated_schema(const clang::TagDecl& tag);

/// Keeps the string of a `fw::Field` for the rule bad-schema, with its place in the source.
void note_field_text(FileContext& context, clang::TypeLoc written);

}  // namespace fairway::frontend
