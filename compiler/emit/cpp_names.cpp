#include "emit/cpp_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.hpp"

namespace fairway::emit {
namespace {

// Keywords of C++20 (alternative tokens included), and names that common headers and compilers
// define as macros.
constexpr auto kReserved = std::to_array<std::string_view>({
    "BUFSIZ",
    "EOF",
    "EXIT_FAILURE",
    "EXIT_SUCCESS",
    "HUGE_VAL",
    "INFINITY",
    "NAN",
    "NULL",
    "OVERFLOW",
    "RAND_MAX",
    "SEEK_CUR",
    "SEEK_END",
    "SEEK_SET",
    "UNDERFLOW",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "major",
    "makedev",
    "minor",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
});
static_assert(std::ranges::is_sorted(kReserved));

bool is_name_character(char c) { return fw::base::is_alphanumeric(c) || c == '_'; }

bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// A namespace with one of these names would hide names that generated code refers to.
bool hides_a_namespace(std::string_view name) { return name == "std" || name == "fw"; }

}  // namespace

std::string cpp_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (!is_continuation_byte(c)) name += is_name_character(c) ? c : '_';
  }
  if (name.empty() || fw::base::is_digit(name.front())) name.insert(0, 1, '_');
  if (std::ranges::binary_search(kReserved, name)) name += '_';
  return name;
}

std::string type_name(std::string_view text) {
  std::string name;
  bool capital = true;
  for (const char c : text) {
    if (fw::base::is_alphanumeric(c)) {
      name += capital ? fw::base::to_upper(c) : c;
      capital = false;
    } else {
      capital = true;
    }
  }
  return cpp_name(name);
}

std::string namespace_of(std::string_view path) {
  path = path.substr(0, path.rfind('.'));
  std::string result;
  while (true) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    std::string name = cpp_name(path.substr(0, slash));
    if (hides_a_namespace(name)) name += '_';
    result += name;
    if (slash == path.size()) return result;
    result += "::";
    path.remove_prefix(slash + 1);
  }
}

namespace {

std::string global_name(std::string name, std::string_view path, std::string_view application) {
  if (!application.empty()) name.append(application).append("_");
  for (const char c : path) {
    if (fw::base::is_alphanumeric(c)) {
      name += c;
    } else {
      name += fmt::format("_{:02x}", static_cast<unsigned char>(c));
    }
  }
  return name;
}

}  // namespace

std::string export_name(std::string_view path, std::string_view application) {
  return global_name("fairway_export_", path, application);
}

std::string types_name(std::string_view path, std::string_view application) {
  return global_name("fairway_types_", path, application);
}

std::string app_function(std::string_view application) {
  return application.empty() ? "fairway_app" : std::string(application) + "_app";
}

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const bool may_be_trigraph = c == '?' && literal.back() == '?';
    if (c == '"' || c == '\\' || may_be_trigraph) {
      literal.append("\\").append(1, c);
    } else if (c == '\n') {
      literal += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      literal += c;
    }
  }
  return literal + '"';
}

std::string raw_literal(std::string_view text) {
  const bool is_raw = text.find(")\"") == std::string_view::npos &&
                      text.find_first_of("\"\\") != std::string_view::npos;
  return is_raw ? fmt::format("R\"({})\"", text) : string_literal(text);
}

std::string comment_text(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  // NEL and the line and paragraph separators are line ends in some languages and editors.
  for (const std::string_view end : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    for (std::size_t at = line.find(end); at != std::string::npos; at = line.find(end, at)) {
      line.replace(at, end.size(), " ");
    }
  }
  // `??/` is a backslash for old compilers.
  while (line.ends_with('\\') || line.ends_with(' ') || line.ends_with("?\?/")) line.pop_back();
  return line;
}

}  // namespace fairway::emit
