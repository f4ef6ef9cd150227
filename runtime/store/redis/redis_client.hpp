// The connections of a process to a Redis server: made when they are needed, and again when they
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

#include "store/redis/redis_link.hpp"

namespace fw::detail {

/// A script for EVALSHA.
struct RedisScript {
  explicit RedisScript(std::string source);
  std::string source;
  std::string sha1;  ///< in hexadecimal digits
};

/// Thread-safe. Everything is done within the time-out of the options, or throws StoreError; while
/// the server is down it throws at once, and tries to connect again after a while.
class RedisClient {
 public:
  /// Throws std::invalid_argument for options that cannot be used.
  explicit RedisClient(RedisStoreOptions options);

  /// The reply to a command. Error replies are StoreErrors.
  RedisReply execute(std::span<const std::string_view> arguments);
  RedisReply execute(std::initializer_list<std::string_view> arguments) {
    return execute(std::span(arguments.begin(), arguments.size()));
  }
  /// The reply of a script. It is sent whole where the server does not know it.
  RedisReply run(const RedisScript& script, std::span<const std::string_view> keys,
                 std::span<const std::string_view> arguments);

 private:
  using Clock = RedisLink::Clock;

  /// One connection, or the lack of it.
  struct Slot {
    std::mutex mutex;
    std::condition_variable changed;
    std::shared_ptr<RedisLink> link;
    bool is_connecting = false;
    int failures = 0;  ///< in a row
    std::string failure;
    Clock::time_point next_attempt;
  };

  std::shared_ptr<RedisLink> acquire(Slot& slot, Clock::time_point deadline);
  std::shared_ptr<RedisLink> connect(Clock::time_point deadline) const;
  /// When a command that begins now must be done.
  Clock::time_point deadline() const;
  RedisReply execute_once(std::span<const std::string_view> arguments, Clock::time_point deadline);

  RedisStoreOptions options_;
  RedisUrl url_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::atomic<std::size_t> next_slot_ = 0;
};

}  // namespace fw::detail
