// Event streams: responses that stay open after the handler has returned (docs/events.md).
//
//   app.get("/live", {.responses = {{200, fw::events({{"created", kOrder}})}}},
//           [&app](fw::Request& req, fw::Response& res) {
//             app.services().get<OrderFeed>().add(res.events(), req.last_event_id());
//           });
#pragma once

#include <fairway/json_fwd.hpp>
#include <fairway/json_literal.hpp>
#include <fairway/json_writer.hpp>
#include <fairway/type_json.hpp>
#include <fairway/units.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace fw {

class Response;

namespace detail {

class EventChannel;
class Exchange;
class TopicBase;

template <class T>
concept HasEventName = requires {
  { T::kEventName } -> std::convertible_to<std::string_view>;
};

/// The name of a type without its scopes; empty for a template or a type without a name.
template <class T>
constexpr std::string_view unqualified_name() {
  // "… [with T = orders::Created; …]" with GCC, "… [T = orders::Created]" with Clang.
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find("T = ") + 4);
  name = name.substr(0, name.find_first_of(";]"));
  if (name.ends_with('>')) return {};
  const auto scope = name.rfind(':');
  return scope == std::string_view::npos ? name : name.substr(scope + 1);
}

/// The name of a type with its first letter in lower case.
template <class T>
struct NameOfType {
  static constexpr std::string_view kName = unqualified_name<T>();
  static_assert(!kName.empty(),
                "the type of an event needs a name: a struct that is no template, or a member "
                "'static constexpr std::string_view kEventName'");
  static constexpr auto kLowered = [] {
    struct {
      char characters[kName.size() + 1] = {};
    } lowered;
    for (std::size_t i = 0; i < kName.size(); ++i) lowered.characters[i] = kName[i];
    char& first = lowered.characters[0];
    if (first >= 'A' && first <= 'Z') first = static_cast<char>(first - 'A' + 'a');
    return lowered;
  }();
  static constexpr std::string_view kValue{kLowered.characters, kName.size()};
};

/// The name of the events of a type: its `kEventName`, which generated structs have; otherwise
/// "orderCreated" for `OrderCreated`.
template <class T>
constexpr std::string_view event_name() {
  if constexpr (HasEventName<T>) {
    return T::kEventName;
  } else {
    return NameOfType<T>::kValue;
  }
}

/// Data that `send` writes without a JSON tree.
template <class T>
concept EventData = std::is_class_v<T> && (WrittenByItself<T> || WrittenByGeneratedCode<T>);

template <class T>
EncodableData event_data(const T& data) {
  if constexpr (WrittenByItself<T>) {
    return encodable(data);
  } else {
    return coded(data);
  }
}

}  // namespace detail

/// Why a stream has ended.
enum class EndOfStream {
  closed,        ///< by the application: `close`, or the last handle has been destroyed
  disconnected,  ///< the client has closed the connection, or it has failed
  too_slow,      ///< the client did not read, and the queue of events was full
  stopped,       ///< the server has stopped
  not_sent       ///< the response had no stream: an error has been sent instead, or it was a HEAD
};

/// What an event has besides its name and its data.
struct EventFields {
  /// What `Request::last_event_id` returns when the client connects again after this event. It
  /// cannot contain line breaks or NUL.
  std::optional<std::string> id = {};
  /// After how long the client connects again if it loses the connection.
  std::optional<Milliseconds> retry = {};
};

namespace detail {

/// What the handles of event streams and of streams of lines have in common.
class StreamHandle {
 public:
  StreamHandle() = default;
  explicit StreamHandle(std::shared_ptr<EventChannel> channel) : channel_(std::move(channel)) {}
  StreamHandle(StreamHandle&&) noexcept = default;
  /// Closes the stream that it had.
  StreamHandle& operator=(StreamHandle&& other) noexcept;
  /// Closes the stream.
  ~StreamHandle();

  /// Ends the stream after what has been sent so far. Thread-safe, like all functions here, except
  /// for moving and destroying the handle.
  void close();
  /// False once the stream has ended.
  bool is_open() const;
  /// Bytes of events that wait for the client.
  std::size_t pending() const;
  /// The number of events that were dropped or replaced because the client was slow.
  std::uint64_t dropped() const;
  /// Adds a function that is called once when the stream has ended, on any thread; at once if it
  /// already has. It takes the `EndOfStream`, or nothing. It must not throw or block, and may
  /// destroy the handle.
  template <class F>
    requires std::invocable<F&, EndOfStream> || std::invocable<F&>
  void on_close(F callback) {
    if constexpr (std::invocable<F&, EndOfStream>) {
      add_callback(std::move(callback));
    } else {
      add_callback([call = std::move(callback)](EndOfStream) mutable { call(); });
    }
  }

