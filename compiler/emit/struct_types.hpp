// C++ types of schemas: structs with to_json and from_json, enum classes with to_string.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emit/shared_enumerations.hpp"
#include "model/application.hpp"
#include "model/cpp_names.hpp"
#include "schema/node.hpp"

namespace fairway::emit {

class NamedStructs;

/// The input from which a struct is read without a JSON tree: JSON text, or the strings of another
/// location.
enum class Decoder { none, json, fields };

/// Where a type is declared, and which functions it has.
struct TypeContext {
  std::string enclosing = {};       ///< the enclosing types, "CreateUsers::Body"; may be empty
  Decoder decoder = Decoder::none;  ///< whether it has an `fw_decode`; see `decoder_of`
  bool is_encoded = false;          ///< whether it has an `fw_encode`; see `is_encodable`
  SharedEnumerations* enumerations = nullptr;  ///< enumerations of the file, if they are shared
  const NamedStructs* structs = nullptr;       ///< of the file, for schemas within this one
  bool has_attributes = false;  ///< whether attributes contain the schemas, for the front end
};

/// A type, and the declarations that it needs in the scope of its use.
struct TypeText {
  std::string declarations;      ///< complete lines, or empty
  std::string expression;        ///< "std::vector<TagsItem>"
  std::string definitions = {};  ///< of functions, for the namespace around everything
};

/// The type of a schema, not considering whether it is optional. New types have names that begin
/// with `name` and are unique in `scope`.
TypeText type_text(const fw::schema::Node& node, const std::string& name, model::NameScope& scope,
                   const TypeContext& context = {});

/// The struct `name` of an object schema with members, which is also its expression. `first_lines`
/// are at its start. Members have the names of the JSON fields, modified if they are not valid in
/// C++.
TypeText struct_text(const fw::schema::Node& object, const std::string& name,
                     const std::string& first_lines, const TypeContext& context = {});

/// The names of the members of the struct `name` for an object schema, in the order of its fields.
std::vector<std::string> member_names(const fw::schema::Node& object, const std::string& name);

// codecs.cpp: The functions that read a struct from JSON text;
// runtime/include/fairway/generated/json_reader.hpp shows one.

/// A member of a generated struct.
struct Member {
  const fw::schema::Field& field;
  std::string name;       ///< in C++
  std::string structure;  ///< the nested struct that is the type, or empty
};

/// The call that gives an optional member a value to read into. Clang 14 cannot construct a nested
/// struct without an argument, because it looks for the initialisers of its members too early.
/// `scope` qualifies the struct.
std::string emplace_text(const Member& member, const std::string& scope = "");

/// How the struct of a location ("body", "query") is read. None if it needs JSON trees: if a value
/// has no type of C++, if bounds do not fit into the type, or if an array is made of strings.
Decoder decoder_of(std::string_view location, const fw::schema::Node& object);

/// The class that a decoder reads from.
std::string_view reader_name(Decoder decoder);

/// The definition of `fw_decode` for the struct `type` of such a schema.
std::string decoder_text(const std::string& type, std::span<const Member> members, Decoder decoder);

/// Whether a schema describes a struct, or an array of structs, that can be written without a
/// JSON tree.
bool is_encodable(const fw::schema::Node& node);

/// The definition of `fw_encode` for the struct `type` of such a schema.
std::string encoder_text(const std::string& type, std::span<const Member> members);

// stream_types.cpp: The structs for the items of streams and the messages of sockets.

/// A type for a stream.
struct StreamText {
  TypeText type;
  std::string event = {};        ///< empty for lines
  bool is_always_valid = false;  ///< whether its values have the types of the schema
};

/// The structs of the events that no C++ type declares, and `Event`, which is any of them; or the
/// struct of lines. `route` is the struct around them.
std::vector<StreamText> stream_texts(const model::Stream& stream, const std::string& route,
                                     SharedEnumerations& enumerations, model::NameScope& scope);

/// A struct for a message of a socket.
struct MessageText {
  TypeText type;
  std::string name;              ///< of the message; empty for `Send`
  bool is_read = false;          ///< whether it has an `fw_decode`
  bool is_always_valid = false;  ///< whether its values have the types of the schema
};

/// The structs of the messages that no C++ type declares, and `Send`, which is any of those that
/// are sent. A message of both directions has one struct.
std::vector<MessageText> message_texts(const model::Socket& socket, const std::string& route,
                                       SharedEnumerations& enumerations, model::NameScope& scope);

}  // namespace fairway::emit
