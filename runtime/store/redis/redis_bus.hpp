// Messages between processes by the pub/sub of a Redis server: one thread, with a connection that
// subscribes and one that publishes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/throttle.hpp"
#include "http/socket.hpp"
#include "store/message_bus.hpp"
#include "store/message_numbers.hpp"
#include "store/redis/redis_stream.hpp"

namespace fw::store {

class RedisBus final : public MessageBus {
 public:
  /// Throws std::invalid_argument for invalid options.
  RedisBus(const RedisStoreOptions& options, Observer& observer);
  ~RedisBus() override;
  RedisBus(const RedisBus&) = delete;
  RedisBus& operator=(const RedisBus&) = delete;

  void start() override;
  void stop() noexcept override;
  void publish(std::string_view topic, std::string message) override;
  void subscribe(std::string_view topic, Receiver& receiver) override;
  void unsubscribe(std::string_view topic) override;
  void wait_until_subscribed(std::string_view topic) override;

 private:
  using Clock = RedisStream::Clock;

  struct Subscription {
    enum class State : std::uint8_t { asked, confirmed, refused };
    Receiver* receiver;
    State state = State::asked;
    bool is_warned_of = false;  ///< that it is refused
  };
  struct Waiting {
    std::string topic;
    std::string message;
    std::size_t size() const;
  };
  /// A message that was sent, or must be sent again, with its stamp.
  struct Sent {
    std::string channel;
    std::string stamped;
  };

  std::string channel_of(std::string_view topic) const;
  void wake() noexcept;
  bool start_thread(std::unique_lock<std::mutex>& lock) noexcept;
  void warn_of_no_thread() noexcept;

  // On the thread:
  void run() noexcept;
  void serve();
  void take_wakes();
  void begin_connection();
  void end_outage();
  void begin_outage(std::string_view reason) noexcept;
  void drop_message_without_reply() noexcept;
  void drop_first(std::string_view reason) noexcept;
  void change_subscriptions(RedisStream& subscriber);
  bool may_publish();
  bool may_end();
  void take_messages();
  void send_messages(RedisStream& publisher);
  void wait(const RedisStream& subscriber, const RedisStream& publisher);
  void handle_published(RedisStream& publisher);
  void handle_subscribed(RedisStream& subscriber);
  bool handle_first(RedisStream* subscriber);
  void handle_remaining_replies() noexcept;
  void handle_subscription_reply(bool is_error, std::string_view reason);
  void handle_message(std::string_view channel, std::string_view stamped);
  void report_losses();
  void report_missing() noexcept;
  void drop_rest() noexcept;

  const base::RedisUrl url_;
  const std::string ca_file_;
  const std::string prefix_;  ///< of channels
  const std::chrono::milliseconds timeout_;
  Observer& observer_;
  http::FileDescriptor wake_;      ///< readable when the thread must look
  http::FileDescriptor wake_end_;  ///< written to for that

  std::mutex mutex_;  ///< guards the following members
  std::condition_variable changed_;
  bool is_started_ = false;
  bool is_stopping_ = false;
  bool is_connected_ = false;  ///< `changes_` are sent
  bool is_down_ = false;       ///< since an attempt to connect has failed, or a connection
  bool is_woken_ = false;
  Clock::time_point stop_at_ = Clock::time_point::max();            ///< at the latest
  std::map<std::string, Subscription, std::less<>> subscriptions_;  ///< by channel
  std::vector<std::pair<bool, std::string>> changes_;  ///< channels to subscribe to, or not
  std::deque<Waiting> backlog_;
  std::size_t backlog_bytes_ = 0;
  std::uint64_t lost_ = 0;  ///< and not reported

  std::thread thread_;  ///< the following members are its own
  MessageNumbers numbers_;
  std::deque<Sent> in_flight_;
  std::size_t sent_ = 0;           ///< the first of them, on this connection
  std::size_t without_reply_ = 0;  ///< connections that have ended before a reply to the first one
  bool is_one_by_one_ = false;     ///< until there is no message in flight
  std::deque<RedisReply> received_;  ///< by the connection that subscribes, not handled yet
  std::deque<std::string> asked_;    ///< channels of the commands without a reply, in their order
  std::size_t unconfirmed_ = 0;      ///< subscriptions since the connection was opened
  bool is_up_ = false;
  Clock::time_point up_since_;
  Clock::time_point hold_until_;
  std::uint64_t missing_ = 0;  ///< messages of other processes, not reported
  Clock::time_point next_report_;
  base::Throttle refused_{std::chrono::seconds(1)};
  base::Throttle no_thread_{std::chrono::seconds(1)};  ///< on any thread
};

}  // namespace fw::store
