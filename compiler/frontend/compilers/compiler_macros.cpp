#include "frontend/compilers/compiler_macros.hpp"

#include <algorithm>
#include <iterator>

namespace fairway::frontend {
namespace {

constexpr PredefinedMacro kGcc[] = {
    {"__GNUC__", " 12"},
    {"__GNUC_MINOR__", " 2"},
    {"__GNUC_PATCHLEVEL__", " 0"},
    {"__GNUG__", " 12"},
    {"__VERSION__", " \"12.2.0\""},
    {"__GXX_ABI_VERSION", " 1017"},
    {"__GNUC_STDC_INLINE__", " 1"},
    {"__GNUC_EXECUTION_CHARSET_NAME", " \"UTF-8\""},
    {"__GNUC_WIDE_EXECUTION_CHARSET_NAME", " \"UTF-32LE\""},
    {"__GCC_IEC_559", " 2"},
    {"__GCC_IEC_559_COMPLEX", " 2"},
    {"__HAVE_SPECULATION_SAFE_VALUE", " 1"},
    {"_STDC_PREDEF_H", " 1"},
    {"__STDC_IEC_559__", " 1"},
    {"__STDC_IEC_559_COMPLEX__", " 1"},
    {"__STDC_IEC_60559_BFP__", " 201404L"},
    {"__STDC_IEC_60559_COMPLEX__", " 201404L"},
    {"__STDC_ISO_10646__", " 201706L"},
    {"__DEC_EVAL_METHOD__", " 2"},
    {"__FLT_EVAL_METHOD_TS_18661_3__", " 0"},
    {"__FLT_IS_IEC_60559__", " 2"},
    {"__DBL_IS_IEC_60559__", " 2"},
    {"__LDBL_IS_IEC_60559__", " 2"},
    {"__CHAR8_TYPE__", " unsigned char"},
    {"__INT8_C", "(c) c"},
    {"__INT16_C", "(c) c"},
    {"__INT32_C", "(c) c"},
    {"__INTMAX_C", "(c) c ## L"},
    {"__UINT8_C", "(c) c"},
    {"__UINT16_C", "(c) c"},
    {"__UINT32_C", "(c) c ## U"},
    {"__UINTMAX_C", "(c) c ## UL"},
    {"__INT_FAST16_MAX__", " 0x7fffffffffffffffL"},
    {"__INT_FAST16_TYPE__", " long int"},
    {"__INT_FAST16_WIDTH__", " 64"},
    {"__INT_FAST32_MAX__", " 0x7fffffffffffffffL"},
    {"__INT_FAST32_TYPE__", " long int"},
    {"__INT_FAST32_WIDTH__", " 64"},
    {"__UINT_FAST16_MAX__", " 0xffffffffffffffffUL"},
    {"__UINT_FAST16_TYPE__", " long unsigned int"},
    {"__UINT_FAST32_MAX__", " 0xffffffffffffffffUL"},
    {"__UINT_FAST32_TYPE__", " long unsigned int"},
    {"__LONG_LONG_WIDTH__", " 64"},
    {"__SCHAR_WIDTH__", " 8"},
    {"__SIG_ATOMIC_MIN__", " (-__SIG_ATOMIC_MAX__ - 1)"},
    {"__SIG_ATOMIC_TYPE__", " int"},
    {"__WCHAR_MIN__", " (-__WCHAR_MAX__ - 1)"},
    {"__WINT_MIN__", " 0U"},
    {"__cpp_char8_t", " 201811L"},
    {"__cpp_consteval", " 201811L"},
    {"__cpp_constexpr", " 202002L"},
    {"__cpp_deduction_guides", " 201907L"},
    {"__cpp_lib_is_layout_compatible", " 201907L"},
    {"__cpp_lib_is_pointer_interconvertible", " 201907L"},
    {"__cpp_nontype_template_args", " 201911L"},
    {"__cpp_nontype_template_parameter_class", " 201806L"},
    {"__cpp_runtime_arrays", " 198712L"},
    {"__cpp_rvalue_reference", " 200610L"},
    {"__cpp_structured_bindings", " 201606L"},
    {"__cpp_unicode_characters", " 201411L"},
};

constexpr std::string_view kClang[] = {
    "__clang__",
    "__clang_major__",
    "__clang_minor__",
    "__clang_patchlevel__",
    "__clang_version__",
    "__clang_literal_encoding__",
    "__clang_wide_literal_encoding__",
    "__llvm__",
    "__BITINT_MAXWIDTH__",
    "__BOOL_WIDTH__",
    "__CONSTANT_CFSTRINGS__",
    "__FLOAT128__",
    "__GNUC_GNU_INLINE__",
    "__LITTLE_ENDIAN__",
    "__BIG_ENDIAN__",
    "__LLONG_WIDTH__",
    "__NO_MATH_INLINES",
    "__OBJC_BOOL_IS_BOOL",
    "__POINTER_WIDTH__",
    "__UINTMAX_WIDTH__",
    "__UINTPTR_WIDTH__",
    "__WINT_UNSIGNED__",
    "__private_extern__",
    "__cpp_auto_cast",
    "__cpp_deleted_function",
    "__cpp_implicit_move",
    "__cpp_named_character_escapes",
    "__cpp_pack_indexing",
    "__cpp_placeholder_variables",
    "__cpp_static_call_operator",
};

constexpr std::string_view kGccHeaders[] = {
    "quadmath.h", "quadmath_weak.h", "omp.h",          "openacc.h",
    "acc_prof.h", "gcov.h",          "backtrace.h",    "stdint-gcc.h",
    "stdfix.h",   "syslimits.h",     "cross-stdarg.h", "backtrace-supported.h"};

}  // namespace

std::span<const PredefinedMacro> gcc_macros() { return kGcc; }
std::span<const std::string_view> clang_macros() { return kClang; }
std::span<const std::string_view> gcc_headers() { return kGccHeaders; }

bool is_defined_by_every_compiler(std::string_view name) {
  if (std::ranges::find(kClang, name) != std::end(kClang)) return false;
  if (name.starts_with("__cpp_") || name == "__has_builtin" || name == "__has_attribute" ||
      name == "__has_cpp_attribute") {
    return true;
  }
  return std::ranges::find(kGcc, name, &PredefinedMacro::name) != std::end(kGcc);
}

bool is_compiler_macro(std::string_view name) {
  // What `-dM` prints for only one of GCC and Clang, or with another value.
  constexpr std::string_view kPrefixes[] = {"__clang",
                                            "__CLANG",
                                            "__GNU",
                                            "__GCC_",
                                            "__GXX_ABI",
                                            "__GXX_MERGED",
                                            "__GXX_TYPEINFO",
                                            "__OPTIMIZE",
                                            "__cpp_",
                                            "__FLT1",
                                            "__FLT3",
                                            "__FLT6",
                                            "__FLT_EVAL_METHOD_TS",
                                            "__FLOAT",
                                            "__FP_FAST",
                                            "__DEC",
                                            "__FPCLASS",
                                            "__SANITIZE",
                                            "__SSP_",
                                            "__has_",
                                            "__ATOMIC_H",
                                            "__BITINT",
                                            "__tune_",
                                            "__k8",
                                            "__code_model_",
                                            "__INT_FAST16",
                                            "__INT_FAST32",
                                            "__UINT_FAST16",
                                            "__UINT_FAST32",
                                            "__OBJC",
                                            "__OPENCL",
                                            "__MEMORY_S",
                                            "__seg_",
                                            "__HAVE_SPEC",
                                            "__STDC_IEC",
                                            "__STDC_EMB",
                                            "__STDC_ISO"};
  constexpr std::string_view kNames[] = {"__llvm__",
                                         "__VERSION__",
                                         "__NO_INLINE__",
                                         "__NO_MATH_INLINES",
                                         "__LITTLE_ENDIAN__",
                                         "__BIG_ENDIAN__",
                                         "__POINTER_WIDTH__",
                                         "__BOOL_WIDTH__",
                                         "__LLONG_WIDTH__",
                                         "__LONG_LONG_WIDTH__",
                                         "__SCHAR_WIDTH__",
                                         "__UINTMAX_WIDTH__",
                                         "__UINTPTR_WIDTH__",
                                         "__MMX_WITH_SSE__",
                                         "__CHAR8_TYPE__",
                                         "__SIG_ATOMIC_MIN__",
                                         "__WCHAR_MIN__",
                                         "__WINT_MIN__",
                                         "__WINT_UNSIGNED__",
                                         "__private_extern__",
                                         "_STDC_PREDEF_H",
                                         "__SIG_ATOMIC_TYPE__",
                                         "__SIZEOF_FLOAT80__",
                                         "__CONSTANT_CFSTRINGS__",
                                         "_OPENMP",
                                         "__NO_SIGNED_ZEROS__",
                                         "__NO_MATH_ERRNO__",
                                         "__NO_TRAPPING_MATH__",
                                         "__FAST_MATH__",
                                         "__RECIPROCAL_MATH__",
                                         "__FINITE_MATH_ONLY__",
                                         "__ASSOCIATIVE_MATH__",
                                         "__GCC_ASM_FLAG_OUTPUTS__",
                                         "__BIGGEST_ALIGNMENT__",
                                         "FAIRWAY_ROUTE_COMPILER"};
  // The others of the standard library are the same, because both compilers read its headers.
  constexpr std::string_view kOfLibrary[] = {"__cpp_lib_is_layout_compatible",
                                             "__cpp_lib_is_pointer_interconvertible"};
  constexpr std::string_view kEqual[] = {"__has_include", "__has_include_next", "__DECIMAL_DIG__",
                                         "__DEPRECATED",  "__cpp_exceptions",   "__cpp_rtti"};
  if (std::ranges::find(kEqual, name) != std::end(kEqual)) return false;
  if (name.starts_with("__cpp_lib_")) {
    return std::ranges::find(kOfLibrary, name) != std::end(kOfLibrary);
  }
  // "__INT64_FMTd__" and "__INT64_C_SUFFIX__" are Clang's, "__DBL_IS_IEC_60559__" and
  // "__INT32_C" GCC's; the C library defines "__INT64_C" for all.
  const bool is_of_type = name.find("_FMT") != std::string_view::npos ||
                          name.ends_with("_C_SUFFIX__") || name.ends_with("_IS_IEC_60559__") ||
                          (name.find("INT") != std::string_view::npos && name.ends_with("_C") &&
                           !name.ends_with("64_C"));
  if (name.starts_with("__") && is_of_type) return true;
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); }) ||
         std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace fairway::frontend
