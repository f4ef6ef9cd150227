#include "model/cpp_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace fairway::model {
namespace {

// Keywords of C++20 (alternative tokens included), and names that common headers and compilers
// define as macros. Macros in capitals need no list: see `without_conflict`.
constexpr auto kReserved = std::to_array<std::string_view>({
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "auto",
    "basename",
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
    "h_errno",
    "i386",
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
    "sa_handler",
    "sa_sigaction",
    "sched_priority",
    "short",
    "signed",
    "sizeof",
    "st_atime",
    "st_ctime",
    "st_mtime",
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

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool is_ascii(std::string_view character) {
  return static_cast<unsigned char>(character.front()) < 0x80;
}

/// The first character of a text, or the bytes that cannot be part of one.
std::string_view first_character(std::string_view text) {
  return text.substr(0, fw::base::utf8_part(text).length);
}

bool may_be_in_identifier(std::string_view character) {
  return is_ascii(character) ? fw::base::is_alphanumeric(character.front())
                             : is_identifier_letter(character) || is_identifier_mark(character);
}

bool may_begin_identifier(std::string_view character) {
  return is_ascii(character) ? !fw::base::is_digit(character.front())
                             : is_identifier_letter(character);
}

/// Whether a macro may have the name: by convention, macros have no lower-case letters.
bool looks_like_macro(std::string_view name) {
  return std::ranges::any_of(name, is_capital) && std::ranges::all_of(name, [](char c) {
           return is_capital(c) || fw::base::is_digit(c) || c == '_';
         });
}

/// How the characters that an identifier cannot contain appear in a name.
enum class Others { as_underscores, in_hexadecimal };

/// The characters of a text that an identifier may contain, and the others without `__`, which is
/// reserved.
std::string identifier_characters(std::string_view text, Others others) {
  std::string name;
  const auto add = [&](std::string_view part) {
    for (const char c : part) {
      if (c != '_' || !name.ends_with('_')) name += c;
    }
  };
  while (!text.empty()) {
    const std::string_view character = first_character(text);
    text.remove_prefix(character.size());
    if (may_be_in_identifier(character)) {
      add(character);
    } else if (others == Others::as_underscores || character == "_") {
      add("_");
    } else {
      for (const char c : character) {
        add(fmt::format("_x{:02x}_", static_cast<unsigned char>(c)));
      }
    }
  }
  return name;
}

/// A name that is not reserved, not a keyword and not a macro.
std::string without_conflict(std::string name) {
  if (name.size() > 1 && name[0] == '_' && is_capital(name[1])) {
    name.erase(0, 1);
    if (!name.ends_with('_')) name += '_';
  }
  if (name.empty() || !may_begin_identifier(first_character(name))) name.insert(0, 1, '_');
  const bool is_taken = looks_like_macro(name) || std::ranges::binary_search(kReserved, name);
  if (is_taken && !name.ends_with('_')) name += '_';
  return name;
}

// A namespace with one of these names would hide names that generated code refers to.
bool hides_a_namespace(std::string_view name) { return name == "std" || name == "fw"; }

/// The words of a text in PascalCase; characters that are not `in_word` separate words.
std::string joined_words(std::string_view text, bool (*in_word)(std::string_view)) {
  std::string name;
  bool capital = true;
  while (!text.empty()) {
    const std::string_view character = first_character(text);
    text.remove_prefix(character.size());
    if (in_word(character)) {
      if (capital) {
        name.append(1, fw::base::to_upper(character.front())).append(character.substr(1));
      } else {
        name += character;
      }
    }
    capital = !in_word(character);
  }
  return name;
}

}  // namespace

std::string cpp_name(std::string_view text) {
  return without_conflict(identifier_characters(text, Others::as_underscores));
}

std::vector<std::string> distinct_cpp_names(std::span<const std::string> texts, NameScope& scope) {
  std::map<std::string, int> uses;
  for (const std::string& text : texts) ++uses[cpp_name(text)];
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    std::string name = cpp_name(text);
    if (uses[name] > 1 && name != text) {
      name = without_conflict(identifier_characters(text, Others::in_hexadecimal));
    }
    names.push_back(scope.add(std::move(name)));
  }
  return names;
}

std::string type_name(std::string_view text) {
  return without_conflict(joined_words(text, may_be_in_identifier));
}

std::string pascal_case(std::string_view text) {
  std::string name = joined_words(text, [](std::string_view character) {
    return fw::base::is_alphanumeric(character.front());
  });
  if (name.empty() || fw::base::is_digit(name.front())) name.insert(0, 1, '_');
  return name;
}

std::string NameScope::add(std::string wish) {
  if (taken_.insert(wish).second) return wish;
  if (!wish.ends_with('_')) wish += '_';
  std::string name = wish;
  for (int number = 2; !taken_.insert(name).second; ++number) name = wish + std::to_string(number);
  return name;
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

std::string routes_header_path(std::string_view path) {
  return fmt::format("fairway/{}.routes.hpp", path.substr(0, path.rfind('.')));
}

std::string included_routes_header(std::string_view path) {
  constexpr std::string_view kFolder = "fairway/routes/";
  return routes_header_path(path).substr(kFolder.size());
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

}  // namespace fairway::model