 protected:
  bool send_data(std::string_view event, const EncodableData& data, const EventFields& fields);
  bool send_tree(std::string_view event, const Json& data, const EventFields& fields);
  void keep_last(std::string_view event, const EncodableData& data, const EventFields& fields);
  void keep_last_tree(std::string_view event, const Json& data, const EventFields& fields);

 private:
  friend class TopicBase;

  void add_callback(std::function<void(EndOfStream)> callback);

  std::shared_ptr<EventChannel> channel_;
};

}  // namespace detail

/// A stream of server-sent events to one client, from `Response::events`. It is open until `close`,
/// until the handle is destroyed, or until the client or the server ends it; it needs no thread.
/// Any thread may send. Events are sent in the order of the calls. Events that the client has not
/// read yet are in a queue, which is bounded by `events.queue` of the route; `events.overflow` says
/// what happens beyond it.
class EventStream : public detail::StreamHandle {
 public:
  using StreamHandle::StreamHandle;  ///< without a channel: a stream that has ended

  /// @{
  /// Sends an event. The data is converted to the declared schema of the event. Never waits for the
  /// client. Returns false if the stream has ended. Throws std::invalid_argument for an event that
  /// the route does not declare, for data that does not conform to its schema and for an id with a
  /// line break or NUL, and std::length_error for an event that is larger than the queue.
  bool send(std::string_view event, const Json& data, EventFields fields = {}) {
    return send_tree(event, data, fields);
  }
  template <detail::WorseMatch = void>
  bool send(std::string_view event, const detail::JsonLiteral& data, EventFields fields = {}) {
    return send_tree(event, data.tree(), fields);
  }
  /// @}
  /// The same for a generated struct of an event, or for a type of `fw::Events`; the type
  /// determines the name of the event. Of a std::variant, the alternative is sent.
  template <detail::EventData T>
  bool send(const T& data, EventFields fields = {}) {
    if constexpr (detail::kIsVariant<T>) {
      return std::visit([&](const auto& event) { return send(event, std::move(fields)); }, data);
    } else {
      return send_data(detail::event_name<T>(), detail::event_data(data), fields);
    }
  }

  /// @{
  /// The event that is sent last if the server stops while the stream is open. Arguments and
  /// exceptions are as for `send`; a later call replaces the event.
  void send_at_stop(std::string_view event, const Json& data, EventFields fields = {}) {
    keep_last_tree(event, data, fields);
  }
  template <detail::WorseMatch = void>
  void send_at_stop(std::string_view event, const detail::JsonLiteral& data,
                    EventFields fields = {}) {
    keep_last_tree(event, data.tree(), fields);
  }
  template <detail::EventData T>
  void send_at_stop(const T& data, EventFields fields = {}) {
    keep_last(detail::event_name<T>(), detail::event_data(data), fields);
  }
  /// @}
};

/// A stream of JSON values, one in each line (`application/x-ndjson`), from `Response::lines`. Like
/// `EventStream`, but its values have no names and no ids; `events.overflow` cannot be
/// "coalesce".
class LineStream : public detail::StreamHandle {
 public:
  using StreamHandle::StreamHandle;  ///< without a channel: a stream that has ended

  /// @{
  /// Sends a value. The data is converted to the declared schema. Returns false if the stream has
  /// ended; exceptions are as for `EventStream::send`.
  bool send(const Json& data) { return send_tree({}, data, {}); }
  template <detail::WorseMatch = void>
  bool send(const detail::JsonLiteral& data) {
    return send_tree({}, data.tree(), {});
  }
  /// @}
  /// The same for a generated struct, or for the type of `fw::Lines`.
  template <detail::EventData T>
  bool send(const T& data) {
    return send_data({}, detail::event_data(data), {});
  }
};

/// The result of a handler: a stream of the events of these types. It is made of a function that
/// takes the stream before the response is sent:
///
///   app.get("/live", [&app]() -> fw::Events<Created, Deleted> {
///     return [&app](fw::EventStream stream) {
///     app.services().get<OrderFeed>().add(std::move(stream)); };
///   });
template <class... Types>
class Events {
 public:
  static_assert(sizeof...(Types) > 0, "fw::Events needs the type of at least one event");

  /// The function. It runs on the thread of the handler, directly after it.
  template <class F>
    requires std::invocable<F&, EventStream>
  Events(F open) : open_(std::move(open)) {}

  /// For the framework.
  void open(EventStream stream) { open_(std::move(stream)); }

 private:
  std::function<void(EventStream)> open_;
};

/// The result of a handler: a stream of lines, each a T. Made like `fw::Events`.
template <class T>
class Lines {
 public:
  /// The function. It runs on the thread of the handler, directly after it.
  template <class F>
    requires std::invocable<F&, LineStream>
  Lines(F open) : open_(std::move(open)) {}

  /// For the framework.
  void open(LineStream stream) { open_(std::move(stream)); }

 private:
  std::function<void(LineStream)> open_;
};

}  // namespace fw
