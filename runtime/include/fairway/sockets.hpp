// Sockets: messages in both directions on one connection (docs/sockets.md).
//
//   app.socket("/rooms/:id",
//              {.receive = {{"say", {{"text", "string:1-500"}}}},
//               .send = {{"said", {{"text", "string"}}}}},
//              [](fw::Request& req, fw::Socket& socket) {
//                socket.on<Room::Say>([](const Room::Say& say, fw::Socket& from) {
//                  from.send(Room::Said{say.text});
//                });
//              });
#pragma once

#include <fairway/events.hpp>
#include <fairway/from_json.hpp>
#include <fairway/generated/typed.hpp>
#include <fairway/json_fwd.hpp>
#include <fairway/json_literal.hpp>
#include <fairway/location.hpp>
#include <fairway/type_json.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>

namespace fw {

class Request;
class Response;
class Socket;

/// Why a socket has been closed.
struct CloseReason {
  /// A code of RFC 6455: of the side that closed first, or 1005 if the client sent none, and 1006
  /// if the connection was lost.
  int code = 1006;
  std::string reason = {};  ///< a text for developers; often empty
  bool by_client = false;   ///< whether the client closed first, or the connection was lost
};

namespace detail {

class SocketChannel;

/// What receives the messages of a name, or of a frame type: one of the functions.
struct MessageHandler {
  /// Of a declared message: the type that the handler takes; null for JSON.
  const std::type_info* type = nullptr;
  /// Makes the struct of a validated tree; null if the generated row of the type must do it.
  std::unique_ptr<TypedValue> (*from_tree)(const Json& tree) = nullptr;
  using Typed = std::function<void(const TypedValue&, Socket&)>;
  using Tree = std::function<void(const Json&, Socket&)>;
  using Raw = std::function<void(std::string_view, Socket&)>;
  Typed typed = {};  ///< of a declared message with a type
  Tree tree = {};    ///< of a declared message by its name
  Raw raw = {};      ///< of text or bytes
};

/// A function that takes a T, and the socket if it wants.
template <class F, class T>
concept TakesMessage = std::invocable<F&, T, Socket&> || std::invocable<F&, T>;

template <class T, class F>
void call_message_handler(F& handler, const T& message, Socket& socket) {
  if constexpr (std::invocable<F&, const T&, Socket&>) {
    handler(message, socket);
  } else {
    handler(message);
  }
}

}  // namespace detail

/// A socket to one client. A handle: copies refer to the same socket, which stays open until
/// `close`, until its client or the server closes it, also without a handle. It needs no thread.
/// All functions are thread-safe.
///
/// The functions that are set with `on…` get the messages of the socket in their order, one at a
/// time, on a thread of the server; messages of different sockets run in parallel. They may block.
/// The client is not read meanwhile, except for a bounded number of messages. If one throws, the
/// socket is closed with 1011. They are destroyed when the socket has been closed, so they may have
/// a copy of it. Setting a function again replaces it; messages that arrive before the handler of
/// the route returns wait for it.
///
/// Messages that the client has not read yet are in a queue, which is bounded by `socket.queue` of
/// the route; `socket.overflow` says what happens beyond it.
class Socket {
 public:
  Socket() = default;  ///< a socket that has been closed
  /// For the framework.
  explicit Socket(std::shared_ptr<detail::SocketChannel> channel) : channel_(std::move(channel)) {}

  /// @{
  /// Sends a message. The data is converted to the declared schema of the message, and must not
  /// have a member `type`. Never waits for the client. Returns false if the socket has been closed.
  /// Throws std::invalid_argument for a message that the route does not declare and for data that
  /// does not conform to its schema, and std::length_error for a message that is larger than the
  /// queue.
  bool send(std::string_view message, const Json& data = detail::empty_object());
  template <detail::WorseMatch = void>
  bool send(std::string_view message, const detail::JsonLiteral& data) {
    return send(message, data.tree());
  }
  /// @}
  /// The same for a generated struct of a message, or for a type in `.send`; the type determines
  /// the name of the message. Of a std::variant, the alternative is sent.
  template <detail::EventData T>
  bool send(const T& message) {
    if constexpr (detail::kIsVariant<T>) {
      return std::visit([&](const auto& alternative) { return send(alternative); }, message);
    } else {
      return send_data(detail::event_name<T>(), detail::event_data(message));
    }
  }
  /// @{
  /// Sends any text, or any bytes, if the route has `.send = fw::raw`. Throws std::logic_error
  /// otherwise, std::invalid_argument for a text that is not UTF-8, and std::length_error as above.
  bool send_text(std::string_view text);
  bool send_binary(std::string_view bytes);
  /// @}

