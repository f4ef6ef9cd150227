// A socket on a stream of HTTP/2: its frames are the bytes of the stream (RFC 8441).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/adapter.hpp"
#include "http/buffer_budget.hpp"
#include "http/websocket/socket_session.hpp"

namespace fw::http {

class Connection;
class Http2Stream;

/// For the stream, it is the rest of its response. The worker that produces the next part of it
/// also reads what the client has sent, so that one thread at a time uses the session; other
/// functions say that they are thread-safe.
class Http2Socket final : public PushedBody,
                          public SocketWaker,
                          public std::enable_shared_from_this<Http2Socket> {
 public:
  /// Must be owned by a shared pointer. `stops_messages`: whether the server has ended, so that
  /// messages are not handled any more.
  Http2Socket(std::weak_ptr<Http2Stream> stream, std::shared_ptr<SocketPeer> peer,
              std::shared_ptr<const std::atomic<bool>> stops_messages);

  /// Thread-safe.
  SocketPeer& peer() const { return session_.peer(); }
  /// Reads what the client has sent, and removes it: everything, unless the peer has no room.
  /// Breaks the body if there is no memory.
  void receive(std::string_view& bytes) noexcept;
  /// The client sends nothing more, after what it has sent. Runs callbacks of the application,
  /// unless the socket has been closed.
  void end_input();
  /// Looks at what is late. `has_unsent`: the client has not accepted what was produced.
  void check(const Connection& connection, bool has_unsent);
  /// The time, by `coarse_now`, of the next `check`. Thread-safe.
  std::int64_t deadline() const { return deadline_.load(); }
  /// Memory of the message that is arriving. Thread-safe.
  std::size_t arriving() const { return counted_.load(); }
  /// Frees this memory at the next `check`, because it is short: the socket is closed. Thread-safe.
  void reject_message() { must_reject_ = true; }
  /// Runs handlers of messages. Thread-safe.
  void run_messages() { peer().run(stops_messages_->load()); }

  // PushedBody:
  void begin(std::weak_ptr<BodyWaker> waker,
             std::shared_ptr<BufferBudget> buffers) noexcept override;
  std::size_t waiting() const noexcept override { return peer().waiting() + counted_.load(); }
  void discard() noexcept override { peer().discard(); }
  std::optional<Part> take(std::span<char> buffer) noexcept override;
  bool may_wait() noexcept override;
  bool is_broken() const noexcept override { return is_broken_.load(); }
  // The session has pings of its own.
  std::string_view heartbeat() const noexcept override { return {}; }
  std::chrono::milliseconds heartbeat_interval() const noexcept override {
    return std::chrono::hours(24);
  }
  void stop() noexcept override { session_.stop(); }
  void end(bool is_complete) noexcept override;

  // SocketWaker:
  void wake_socket() noexcept override;
  void flush_socket() noexcept override { wake_socket(); }
  void post_messages() noexcept override;

 private:
  void count_memory();

  const std::weak_ptr<Http2Stream> stream_;
  websocket::SocketSession session_;
  const std::shared_ptr<const std::atomic<bool>> stops_messages_;
  std::shared_ptr<BufferBudget> buffers_;
  std::optional<BufferBudget::Share> share_;  ///< of the message that is arriving
  std::string frames_;                        ///< that were produced
  std::size_t taken_ = 0;                     ///< bytes of `frames_`
  std::atomic<std::int64_t> deadline_;
  std::atomic<std::size_t> counted_{0};  ///< by `share_`
  std::atomic<bool> is_broken_{false};
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> must_reject_{false};
};

}  // namespace fw::http
