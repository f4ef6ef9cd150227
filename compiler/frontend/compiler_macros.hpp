// The macros that have another value when the program is built: GCC does not define all macros of
// Clang, and the program has other flags, such as -O2, than the route compiler.
#pragma once

#include <string_view>

namespace fairway::frontend {

/// Whether another compiler, or other flags, may give the macro another value. A test compares the
/// rule with what GCC and Clang define.
bool is_compiler_macro(std::string_view name);

}  // namespace fairway::frontend