  /// Closes the socket after what has been sent so far. The code is 1000, or one from 3000 to 4999
  /// for the application's own meanings, or 1001, 1003, 1007 to 1013; the reason is UTF-8 of at
  /// most 123 bytes. Throws std::invalid_argument otherwise.
  void close(int code = 1000, std::string_view reason = {});

  /// Sets the function for a message of `.receive`: `f(message, socket)` or `f(message)`. The type
  /// is the generated struct of the message, or a type in `.receive`, and determines the name.
  /// Throws std::invalid_argument for a message that the route does not declare.
  template <class Message, detail::TakesMessage<const Message&> F>
  void on(F handler) {
    detail::MessageHandler made;
    made.type = &typeid(Message);
    if constexpr (!detail::WrittenByGeneratedCode<Message> || detail::ReadByFromJson<Message>) {
      made.from_tree = [](const Json& tree) -> std::unique_ptr<detail::TypedValue> {
        return std::make_unique<detail::TypedValueOf<Message>>(
            Location::body,
            static_cast<const detail::JsonFor<Message>&>(tree).template get<Message>());
      };
    }
    made.typed = [call = std::move(handler)](const detail::TypedValue& value,
                                             Socket& socket) mutable {
      detail::call_message_handler(
          call, static_cast<const detail::TypedValueOf<Message>&>(value).value, socket);
    };
    set_handler(detail::event_name<Message>(), std::move(made));
  }
  /// The same by name, with the validated members as JSON.
  template <detail::TakesMessage<const Json&> F>
  void on(std::string_view message, F handler) {
    detail::MessageHandler made;
    made.tree = [call = std::move(handler)](const Json& data, Socket& socket) mutable {
      detail::call_message_handler(call, data, socket);
    };
    set_handler(message, std::move(made));
  }
  /// @{
  /// Set the function for text, or for bytes, of a route with `.receive = fw::raw`: `f(content,
  /// socket)` or `f(content)` with a std::string_view, which is valid during the call. Throw
  /// std::logic_error otherwise. Without a function, such a message closes the socket with 1003.
  template <detail::TakesMessage<const std::string_view&> F>
  void on_text(F handler) {
    set_text_handler(raw_handler(std::move(handler)));
  }
  template <detail::TakesMessage<const std::string_view&> F>
  void on_binary(F handler) {
    set_binary_handler(raw_handler(std::move(handler)));
  }
  /// @}
  /// Adds a function that is called once when the socket has been closed, after the function of its
  /// last message; at once if it already has. It takes the `CloseReason`, or nothing, and must not
  /// throw or block.
  template <class F>
    requires std::invocable<F&, const CloseReason&> || std::invocable<F&>
  void on_close(F callback) {
    if constexpr (std::invocable<F&, const CloseReason&>) {
      add_callback(std::move(callback));
    } else {
      add_callback([call = std::move(callback)](const CloseReason&) mutable { call(); });
    }
  }

  /// False once the socket is being closed.
  bool is_open() const;
  /// Bytes of messages that wait for the client.
  std::size_t pending() const;
  /// The number of messages that were dropped because the client was slow.
  std::uint64_t dropped() const;
  /// The protocol of `socket.protocols` that was agreed on; empty: none.
  std::string protocol() const;

 private:
  friend class detail::TopicBase;

  template <class F>
  static detail::MessageHandler raw_handler(F handler) {
    detail::MessageHandler made;
    made.raw = [call = std::move(handler)](std::string_view content, Socket& socket) mutable {
      detail::call_message_handler(call, content, socket);
    };
    return made;
  }

  bool send_data(std::string_view message, const detail::EncodableData& data);
  void set_handler(std::string_view message, detail::MessageHandler handler);
  void set_text_handler(detail::MessageHandler handler);
  void set_binary_handler(detail::MessageHandler handler);
  void add_callback(std::function<void(const CloseReason&)> callback);

  std::shared_ptr<detail::SocketChannel> channel_;
};

/// Called when a client opens a socket. It sets functions for messages and returns; the socket
/// stays open. If it throws, the client gets the error response instead of a socket.
using SocketHandler = std::function<void(Request&, Socket&)>;

namespace detail {

/// The handler of the route that opens the socket and calls `handler` with it.
std::function<void(Request&, Response&)> opening_handler(SocketHandler handler);

}  // namespace detail
}  // namespace fw
