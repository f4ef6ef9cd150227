// Reads C++ types as JSON Schemas (docs/types.md).
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>
#include <clang/AST/TypeLoc.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/source/file_context.hpp"
#include "frontend/types/struct_reader.hpp"
#include "frontend/types/type_failures.hpp"
#include "frontend/values/named_types.hpp"
#include "model/cpp_type.hpp"

namespace fairway::frontend {

/// A C string or a string view as data of a response, which is written at once as a string; empty
/// for other types. In other places, they are no schemas.
std::optional<model::TypeUse> text_in_response(clang::QualType type);

/// Adds the structs and enumerations that it reads to the types of the file, each once.
class TypeReader final : public NamedTypes, private MemberTypes {
 public:
  explicit TypeReader(FileContext& context) : context_(context) {}

  std::optional<model::TypeUse> read(clang::QualType type, clang::TypeLoc written,
                                     const model::Range& use) override;
  /// The same of what a handler returns, which fw::Json must not convert otherwise.
  std::optional<model::TypeUse> read_result(clang::QualType type, clang::TypeLoc written,
                                            const model::Range& use);
  /// The same of a part of the request, whose structs must have default constructors.
  std::optional<model::TypeUse> read_input(clang::QualType type, clang::TypeLoc written,
                                           const model::Range& use);
  /// The same without a report, for values that handlers send. A value that may be empty, such as
  /// a std::optional, is null then.
  std::optional<model::TypeUse> read_sent(clang::QualType type);
  /// Keeps a type that `res.json` writes with generated code, or the types in a container that is
  /// no schema. Reports a type for which there can be no code; without a range, nothing.
  void keep_sent(clang::QualType type, const std::optional<model::Range>& use);
  void keep(const model::TypeUse& use) override;

 private:
  using Json = nlohmann::ordered_json;
  using Schema = std::optional<Json>;

  /// A type of a generated header that is within another type.
  struct Generated {
    model::GeneratedType type;
    clang::QualType written;
    const clang::DeclaratorDecl* member = nullptr;  ///< that has the type; null: none
  };

  /// A struct or an enumeration that was read, or is being read.
  struct Known {
    std::string component;
    std::string name;
    Json schema;
    std::vector<const clang::TagDecl*> uses = {};  ///< the types that its schema refers to
    std::vector<Generated> generated = {};         ///< in its members
    bool is_local = false;                         ///< of the route file, or made of a type of it
    bool needs_code = true;  ///< false: FW_JSON lists its members, and can write them
    std::vector<TypeFailures::Failure> failures = {};
  };

  Schema schema_of(clang::QualType type, clang::TypeLoc written) override;
  const Json& resolved(const Json& schema) const override;
  bool is_endless() const override { return is_endless_; }
  Schema arithmetic(const clang::BuiltinType& type);
  Schema standard(clang::QualType type, const clang::ClassTemplateSpecializationDecl& record,
                  clang::TypeLoc written);
  Schema framework(clang::QualType type, const clang::CXXRecordDecl& record,
                   clang::TypeLoc written);
  Schema field(const clang::ClassTemplateSpecializationDecl& record, clang::TypeLoc written);
  Schema list(clang::QualType item, clang::TypeLoc written);
  Schema variant(const clang::ClassTemplateSpecializationDecl& record, clang::TypeLoc written);
  Schema reference(const clang::TagDecl& tag, clang::QualType type);
  Schema generated(const clang::TagDecl& tag, clang::QualType type);
  bool read_enumeration(const clang::EnumDecl& enumeration, model::CppType& type, Known& known);
  bool read_struct(const clang::CXXRecordDecl& record, model::CppType& type, Known& known);

  /// The names of alternatives that have a type in JSON in common with another one.
  std::vector<std::string> names_of_equal_types(const std::vector<Json>& alternatives,
                                                const std::vector<std::string>& names) const;
  struct VariantProblem {
    std::string message;
    std::string help;
  };
  /// Structs that a member tells apart, beside an alternative that has no members: null.
  std::optional<VariantProblem> mixed_failure(const std::vector<Json>& alternatives,
                                              const std::vector<std::string>& names) const;

  /// Whether a request can be read into the structs of the type that was read last.
  bool can_be_read();
  /// Adds a failure for the first generated struct.
  bool has_no_generated_struct(const std::vector<Generated>& types);
  std::optional<model::TypeUse> use_of(clang::QualType type, clang::TypeLoc written);
  std::optional<model::TypeUse> read_quietly(clang::QualType type);
  void collect(const clang::TagDecl& tag, std::set<const clang::TagDecl*>& seen,
               std::vector<const clang::TagDecl*>& order) const;

  FileContext& context_;
  TypeFailures failures_{context_};  ///< of what is being read
  llvm::DenseMap<const clang::TagDecl*, std::size_t> index_;
  std::vector<Known> known_;
  std::vector<const clang::TagDecl*>* uses_ = nullptr;  ///< of what is being read
  std::vector<const clang::TagDecl*> read_;             ///< all that the last type contains
  std::vector<Generated>* generated_ = nullptr;         ///< in what is being read
  std::vector<Generated> named_;                        ///< generated ones that the last type names
  llvm::DenseMap<const clang::ClassTemplateDecl*, unsigned> nested_;  ///< of each, in the path
  bool needs_code_ =
      false;  ///< whether what is being read contains what only generated code writes
  bool is_endless_ = false;  ///< whether a template contains a new type of itself at each level
  bool is_input_ = false;    ///< whether a part of the request is being read
};

}  // namespace fairway::frontend
