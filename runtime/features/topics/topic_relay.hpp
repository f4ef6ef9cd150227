// What the topics of an application have in common: the bus to the topics of other processes, and
// what became of events.
#pragma once

#include <fairway/config.hpp>
#include <fairway/logger.hpp>
#include <fairway/topics.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/throttle.hpp"
#include "store/message_bus.hpp"

namespace fw::detail {

/// Thread-safe.
class TopicRelay final : public store::MessageBus::Observer {
 public:
  /// `store` is the store of the application: with Redis, topics have a bus. It has none if the
  /// configuration is wrong, which is reported elsewhere. The logger must outlive it.
  TopicRelay(const StoreConfig& store, const Logger& logger);

  /// Null if topics are in the memory of this process.
  store::MessageBus* bus() const { return bus_.get(); }
  void start();
  void stop() noexcept;

  /// Since the start, for the metrics.
  struct Figures {
    std::atomic<std::uint64_t> published = 0;   ///< events of this process
    std::atomic<std::uint64_t> delivered = 0;   ///< events for each stream or socket that got them
    std::atomic<std::uint64_t> lost = 0;        ///< events between processes
    std::atomic<std::uint64_t> unreadable = 0;  ///< events of other processes
  };
  Figures& figures() { return figures_; }

  void count_lost(std::uint64_t messages) noexcept override;
  void count_unreadable(std::string_view topic, std::string_view reason) noexcept override;
  void inform(const std::string& text) noexcept override;
  void warn(const std::string& text) noexcept override;

 private:
  const Logger& logger_;
  Figures figures_;
  base::Throttle unreadable_{std::chrono::seconds(1)};
  std::unique_ptr<store::MessageBus> bus_;
};

/// The side of a topic to the bus: events become messages, and messages events.
class TopicLink final : public store::MessageBus::Receiver {
 public:
  TopicLink(TopicBase& topic, TopicRelay& relay) : topic_(topic), relay_(relay) {}

  /// The message of an event. Throws std::invalid_argument for what JSON or a stream cannot have,
  /// and std::length_error for an event that is too large.
  std::string encode(std::string_view event, const EncodableData& data,
                     const EventFields& fields) const;
  void publish(std::string message);
  void subscribe();
  void unsubscribe();
  void wait_until_subscribed();

  void receive(std::string_view message) noexcept override;

 private:
  std::string deliver(std::string_view message);

  TopicBase& topic_;
  TopicRelay& relay_;
};

}  // namespace fw::detail
