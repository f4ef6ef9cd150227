// Reads a struct as a JSON Schema of its members (docs/types.md).
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>
#include <clang/AST/TypeLoc.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>

#include "frontend/source/file_context.hpp"
#include "frontend/types/type_failures.hpp"
#include "frontend/types/type_members.hpp"
#include "model/cpp_type.hpp"

namespace fairway::frontend {

/// Reads the types of members, which may contain the struct itself.
class MemberTypes {
 public:
  virtual ~MemberTypes() = default;

  /// Empty if the type has no schema; then the failure was added.
  virtual std::optional<nlohmann::ordered_json> schema_of(clang::QualType type,
                                                          clang::TypeLoc written) = 0;
  /// The schema that a reference names; another schema itself.
  virtual const nlohmann::ordered_json& resolved(const nlohmann::ordered_json& schema) const = 0;
  /// Whether a template contains a new type of itself at each level, so that no more are read.
  virtual bool is_endless() const = 0;
};

/// The reader of one struct:
///
///   StructReader reader(context, failures, types, record);
///   const bool worked = reader.read(type, schema);
class StructReader {
 public:
  using Json = nlohmann::ordered_json;

  StructReader(const FileContext& context, TypeFailures& failures, MemberTypes& types,
               const clang::CXXRecordDecl& record);

  /// The members of the struct that have only one value, as far as its declaration shows: its
  /// schema while its members are read, for variants of it in them.
  Json outline() const;
  /// Adds the members to `type`. False if there were failures.
  bool read(model::CppType& type, Json& schema);
  /// Whether the struct, apart from the types of its members, contains what only generated code
  /// writes.
  bool needs_code() const { return needs_code_; }

 private:
  /// The members of the struct, or of a base of it. `has_own_values`: whether constructors may set
  /// members to values that are not known.
  bool read_members(const clang::CXXRecordDecl& part, const NamesInJson& names,
                    bool has_own_values);
  bool read_member(const clang::CXXRecordDecl& part, const clang::FieldDecl& field,
                   const std::string& json_name, bool has_own_values);

  const FileContext& context_;
  TypeFailures& failures_;
  MemberTypes& types_;
  const clang::CXXRecordDecl& record_;
  const NamesInJson names_;
  model::CppType* type_ = nullptr;
  Json properties_ = Json::object();
  Json required_ = Json::array();
  Json in_responses_ = Json::array();  ///< the members that are always written
  bool is_flat_ = true;
  bool needs_code_ = false;
};

}  // namespace fairway::frontend
