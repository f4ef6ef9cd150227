// The names that the enumerators of an enumeration have in JSON.
#pragma once

#include <clang/AST/Decl.h>

#include <optional>
#include <string>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// As NLOHMANN_JSON_SERIALIZE_ENUM says, otherwise as the application's `JSON_NAMES` does.
///
///   enum class Color { red, green };
///   NLOHMANN_JSON_SERIALIZE_ENUM(Color, {{Color::red, "RED"}, {Color::green, "GREEN"}})
std::string enumerator_name(const FileContext& context, const clang::EnumConstantDecl& enumerator);

/// Why the macro does not give each enumerator one name.
struct EnumeratorFailure {
  std::string message;
  std::string help;
  clang::SourceLocation location;
};

/// Empty if all names are known.
std::optional<EnumeratorFailure> failure_of_names(const FileContext& context,
                                                  const clang::EnumDecl& enumeration);

}  // namespace fairway::frontend
