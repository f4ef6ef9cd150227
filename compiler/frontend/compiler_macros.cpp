#include "frontend/compiler_macros.hpp"

#include <algorithm>
#include <iterator>

namespace fairway::frontend {

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
  constexpr std::string_view kEqual[] = {"__has_include", "__has_include_next", "__DECIMAL_DIG__",
                                         "__DEPRECATED",  "__cpp_exceptions",   "__cpp_rtti"};
  if (std::ranges::find(kEqual, name) != std::end(kEqual)) return false;
  // "__INT64_FMTd__" and "__INT64_C_SUFFIX__" are Clang's, "__DBL_IS_IEC_60559__" is GCC's.
  const bool is_of_type = name.find("_FMT") != std::string_view::npos ||
                          name.ends_with("_C_SUFFIX__") || name.ends_with("_IS_IEC_60559__");
  if (name.starts_with("__") && is_of_type) return true;
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); }) ||
         std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace fairway::frontend
