// The C++ types of a document's schemas, as a client declares them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emit/cpp_names.hpp"
#include "model/application.hpp"

namespace fairway::emit {

/// Where new types are declared: in the client's namespace, or within a struct.
struct TypeScope {
  Scope& names;
  std::string declarations = {};  ///< complete lines
};

struct CppType {
  std::string expression;   ///< "std::vector<Order>"
  bool nullable = false;    ///< JSON null is a value too
  bool incomplete = false;  ///< is being declared: cannot be held by value
};

/// Types of the namespace scope are declared when they are first used, each once.
class CppTypes {
 public:
  /// `schemas` is what `#/components/schemas` holds; `names` those of the namespace.
  CppTypes(const model::Json& schemas, Scope& names);

  /// The type of a schema, null values included. New types get names that begin with `wish`.
  std::string type(const model::Json& schema, const std::string& wish);
  /// As `type`, of a form: texts of the format "binary" are files.
  std::string form_type(const model::Json& schema, const std::string& wish);

  /// The schema that a `$ref` leads to, or `schema` itself.
  const model::Json& resolve(const model::Json& schema) const;

  /// Everything that was declared at namespace scope.
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
  Scope& names_;
  TypeScope outer_;
  bool in_form_ = false;
  std::map<std::string, std::string> names_by_pointer_;  ///< of objects and enumerations
  std::set<std::string> declared_;                       ///< pointers
  std::set<std::string> forms_;                          ///< those of `declared_` that are forms
  std::set<std::string> open_;     ///< pointers that are being declared or inlined
  std::set<std::string> forward_;  ///< structs that are used before they are complete
};

}  // namespace fairway::emit
