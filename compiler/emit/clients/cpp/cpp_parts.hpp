// The parts of a C++ client, each emitted by its own source file.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emit/clients/client_api.hpp"
#include "emit/source_parts.hpp"
#include "model/application.hpp"
#include "model/cpp_names.hpp"

namespace fairway::emit {

// The part of a C++ client that is the same for all APIs: errors, options, JSON, connections,
// retries; and sockets, for the clients that have any. Its source is in support/.

std::string_view cpp_support();
std::string_view cpp_socket_support();

// Doc comments of generated C++.

/// `text` as `///` lines; empty for a blank text.
inline std::string doc_comment(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = comment_text(text.substr(0, end));
    if (!line.empty() || !lines.empty()) lines += line.empty() ? "///\n" : "/// " + line + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (lines.ends_with("///\n")) lines.resize(lines.size() - 4);
  return lines;
}

// cpp_types.cpp: The C++ types for the schemas of a document.

/// The scope in which new types are declared: the namespace of the client, or a struct.
struct TypeScope {
  model::NameScope& names;
  std::string declarations = {};  ///< complete lines
};

struct CppType {
  std::string expression;   ///< "std::vector<Order>"
  bool nullable = false;    ///< JSON null is a valid value
  bool incomplete = false;  ///< is being declared, so it cannot be a member by value
};

/// Types at namespace scope are declared once, at their first use.
class CppTypes {
 public:
  /// `schemas` are the members of `#/components/schemas`, `names` the names of the namespace.
  CppTypes(const model::Json& schemas, model::NameScope& names);

  /// The type of a schema, including null values. The names of new types begin with `wish`.
  std::string type(const model::Json& schema, const std::string& wish);
  /// Like `type`, for a form: strings with the format "binary" are files.
  std::string form_type(const model::Json& schema, const std::string& wish);

  /// The target of a `$ref`, or `schema` itself.
  const model::Json& resolve(const model::Json& schema) const;

  /// All declarations at namespace scope.
  std::string declarations() const;

 private:
  void reserve(const std::string& pointer);
  void reserve_references(const model::Json& schema);
  CppType use(const model::Json& schema, const std::string& wish, TypeScope& scope);
  CppType use_reference(const std::string& pointer);
  CppType use_form_part(const model::Json& schema, const std::string& wish, TypeScope& scope);
  CppType use_choice(const model::Json& choices, const std::string& wish, TypeScope& scope);
  CppType use_several_types(const model::Json& schema, const std::string& wish, TypeScope& scope);
  CppType use_enumeration(const model::Json& values, const std::string& wish, TypeScope& scope);
  CppType use_array(const model::Json& schema, const std::string& wish, TypeScope& scope);
  CppType use_object(const model::Json& schema, const std::string& wish, TypeScope& scope);
  std::string struct_text(const model::Json& schema, const std::string& name);
  static std::string enumeration_text(const model::Json& values, const std::string& name,
                                      bool nested);

  const model::Json& schemas_;
  model::NameScope& names_;
  TypeScope outer_;
  bool in_form_ = false;
  std::map<std::string, std::string> names_by_pointer_;  ///< of objects and enumerations
  std::set<std::string> declared_;                       ///< pointers
  std::set<std::string> forms_;                          ///< pointers in `declared_` that are forms
  std::set<std::string> open_;     ///< pointers that are being declared or inlined
  std::set<std::string> forward_;  ///< structs that are used before they are complete
};

// cpp_request.cpp: The parameters of a method of a C++ client, and the code that builds the
// request.

struct CppRequest {
  std::string name;          ///< of the struct; empty if the operation has no input
  std::string declaration;   ///< of the struct
  bool is_optional = false;  ///< all members are optional
  std::string building;      ///< statements that fill `call`
};

CppRequest cpp_request(const ClientOperation& operation, CppTypes& types, model::NameScope& names);

// cpp_operations.cpp: The methods of a C++ client and their request structs.

/// The code of an operation. Declares its types in `types`.
struct CppOperation {
  std::string request;  ///< declaration of its request struct, or empty
  std::string result;   ///< declaration of its result type, or empty
  std::string method;   ///< definition
};

/// `errors` are the exceptions for `ClientApi::errors`, `names` the names of the namespace,
/// `methods` the methods of the class.
CppOperation cpp_operation(const ClientOperation& operation, bool envelope,
                           const std::vector<std::string>& errors, CppTypes& types,
                           model::NameScope& names, model::NameScope& methods);

}  // namespace fairway::emit
