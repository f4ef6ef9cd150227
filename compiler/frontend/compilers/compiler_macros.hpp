// The macros that have another value when the program is built: GCC does not define all macros of
// Clang, and the program has other flags, such as -O2, than the route compiler.
#pragma once

#include <span>
#include <string_view>

namespace fairway::frontend {

/// Whether another compiler, or other flags, may give the macro another value. A test compares the
/// rule, and the lists, with what GCC and Clang define.
bool is_compiler_macro(std::string_view name);

struct PredefinedMacro {
  std::string_view name;
  std::string_view definition;  ///< its parameters and its text, as after `#define NAME`
};
/// The macros that GCC 12 defines, and Clang does not or with another value, except the limits of
/// types that only GCC has.
std::span<const PredefinedMacro> gcc_macros();
/// The macros that only Clang defines, except formats of integers.
std::span<const std::string_view> clang_macros();
/// The headers that GCC has, if it is installed completely, and Clang has not.
std::span<const std::string_view> gcc_headers();
/// Whether each version of GCC that can build a program defines this macro, which Clang defines.
bool is_defined_by_every_compiler(std::string_view name);

}  // namespace fairway::frontend
