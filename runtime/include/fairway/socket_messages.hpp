// The messages of a socket, as its route declares them (docs/sockets.md):
//
//   .receive = {{"say", {{"text", "string:1-500"}}}, {"typing", {}}},
//   .send = {{"said", {{"by", "string"}, {"text", "string"}}}}
#pragma once

#include <fairway/schema.hpp>
#include <fairway/text.hpp>

#include <initializer_list>
#include <utility>

namespace fw {

/// A named message: `{"say", {{"text", "string"}}}`. In JSON, it is an object with the member
/// `type`, which is the name, and the members of the schema.
struct MessageSchema {
  /// The members are fields, or the members of a struct: `fw::type<Say>`.
  MessageSchema(Text message, SchemaMap schema)
      : name(std::move(message)), members(std::move(schema)) {}

  Text name;          ///< unique in the direction
  SchemaMap members;  ///< without `type`
};

/// The type of `raw`.
struct RawMessages {};
/// Instead of declared messages: any text and any bytes.
inline constexpr RawMessages raw{};

/// The messages of one direction of a socket: declared ones, or `fw::raw`.
class Messages {
 public:
  Messages() = default;  ///< none
  /// `{{"say", {{"text", "string"}}}, {"typing", {}}}`
  Messages(std::initializer_list<MessageSchema> messages) : messages_(messages) {}
  /// Any text and any bytes.
  Messages(RawMessages) : is_raw_(true) {}

  /// Whether they are `fw::raw`.
  bool is_raw() const { return is_raw_; }
  /// @{
  /// The declared messages, in the order of declaration.
  bool empty() const { return messages_.empty(); }
  const MessageSchema* begin() const { return messages_.begin(); }
  const MessageSchema* end() const { return messages_.end(); }
  /// @}

 private:
  bool is_raw_ = false;
  detail::List<MessageSchema> messages_;
};

}  // namespace fw
