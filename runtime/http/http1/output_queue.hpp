// The unsent output of a connection: bytes that the socket did not accept, and the stream that
// produces more.
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
#include "http/transport.hpp"

namespace fw::http {

class OutputQueue {
 public:
  explicit OutputQueue(BufferBudget& budget) : share_(budget) {}

  enum class SendStatus { done, closed, no_memory };
  /// Sends without blocking and keeps the bytes that the socket does not accept.
  SendStatus send(Transport& transport, std::string_view first, std::string_view second);
  /// Sets the stream that follows the bytes, and is sent as fast as the client receives it.
  void set_stream(std::unique_ptr<ResponseStream> stream);

  bool empty() const { return bytes_.empty() && !stream_; }
  bool has_stream() const { return stream_ != nullptr; }
  bool has_bytes() const { return !bytes_.empty(); }
  /// Whether the stream will produce more, or has failed.
  bool has_more() const;
  /// Whether the end of the connection marks the end of the body. Thread-safe.
  bool ends_with_connection() const { return ends_with_connection_.load(); }

  /// Without blocking, sends the kept bytes and then, up to a limit, bytes of a file. Sets
  /// `has_sent` if any were sent. Returns `done` if the queue does not have to wait for the client.
  IoStatus flush(Transport& transport, bool& has_sent);
  /// Whether the next bytes belong to a file, which `flush` sends.
  bool sends_file() const { return stream_ && stream_->file() != nullptr; }
  /// The pushed body that the stream is; null if it is none.
  PushedBody* pushed() const { return stream_ ? stream_->pushed() : nullptr; }
  /// Whether it waits, and everything before was sent.
  bool is_waiting() const {
    return stream_ && stream_->state() == ResponseStream::State::waiting && !has_bytes();
  }
  /// Its heartbeat.
  std::string_view heartbeat() const { return stream_->heartbeat(); }
  /// The next bytes of the stream; empty if it has failed.
  std::optional<std::string_view> produce_next();
  /// Returns true once, when the caller must register with the poller for room to send.
  bool begin_watch() { return !std::exchange(is_watched_, true); }

  /// Starts the clock of the client after the response was produced.
  void begin_clock() { since_ = coarse_now(); }
  /// The client has not caused so many milliseconds.
  void exclude(std::int64_t milliseconds) { since_ += milliseconds; }
  /// Starts it again when a pushed body has something after it has had nothing.
  void restart_clock() {
    begin_clock();
    sent_before_ = sent_;
  }
  /// The time (`coarse_now`) by which the client must have received more.
  std::int64_t deadline(const AdapterOptions& options) const;
  std::int64_t since() const { return since_; }
  std::uint64_t sent() const { return sent_; }
  /// Bytes since the clock was started.
  std::uint64_t sent_on_clock() const { return sent_ - sent_before_; }
  /// Bytes that count as buffered memory.
  std::size_t waiting() const {
    const PushedBody* const body = pushed();
    return share_.size() + (body != nullptr ? body->waiting() : 0);
  }

  void drop_bytes();
  /// Frees what waits for the client, because the response is being cut off.
  void discard() {
    drop_bytes();
    if (PushedBody* const body = pushed()) body->discard();
  }
  /// Whether a part of the stream has not been sent.
  bool is_cut() const { return stream_ && (has_bytes() || has_more()); }
  /// Removes the stream. Destroying the result runs the end callback.
  std::unique_ptr<ResponseStream> take_stream();
  void reset_count() { sent_ = sent_before_ = 0; }

 private:
  IoStatus send_file(const Transport& transport, bool& has_sent);

  BufferBudget::Share share_;
  std::string bytes_;
  std::size_t begin_ = 0;
  bool is_watched_ = false;
  std::int64_t since_ =
      0;  ///< `coarse_now` time, adjusted for the time spent producing the response
  std::uint64_t sent_ = 0;         ///< bytes of this response
  std::uint64_t sent_before_ = 0;  ///< the clock was restarted
  std::unique_ptr<ResponseStream> stream_;
  std::atomic<bool> ends_with_connection_{false};
};

}  // namespace fw::http
