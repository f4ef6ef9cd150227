// Names in generated C++.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fairway::emit {

/// A C++ name for any text: characters that names cannot have become `_`, a leading digit gets a
/// `_` before it, keywords and well-known macros one at the end.
std::string cpp_name(std::string_view text);

/// As `cpp_name`, with the words of the text joined in PascalCase: "line-item" gives "LineItem".
std::string type_name(std::string_view text);

/// The namespace of a route file: "routes/api/users.cpp" gives "routes::api::users".
std::string namespace_of(std::string_view path);

/// The name of a file's default export: "routes/users.cpp" gives
/// "fairway_export_routes_2fusers_2ecpp", with `application` of several "fairway_export_<name>_…".
std::string export_name(std::string_view path, std::string_view application);

/// "fairway_app" for a program's only application, else "<name>_app".
std::string app_function(std::string_view application);

/// `text` in quotes, escaped; ASCII only for ASCII strings.
std::string string_literal(std::string_view text);

/// The text of a `//` comment in C++ or TypeScript: one line that does not continue.
std::string comment_text(std::string_view text);

/// Hands out names that are unique within one scope.
class Scope {
 public:
  Scope(std::initializer_list<std::string> taken) : taken_(taken) {}
  /// `wish`, with as many `_` at its end as it needs.
  std::string add(std::string wish) {
    while (!taken_.insert(wish).second) wish += '_';
    return wish;
  }
  bool has(const std::string& name) const { return taken_.contains(name); }

 private:
  std::set<std::string> taken_;
};

}  // namespace fairway::emit
