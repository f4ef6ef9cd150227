// Messages between the processes of an application (docs/topics.md).
#pragma once

#include <fairway/store.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fw::store {

/// The largest message of a bus, in bytes.
inline constexpr std::size_t kMaxBusMessage = 8 * 1024 * 1024;

/// Passes messages on to the processes that have subscribed to their topic, except for this one. A
/// process gets the messages of another one in their order and none twice, but messages can be
/// lost. Thread-safe.
class MessageBus {
 public:
  /// Gets the messages of a topic.
  class Receiver {
   public:
    virtual ~Receiver() = default;
    /// Called on the thread of the bus, one at a time. May call the functions of the bus.
    virtual void receive(std::string_view message) noexcept = 0;
  };

  /// Learns what becomes of messages. Functions are called on any thread.
  class Observer {
   public:
    virtual ~Observer() = default;
    /// Messages of this process did not reach others, or theirs did not reach this one.
    virtual void count_lost(std::uint64_t messages) noexcept = 0;
    /// A message was no message of a bus, or too large.
    virtual void count_unreadable(std::string_view topic, std::string_view reason) noexcept = 0;
    /// For the log.
    virtual void inform(const std::string& text) noexcept = 0;
    virtual void warn(const std::string& text) noexcept = 0;
  };

  virtual ~MessageBus() = default;

  /// Before it, nothing is sent and nothing received.
  virtual void start() = 0;
  /// Ends in bounded time, except for resolving the name of a host: messages that wait are still
  /// sent if the server is there. The receivers are not called afterwards.
  virtual void stop() noexcept = 0;

  /// Never waits. The message, of at most `kMaxBusMessage` bytes, is sent as soon as possible; if
  /// too much waits, the oldest messages are lost, and also one that the server refuses.
  virtual void publish(std::string_view topic, std::string message) = 0;
  /// From now on, the receiver gets the messages of the topic. Without effect if it does already.
  virtual void subscribe(std::string_view topic, Receiver& receiver) = 0;
  virtual void unsubscribe(std::string_view topic) = 0;
  /// Waits until messages that other processes publish from now on arrive; for a bounded time, and
  /// not while the server is down, nor if it refuses the topic.
  virtual void wait_until_subscribed(std::string_view topic) = 0;
};

/// A bus by the pub/sub of a Redis server. The observer must outlive it. Throws
/// std::invalid_argument for invalid options, and if the library was built without hiredis.
std::unique_ptr<MessageBus> make_redis_bus(const RedisStoreOptions& options,
                                           MessageBus::Observer& observer);

}  // namespace fw::store
