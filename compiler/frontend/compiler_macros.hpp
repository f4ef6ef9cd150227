// The macros that have another value when the program is built: GCC does not define those of Clang,
// and flags such as -O2 are not those of the route compiler.
#pragma once

#include <string_view>

namespace fairway::frontend {

/// Whether another compiler, or other flags, may give the macro another value. A test compares the
/// rule with what GCC and Clang define.
bool is_compiler_macro(std::string_view name);

}  // namespace fairway::frontend
