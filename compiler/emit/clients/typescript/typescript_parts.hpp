// The parts of a TypeScript client, each emitted by its own source file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emit/clients/client_api.hpp"
#include "model/application.hpp"
#include "model/cpp_names.hpp"

namespace fairway::emit {

// The part that is the same in all TypeScript clients. Its source is in support/.

std::string_view typescript_support();

/// Follows it in clients with sockets.
std::string_view typescript_socket_support();

// typescript_names.cpp: Names, strings and comments in generated TypeScript.

/// A string literal, in ASCII.
std::string typescript_string(std::string_view text);

/// The name of a member, in quotes unless it is an identifier.
std::string typescript_member(std::string_view name);

/// A doc comment with one paragraph for each text that is not empty; empty if there is none and
/// nothing is deprecated. Texts are escaped, so that none can end the comment or add a tag.
std::string typescript_doc(const std::vector<std::string>& paragraphs, bool deprecated = false);

// typescript_types.cpp: TypeScript types of JSON Schemas.

/// The declared types of one file. References are declared at their first use.
class TypeScriptTypes {
 public:
  /// `schemas` are the members of "#/components/schemas"; `class_name` is reserved, and with
  /// sockets the names of their support.
  TypeScriptTypes(const model::Json& schemas, const std::string& class_name,
                  bool has_sockets = false);

  /// The type of a schema, without indentation of further lines: `string[]`, `"a" | "b"`.
  std::string expression(const model::Json& schema);

  /// Like `expression`, but declares a type named `wish` (or similar, if that name is in use),
  /// unless the type already has a name or is simple.
  std::string named(const std::string& wish, const model::Json& schema);

  /// Declares a type and returns its name. A `body` in braces becomes an interface.
  std::string declare(const std::string& wish, const std::string& doc, const std::string& body);

  /// The name of a class that is none of a schema: in contrast to types, it must not hide a global.
  std::string class_name(const std::string& wish);

  /// One member of an object type, with its comment, as whole lines.
  std::string member(const std::string& name, bool required, const model::Json& schema);

  /// All declared types in order, each before the types that it refers to.
  std::string declarations();

 private:
  std::string reference(const std::string& target);
  const model::Json* find(std::string_view target) const;
  /// Whether a schema consists only of itself, through references, choices and `allOf`.
  bool is_endless(const std::string& target) const;
  std::string one_type(const std::string& type, const model::Json& schema);
  std::string array_type(const model::Json& schema);
  std::string object_type(const model::Json& schema);
  std::string joined(const model::Json& choices, std::string_view separator);
  void add_declaration(const std::string& name, const std::string& doc, const std::string& body);

  const model::Json& schemas_;
  model::NameScope scope_;
  std::map<std::string, std::string> names_;  ///< of references
  std::vector<std::string> pending_;          ///< references that are not declared yet
  std::string declarations_;
};

// typescript_operation.cpp: One operation in TypeScript.

/// The method `name` of the client class, as whole lines. Declares its types. `errors` are the
/// classes of `ClientApi::errors`.
std::string typescript_method(const ClientOperation& operation, const std::string& name,
                              bool envelope, const std::vector<std::string>& errors,
                              TypeScriptTypes& types);

}  // namespace fairway::emit
