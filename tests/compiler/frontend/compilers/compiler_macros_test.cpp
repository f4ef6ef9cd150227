// The macros that GCC and Clang predefine, against the rule for those that differ.
#include "frontend/compilers/compiler_macros.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "temporary_directory.hpp"

namespace compiler_macros_test {
namespace {

using fairway::test::TemporaryDirectory;
using Macros = std::map<std::string, std::string>;  ///< their text by name

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  std::array<char, 4096> chunk{};
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
    output.append(chunk.data(), count);
  }
  ::pclose(pipe);
  return output;
}

Macros macros_of(const std::string& compiler, const std::string& flags) {
  std::istringstream lines(
      output_of("'" + compiler + "' -std=c++20 " + flags + " -dM -E -x c++ /dev/null 2>/dev/null"));
  Macros macros;
  // "#define NAME text", "#define NAME(parameter) text"
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find_first_of(" (", 8);
    macros[line.substr(8, end - 8)] = end == std::string::npos ? "" : line.substr(end);
  }
  return macros;
}

/// The macros of both compilers that have other texts, but the same types or values.
std::set<std::string> equal_macros(const Macros& gcc, const Macros& clang) {
  std::vector<std::string> names;
  std::string source =
      "template <class, class> constexpr bool same = false;\n"
      "template <class T> constexpr bool same<T, T> = true;\n"
      "#line 1\n";
  for (const auto& [name, text] : gcc) {
    const auto other = clang.find(name);
    if (other == clang.end() || other->second == text || text.starts_with('(')) continue;
    names.push_back(name);
    source += name.ends_with("_TYPE__")
                  ? "static_assert(same<" + text + ", " + other->second + ">);\n"
                  : "static_assert((" + text + ") == (" + other->second + "));\n";
  }
  const TemporaryDirectory directory;
  directory.write("equal.cpp", source);
  const std::string errors = output_of("'" GCC_PROGRAM "' -std=c++20 -w -fsyntax-only '" +
                                       (directory.path() / "equal.cpp").string() + "' 2>&1");
  std::set<std::string> equal(names.begin(), names.end());
  const std::regex place(R"(equal\.cpp:(\d+):\d+: error)");
  for (std::sregex_iterator each(errors.begin(), errors.end(), place), end; each != end; ++each) {
    equal.erase(names.at(std::stoul((*each)[1]) - 1));
  }
  return equal;
}

