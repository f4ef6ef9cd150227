// The connections of a process to a Redis server. They are opened on demand and reopened after they
// have ended.
#pragma once

#include <fairway/store.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "observe/active_span.hpp"
#include "store/redis/redis_link.hpp"

namespace fw::store {

/// How long to wait before the next attempt to connect, after so many failed ones.
std::chrono::milliseconds reconnect_wait(int failures);

/// A script for EVALSHA.
struct RedisScript {
  explicit RedisScript(std::string source);
  std::string source;
  std::string sha1;  ///< in hexadecimal digits
};

/// Thread-safe. Calls complete within the timeout of the options or throw StoreError. While the
/// server is down, they throw at once, and connecting is retried after a delay.
class RedisClient {
 public:
  /// Throws std::invalid_argument for invalid options.
  explicit RedisClient(RedisStoreOptions options);

  /// The reply to a command. Error replies are StoreErrors.
  RedisReply execute(std::span<const std::string_view> arguments);
  RedisReply execute(std::initializer_list<std::string_view> arguments) {
    return execute(std::span(arguments.begin(), arguments.size()));
  }
  /// Begins a command, see RedisLink::begin, on a connection that is in use. Returns false if there
  /// is none.
  bool begin(std::initializer_list<std::string_view> arguments,
             std::unique_ptr<RedisCompletion>&& completion);
  /// The reply of a script. Its text is sent only if the server does not know it.
  RedisReply run(const RedisScript& script, std::span<const std::string_view> keys,
                 std::span<const std::string_view> arguments);

 private:
  using Clock = RedisLink::Clock;

  /// A connection, which may not exist yet.
  struct Slot {
    std::mutex mutex;
    std::condition_variable changed;
    std::shared_ptr<RedisLink> link;
    bool is_connecting = false;
  };
  /// While the server is down: one thread at a time tries to connect, and no command waits.
  struct Outage {
    std::mutex mutex;
    int failures = 0;  ///< consecutive ones; 0 while it is up
    std::string reason;
    Clock::time_point next_attempt;
    bool is_probed = false;
  };

  Slot& next_slot();
  std::shared_ptr<RedisLink> acquire(Slot& slot, Clock::time_point deadline);
  std::shared_ptr<RedisLink> connect(Clock::time_point deadline) const;
  void require_up();
  bool begin_attempt();
  void end_attempt(bool is_probe, const std::string& failure) noexcept;
  void note_silence(Clock::time_point since);
  /// The deadline of a command that begins now.
  Clock::time_point deadline() const;
  void describe_command(detail::ActiveSpan& span, std::string_view command) const;
  RedisReply execute_once(std::span<const std::string_view> arguments, Clock::time_point deadline);

  RedisStoreOptions options_;
  base::RedisUrl url_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::atomic<std::size_t> next_slot_ = 0;
  Outage outage_;
};

}  // namespace fw::store
