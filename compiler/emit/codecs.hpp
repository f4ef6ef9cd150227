// The functions that read a struct from JSON text;
// runtime/include/fairway/generated/json_reader.hpp shows one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "emit/struct_types.hpp"
#include "schema/node.hpp"

namespace fairway::emit {

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

}  // namespace fairway::emit
