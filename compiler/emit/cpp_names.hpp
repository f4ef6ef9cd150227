// Names in generated C++.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fairway::emit {

/// A C++ name for any text. Invalid characters become `_`. A `_` is added before a leading digit
/// and after keywords and well-known macros.
std::string cpp_name(std::string_view text);

/// Like `cpp_name`, with the words of the text joined in PascalCase: "line-item" gives "LineItem".
std::string type_name(std::string_view text);

/// The namespace of a route file: "routes/api/users.cpp" gives "routes::api::users".
std::string namespace_of(std::string_view path);

/// The name of a file's default export: "routes/users.cpp" gives
/// "fairway_export_routes_2fusers_2ecpp", or "fairway_export_<name>_…" for one of several
/// applications.
std::string export_name(std::string_view path, std::string_view application);

/// Like `export_name`, for the array of its types: "fairway_types_routes_2fusers_2ecpp".
std::string types_name(std::string_view path, std::string_view application);

/// "fairway_app" for the only application of a program, otherwise "<name>_app".
std::string app_function(std::string_view application);

/// `text` as an escaped literal in quotes.
std::string string_literal(std::string_view text);

/// The same as a raw literal if `text` would need escapes otherwise.
std::string raw_literal(std::string_view text);

/// The text for a `//` comment in C++ or TypeScript, in one line that no character can continue.
std::string comment_text(std::string_view text);

/// Creates names that are unique within a scope.
class Scope {
 public:
  Scope(std::initializer_list<std::string> taken) : taken_(taken) {}
  /// `wish`, followed by as many `_` as necessary.
  std::string add(std::string wish) {
    while (!taken_.insert(wish).second) wish += '_';
    return wish;
  }
  bool has(const std::string& name) const { return taken_.contains(name); }

 private:
  std::set<std::string> taken_;
};

}  // namespace fairway::emit
