// Shares one connection to a Redis server between threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/redis_transport.hpp"

struct redisReader;

namespace fw::detail {

struct RedisReply {
  enum class Type { nil, integer, string, error, list };
  Type type = Type::nil;
  std::int64_t integer = 0;
  std::string text = {};  ///< the text of a string, a status or an error
  std::vector<RedisReply> items = {};
};

/// Appends a command in the Redis protocol.
void append_command(std::string& out, std::span<const std::string_view> arguments);

/// One of the waiting threads receives for all, so that no extra thread is necessary, and a single
/// command needs no thread switch. Commands that are sent at the same time are combined. Replies
/// arrive in the order of the commands, so if one is late, all are, and the link is closed.
class RedisLink {
 public:
  using Clock = RedisTransport::Clock;

  RedisLink(const RedisUrl& url, const std::string& ca_file, Clock::time_point deadline);
  ~RedisLink();
  RedisLink(const RedisLink&) = delete;
  RedisLink& operator=(const RedisLink&) = delete;

  /// Sends a command from append_command and waits for the reply, which may be an error. Throws
  /// StoreError if there is no reply before the deadline, or if the link is down. Thread-safe.
  RedisReply execute(std::string_view command, Clock::time_point deadline);

  /// Returns false if the link is down, which is final. Detects that an idle connection has ended.
  bool is_up();

 private:
  struct Call {
    bool is_done = false;
    RedisReply reply = {};
    std::condition_variable changed = {};
  };
  struct FreeReader {
    void operator()(redisReader* reader) const;
  };

  void send_unsent(std::unique_lock<std::mutex>& lock, Clock::time_point deadline);
  void receive_until_done(std::unique_lock<std::mutex>& lock, const Call& call,
                          Clock::time_point deadline);
  void take_replies(std::string_view received);
  void fail(std::string_view reason);

  RedisTransport transport_;
  std::unique_ptr<redisReader, FreeReader> reader_;  ///< used by the receiving thread
  std::mutex mutex_;                                 ///< guards the following members
  std::deque<Call*> calls_;                          ///< in the order of their commands
  std::string unsent_;
  bool is_sending_ = false;
  bool is_receiving_ = false;
  std::string failure_;  ///< the reason why it is down; empty while it is up
};

}  // namespace fw::detail
