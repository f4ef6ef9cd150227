// The parts of a TypeScript client, each written by a source file of its own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emit/client/client_api.hpp"
#include "emit/cpp_names.hpp"
#include "model/application.hpp"

namespace fairway::emit {

// The part that every generated TypeScript client has: typescript_support.ts.

std::string_view typescript_support();

// typescript_names.cpp: Names, strings and comments in generated TypeScript.

/// A string literal, in ASCII.
std::string typescript_string(std::string_view text);

/// The name of a member: in quotes unless it is an identifier.
std::string typescript_member(std::string_view name);

/// A doc comment of whole lines, one paragraph for each text that is not empty; nothing without any
/// and not deprecated. No text can end the comment or add a tag.
std::string typescript_doc(const std::vector<std::string>& paragraphs, bool deprecated = false);

// typescript_types.cpp: TypeScript types of JSON Schemas.

/// The declared types of one file. References are declared when they are first met.
class TypeScriptTypes {
 public:
  /// `schemas` are what "#/components/schemas/<name>" refers to; `class_name` is taken.
  TypeScriptTypes(const model::Json& schemas, const std::string& class_name);

  /// The type of a schema, lines after the first not indented: `string[]`, `"a" | "b"`.
  std::string expression(const model::Json& schema);

  /// As `expression`, under a name of its own that is `wish` where that is free, unless the type
  /// has a name or is a simple one.
  std::string named(const std::string& wish, const model::Json& schema);

  /// Declares a type by its text and returns its name. A `body` in braces becomes an interface.
  std::string declare(const std::string& wish, const std::string& doc, const std::string& body);

  /// One member of an object type, with its comment, as whole lines.
  std::string member(const std::string& name, bool required, const model::Json& schema);

  /// All declared types in order, those that they refer to after them.
  std::string declarations();

 private:
  std::string reference(const std::string& target);
  const model::Json* find(std::string_view target) const;
  /// Whether a schema consists of itself: by references, choices and `allOf` alone.
  bool is_endless(const std::string& target) const;
  std::string one_type(const std::string& type, const model::Json& schema);
  std::string array_type(const model::Json& schema);
  std::string object_type(const model::Json& schema);
  std::string joined(const model::Json& choices, std::string_view separator);
  void add_declaration(const std::string& name, const std::string& doc, const std::string& body);

  const model::Json& schemas_;
  Scope scope_;
  std::map<std::string, std::string> names_;  ///< of references
  std::vector<std::string> pending_;          ///< references that are not declared yet
  std::string declarations_;
};

// typescript_operation.cpp: One operation in TypeScript.

/// The method `name` of the client's class, as whole lines; declares the types that it needs.
std::string typescript_method(const ClientOperation& operation, const std::string& name,
                              bool envelope, TypeScriptTypes& types);

}  // namespace fairway::emit