/// Other versions have other values, although these two agree.
bool depends_on_version(const std::string& name) {
  for (const char* prefix : {"__cpp_", "__GCC_", "__GNUC_MINOR__", "__FLT16_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

/// Other flags of the same compiler have other values.
bool depends_on_flags(const std::string& name) {
  for (const char* each :
       {"__NO_INLINE__", "__FINITE_MATH_ONLY__", "__BIGGEST_ALIGNMENT__", "__k8", "__k8__",
        "__FAST_MATH__", "__NO_MATH_ERRNO__", "__code_model_small__"}) {
    if (name == each) return true;
  }
  return name.starts_with("__OPTIMIZE");
}

}  // namespace

TEST_CASE("compiler macros: the rule is what GCC and Clang define differently") {
  for (const char* flags : {"-O0", "-O2", "-O3", "-Os", "-O2 -fPIC", "-std=gnu++20", "-ffast-math",
                            "-O2 -march=x86-64-v3", "-O2 -fstack-protector-strong",
                            "-fno-exceptions -fno-rtti", "-pthread"}) {
    CAPTURE(flags);
    const Macros gcc = macros_of(GCC_PROGRAM, flags);
    const Macros clang = macros_of(CLANG_PROGRAM, flags);
    REQUIRE(gcc.size() > 300);
    REQUIRE(clang.size() > 300);
    std::set<std::string> equal = equal_macros(gcc, clang);
    Macros all = gcc;
    all.insert(clang.begin(), clang.end());
    for (const auto& [name, text] : all) {
      CAPTURE(name);
      if (name == "__FLT_EVAL_METHOD__") continue;  // Clang computes it, and does not print it
      if (name.ends_with("64_C")) continue;         // the C library defines it for all
      const auto of_gcc = gcc.find(name);
      const auto of_clang = clang.find(name);
      const bool are_defined = of_gcc != gcc.end() && of_clang != clang.end();
      const bool is_equal =
          are_defined && (of_gcc->second == of_clang->second || equal.contains(name));
      const bool may_differ = depends_on_version(name) || depends_on_flags(name);
      if (!is_equal) CHECK(fairway::frontend::is_compiler_macro(name));
      if (is_equal && !may_differ) CHECK_FALSE(fairway::frontend::is_compiler_macro(name));
    }
  }
}

TEST_CASE("compiler macros: the lists are what only one compiler defines") {
  const Macros gcc = macros_of(GCC_PROGRAM, "-x c++ -include version");
  const Macros clang = macros_of(CLANG_PROGRAM, "-x c++ -include version");
  const Macros clang23 = macros_of(CLANG_PROGRAM, "-std=c++23");
  const bool is_oldest = gcc.at("__GNUC__") == " 12";
  for (const auto& macro : fairway::frontend::gcc_macros()) {
    CAPTURE(macro.name);
    const std::string name(macro.name);
    CHECK(fairway::frontend::is_compiler_macro(name));
    REQUIRE(gcc.contains(name));
    if (is_oldest) CHECK(gcc.at(name) == macro.definition);
  }
  for (const std::string_view macro : fairway::frontend::clang_macros()) {
    CAPTURE(macro);
    const std::string name(macro);
    CHECK(fairway::frontend::is_compiler_macro(name));
    if (is_oldest) CHECK_FALSE(gcc.contains(name));
    CHECK((clang23.contains(name) || name == "__BIG_ENDIAN__"));
  }
  const std::regex without(R"(__(FLT|DEC)\d+X?_\w+|\w*_FMT\w*|\w*_SUFFIX__|_STDC_PREDEF_H)"
                           R"(|__(CLANG|FPCLASS|MEMORY|OPENCL|STDC_EMBED)_\w+|__(tune|seg)_\w+)"
                           R"(|__ATOMIC_HLE_\w+|__DECIMAL_BID_FORMAT__|__FLOAT_WORD_ORDER__)"
                           R"(|__MMX_WITH_SSE__|__SIZEOF_FLOAT80__)");
  const auto is_in = [](const auto& list, const auto& name, auto... member) {
    return std::ranges::find(list, std::string_view(name), member...) != list.end();
  };
  for (const auto& [name, text] : gcc) {
    CAPTURE(name);
    if (clang.contains(name) || std::regex_match(name, without)) continue;
    if (!fairway::frontend::is_compiler_macro(name)) continue;
    CHECK(is_in(fairway::frontend::gcc_macros(), name, &fairway::frontend::PredefinedMacro::name));
  }
  for (const auto& [name, text] : clang) {
    CAPTURE(name);
    if (gcc.contains(name) || std::regex_match(name, without)) continue;
    if (!fairway::frontend::is_compiler_macro(name)) continue;
    CHECK(is_in(fairway::frontend::clang_macros(), name));
  }
  CHECK(fairway::frontend::is_compiler_macro("__code_model_32__"));  // only GCC's, with -m32
  CHECK(fairway::frontend::is_defined_by_every_compiler("__GNUC__"));
  CHECK(fairway::frontend::is_defined_by_every_compiler("__cpp_concepts"));
  CHECK_FALSE(fairway::frontend::is_defined_by_every_compiler("__clang__"));
  CHECK_FALSE(fairway::frontend::is_defined_by_every_compiler("__OPTIMIZE__"));
}

TEST_CASE("compiler macros: the macros of the standard library are defined in its headers") {
  for (const char* standard : {"-std=c++20", "-std=c++23"}) {
    const std::string flags = std::string(standard) + " -x c++ -include version";
    const Macros gcc = macros_of(GCC_PROGRAM, flags);
    const Macros clang = macros_of(CLANG_PROGRAM, flags);
    for (const auto& [name, text] : gcc) {
      if (!name.starts_with("__cpp_lib_")) continue;
      CAPTURE(name);
      const auto other = clang.find(name);
      const bool is_equal = other != clang.end() && other->second == text;
      CHECK(fairway::frontend::is_compiler_macro(name) == !is_equal);
    }
  }
}

TEST_CASE("compiler macros: the level of optimisation is not known") {
  for (const char* compiler : {GCC_PROGRAM, CLANG_PROGRAM}) {
    const Macros debug = macros_of(compiler, "-O0");
    for (const char* flags : {"-O1", "-O2", "-O3", "-Os", "-Og"}) {
      const Macros release = macros_of(compiler, flags);
      Macros all = debug;
      all.insert(release.begin(), release.end());
      for (const auto& [name, text] : all) {
        const auto before = debug.find(name);
        const auto after = release.find(name);
        const bool is_equal =
            before != debug.end() && after != release.end() && before->second == after->second;
        CAPTURE(name);
        if (!is_equal) CHECK(fairway::frontend::is_compiler_macro(name));
      }
    }
  }
}

TEST_CASE("compiler macros: macros of platforms and of projects are none") {
  for (const char* name :
       {"__linux__", "__x86_64__", "__aarch64__", "__APPLE__", "_WIN32", "__cplusplus",
        "__SIZEOF_INT__", "__INT_MAX__", "__BYTE_ORDER__", "__FLT_MAX__", "__DBL_EPSILON__",
        "__INT64_TYPE__", "NDEBUG", "MY_OPTION", "_GNU_SOURCE", "__has_include", "__cpp_exceptions",
        "__cpp_lib_format"}) {
    CAPTURE(name);
    CHECK_FALSE(fairway::frontend::is_compiler_macro(name));
  }
}

}  // namespace compiler_macros_test
