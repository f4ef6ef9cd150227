// The values that the members of a struct have if the input lacks them.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// What the default constructor of a struct does to members with initialisers.
enum class ConstructorEffect {
  none,     ///< they have the values of their initialisers
  unknown,  ///< code, which the route compiler does not run, may give them others
};

/// Members that the constructor's own list initialises are found by `member_initialiser`.
ConstructorEffect constructor_effect(const clang::CXXRecordDecl& record);

/// The expression from which a member gets its value in a new object: of the default constructor,
/// or else of the member itself. Null if there is none, or if a template is not instantiated.
const clang::Expr* member_initialiser(const clang::CXXRecordDecl& record,
                                      const clang::FieldDecl& field);

/// Whether the default constructor of the struct can change the members of a base, which have other
/// values then than in a new object of the base.
bool sets_members_of_base(const clang::CXXRecordDecl& record, const clang::CXXBaseSpecifier& base);

/// The string of a `fw::Field<"…">`; empty for other types.
std::string field_text(clang::QualType type);

/// The values of a default that its type rejects.
struct DefaultCheck {
  struct Error {
    clang::SourceRange range;
    std::string message;  ///< "an item of the default of the member 'a' must be at most 10"
    std::string help;
  };

  std::string name;  ///< "the default of the member 'a'"
  int depth = 0;     ///< of the containers around the value that is read
  std::vector<Error> errors = {};
};

/// The value in JSON of an initialiser of a member with this type, without its `std::optional`;
/// empty if it is not known, or an empty optional. `schema` describes the type. Adds the errors in
/// the value and in its known items to `check`.
std::optional<nlohmann::ordered_json> default_value(const FileContext& context,
                                                    const clang::Expr& initialiser,
                                                    clang::QualType type,
                                                    const nlohmann::ordered_json& schema,
                                                    DefaultCheck& check);

/// Whether a value of this type keeps members that the input lacks: a struct, or a `std::array` of
/// structs.
bool keeps_members(clang::QualType type);

/// Whether the initialiser makes the same value as a new object of the type: `{}`.
bool is_new_value(const clang::Expr& initialiser);

}  // namespace fairway::frontend
