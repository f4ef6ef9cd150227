// Shares one connection to a Redis server between threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "store/redis/redis_protocol.hpp"
#include "store/redis/redis_transport.hpp"

namespace fw::store {

/// What is done with the reply to a command for which no thread waits.
class RedisCompletion {
 public:
  virtual ~RedisCompletion() = default;
  /// Called once, on any thread, which must not be delayed. If the link has failed, there is no
  /// reply, and `failure` is the reason.
  virtual void complete(std::optional<RedisReply> reply, std::string_view failure) noexcept = 0;
};

/// One of the waiting threads receives for all, so that a single command needs no thread switch. An
/// extra thread does while no thread waits for its command. Commands that are issued while others
/// have no reply yet are sent together after it: both processes then make fewer system calls, which
/// cost more than a command. Replies arrive in the order of the commands, so if one is late, all
/// are, and the link is closed.
class RedisLink {
 public:
  using Clock = RedisTransport::Clock;

  RedisLink(const base::RedisUrl& url, const std::string& ca_file, Clock::time_point deadline);
  ~RedisLink();
  RedisLink(const RedisLink&) = delete;
  RedisLink& operator=(const RedisLink&) = delete;

  /// Sends a command from append_command and waits for the reply, which may be an error. Throws
  /// StoreError if there is no reply before the deadline, or if the link is down. Thread-safe.
  RedisReply execute(std::string_view command, Clock::time_point deadline);

  /// Queues a command without waiting for the reply. Returns false and does nothing if the link is
  /// down or idle: `execute` is then cheaper, because it needs no other thread. Throws
  /// std::bad_alloc. Thread-safe.
  bool begin(std::string_view command, Clock::time_point deadline,
             std::unique_ptr<RedisCompletion>&& completion);

  /// Returns false if the link is down, which is final. Detects that an idle connection has ended.
  bool is_up();
  /// Returns true if it is down because a command got no reply in time.
  bool was_silent() const { return was_silent_; }
  /// Whether anything has been received since that time. Thread-safe.
  bool has_received_since(Clock::time_point time) const { return last_reply_.load() >= time; }
  /// Ends it, and the calls that wait: the server does not reply. Thread-safe.
  void cancel();

 private:
  /// What a thread waits for: its call has ended, or it must receive.
  class Waker {
   public:
    void wake();
    /// Returns false if the deadline has passed.
    bool wait_until(Clock::time_point deadline);

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_woken_ = false;
  };
  /// A command. Owned by its thread, or by the link if it has a completion.
  struct Call {
    std::shared_ptr<Waker> waker;  ///< of the thread that can receive for it
    Clock::time_point deadline;
    std::unique_ptr<RedisCompletion> completion = nullptr;
    bool is_queued = true;
    std::optional<RedisReply> reply = {};  ///< none if the link has failed
    Call* next_ended = nullptr;
    std::atomic<bool> has_ended = false;  ///< set last, without the lock
  };

  void unlock(std::unique_lock<std::mutex>& lock);
  Call& end_first();
  void send_unsent(std::unique_lock<std::mutex>& lock);
  void receive_until_done(std::unique_lock<std::mutex>& lock, const Call* call);
  void receive_for_completions();
  void pass_replies(std::vector<RedisReply>& replies);
  void fail(std::string_view reason) noexcept;
  void fail_silent() noexcept;

  RedisTransport transport_;
  RedisReplyReader reader_;  ///< used by the receiving thread
  std::mutex mutex_;         ///< guards the following members
  std::deque<Call*> calls_;  ///< in the order of their commands
  Call* ended_ = nullptr;    ///< calls whose threads must be woken
  std::string unsent_;
  std::size_t unsent_calls_ = 0;  ///< number of commands in `unsent_`
  std::size_t in_flight_ = 0;     ///< number of commands that were sent and have no reply
  bool is_sending_ = false;
  bool is_receiving_ = false;
  std::atomic<Clock::time_point> last_reply_ = Clock::now();  ///< at first, of the connection
  std::atomic<bool> was_silent_ = false;
  /// The reason why it is down; empty while it is up. Does not change after the calls that it has
  /// ended, which read it without the lock.
  std::string failure_;
  bool is_ending_ = false;
  const std::shared_ptr<Waker> receiver_waker_ = std::make_shared<Waker>();
  std::thread receiver_;  ///< receives while all commands have completions; begun by the first one
};

}  // namespace fw::store
