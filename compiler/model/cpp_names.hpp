// Names in generated C++.
#pragma once

#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::model {

/// Creates names that are unique within a scope.
class NameScope {
 public:
  NameScope(std::initializer_list<std::string> taken) : taken_(taken) {}
  /// `wish`, followed by `_`, `_2`, `_3` … if it is taken.
  std::string add(std::string wish);
  bool has(const std::string& name) const { return taken_.contains(name); }

 private:
  std::set<std::string> taken_;
};

/// A C++ name for any text: its letters, digits and `_`, with one `_` for everything else. A name
/// without lower-case letters, which may be a macro, ends with `_`; so do keywords and the macros
/// in lower case. Different texts may have the same name.
std::string cpp_name(std::string_view text);

/// The C++ names of several texts in one scope. Of texts that would have the same name, those that
/// are no names themselves are spelled with hexadecimal codes, so that the name of a text never
/// depends on its position: "a-b", "a b" give `a_x2d_b`, `a_x20_b`.
std::vector<std::string> distinct_cpp_names(std::span<const std::string> texts, NameScope& scope);

/// Like `cpp_name`, with the words of the text joined in PascalCase: "line-item" gives "LineItem".
std::string type_name(std::string_view text);

/// The words of a text in PascalCase, in ASCII letters and digits: for names in documents and in
/// TypeScript.
std::string pascal_case(std::string_view text);

/// The namespace of a route file: "routes/api/users.cpp" gives "routes::api::users".
std::string namespace_of(std::string_view path);

/// The path of the header with the types of a route file, below the include directory:
/// "fairway/routes/api/users.routes.hpp" for "routes/api/users.cpp".
std::string routes_header_path(std::string_view path);

/// The same as source files include it: "api/users.routes.hpp".
std::string included_routes_header(std::string_view path);

/// The name of a file's default export: "routes/users.cpp" gives
/// "fairway_export_routes_2fusers_2ecpp", or "fairway_export_<name>_…" for one of several
/// applications.
std::string export_name(std::string_view path, std::string_view application);

/// Like `export_name`, for the array of its types: "fairway_types_routes_2fusers_2ecpp".
std::string types_name(std::string_view path, std::string_view application);

/// "fairway_app" for the only application of a program, otherwise "<name>_app".
std::string app_function(std::string_view application);

// identifier_letters.cpp: The characters beyond ASCII that identifiers may contain in all compilers
// that can build generated code: GCC 10 and newer, Clang 14 and newer.

/// Whether an identifier may begin with the character, which is not ASCII: a code point in UTF-8.
bool is_identifier_letter(std::string_view character);

/// Whether an identifier may contain the character, but not begin with it.
bool is_identifier_mark(std::string_view character);

}  // namespace fairway::model
