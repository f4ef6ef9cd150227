// The characters beyond ASCII that identifiers may contain in all compilers that can build
// generated code: GCC 10 and newer, Clang 14 and newer.
#pragma once

#include <string_view>

namespace fairway::model {

/// Whether an identifier may begin with the character, which is not ASCII: a code point in UTF-8.
bool is_identifier_letter(std::string_view character);

/// Whether an identifier may contain the character, but not begin with it.
bool is_identifier_mark(std::string_view character);

}  // namespace fairway::model
