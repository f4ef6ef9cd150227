// The structs that are generated for the items of streams and the messages of sockets.
#pragma once

#include <string>
#include <vector>

#include "emit/shared_enumerations.hpp"
#include "emit/struct_types.hpp"
#include "model/application.hpp"
#include "model/cpp_names.hpp"

namespace fairway::emit {

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
