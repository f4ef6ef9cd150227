// What a connection is still to send of a response: bytes that the socket did not take, and the
// stream that makes more as the client takes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/adapter.hpp"
#include "http/buffer_budget.hpp"
#include "http/response_stream.hpp"
#include "http/socket.hpp"

namespace fw::http {

class OutputQueue {
 public:
  explicit OutputQueue(BufferBudget& budget) : share_(budget) {}

  enum class SendStatus { done, closed, no_memory };
  /// Sends without waiting; keeps what the socket does not take.
  SendStatus send(int fd, std::string_view first, std::string_view second);
  /// What follows the bytes, as the client takes it.
  void set_stream(std::unique_ptr<ResponseStream> stream);

  bool empty() const { return bytes_.empty() && !stream_; }
  bool has_bytes() const { return !bytes_.empty(); }
  /// Whether the stream has more to make, or has broken.
  bool has_more_to_make() const;
  /// Whether a client takes the end of the connection for the end of the body. From any thread.
  bool ends_with_connection() const { return ends_with_connection_.load(); }

  /// Sends the kept bytes without waiting; `has_sent` says if it has sent any. `done`: all of them.
  IoStatus flush(int fd, bool& has_sent);
  /// The stream's next bytes; nothing if the rest will never come.
  std::optional<std::string_view> make_next();
  /// True once: the poller is to say when there is room to send.
  bool begin_watch() { return !std::exchange(is_watched_, true); }

  /// The response has been made; its client's time begins.
  void begin_clock() { since_ = coarse_now(); }
  /// When the client must have taken more, by `coarse_now`.
  std::int64_t deadline(const AdapterOptions& options) const;
  std::int64_t since() const { return since_; }
  std::uint64_t sent() const { return sent_; }
  /// Bytes that count as memory that waits for the client.
  std::size_t waiting() const { return share_.size(); }

  void drop_bytes();
  /// Whether something of the stream has not been sent.
  bool is_cut() const { return stream_ && (has_bytes() || has_more_to_make()); }
  /// The stream is over; what it has for its end runs when the result goes.
  std::unique_ptr<ResponseStream> take_stream();
  void reset_count() { sent_ = 0; }

 private:
  BufferBudget::Share share_;
  std::string bytes_;
  std::size_t begin_ = 0;
  bool is_watched_ = false;
  std::int64_t since_ =
      0;  ///< `coarse_now` time, adjusted for the time spent producing the response
  std::uint64_t sent_ = 0;  ///< bytes of this response
  std::unique_ptr<ResponseStream> stream_;
  std::atomic<bool> ends_with_connection_{false};
};

}  // namespace fw::http
