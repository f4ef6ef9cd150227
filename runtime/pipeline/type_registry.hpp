// The generated code of C++ types, at startup.
#pragma once

#include <fairway/generated/typed.hpp>
#include <fairway/type_reference.hpp>

#include <span>
#include <string>
#include <typeinfo>
#include <vector>

namespace fw::detail {

/// The schema in one piece.
std::string schema_text(const TypeRow& row);

/// Makes the code known to all applications of the process. Appends an error for a type that has
/// another schema in another table.
void register_types(std::span<const TypeRow* const> rows, std::vector<std::string>& errors);

/// Throws std::logic_error: "no code was generated for the type 'X'; rebuild the application".
[[noreturn]] void throw_missing_code(const std::type_info& type);

/// The row of a type that is a schema. Throws std::logic_error if there is none.
const TypeRow& row_of(const TypeReference& type);

}  // namespace fw::detail
