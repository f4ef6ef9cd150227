// Sends the frames of libnghttp2, and keeps what the socket has not accepted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/buffer_budget.hpp"
#include "http/epoll/connection.hpp"

struct nghttp2_session;

namespace fw::http {

/// Guarded by the lock of the session.
class FrameOutput {
 public:
  FrameOutput(Connection& connection, Transport& transport)
      : connection_(connection), transport_(transport), rest_share_(connection.buffers()) {}

  /// Sends what there is, as far as the socket accepts it. Returns false if the connection has
  /// failed. Does nothing while the library is asked for frames.
  [[nodiscard]] bool flush(nghttp2_session* library);
  /// Adds a DATA frame while the library is asked for frames.
  void append(std::string_view head, std::string_view content) {
    filled_->append(head).append(content);
  }

  /// Whether all frames that were written have been sent.
  bool is_empty() const { return rest_.empty(); }
  /// Bytes of memory.
  std::size_t waiting() const { return rest_share_.size(); }
  /// Bytes so far.
  std::uint64_t sent() const { return sent_; }
  /// The number of bytes after which what was appended has been sent; while the library is asked
  /// for frames.
  std::uint64_t end() const { return sent_ + filled_->size(); }
  /// When the socket last accepted something that it had not accepted at once.
  std::int64_t progress_at() const { return sent_at_; }
  /// Whether the client receives too slowly.
  bool is_late(std::int64_t now) const;

 private:
  bool fill(nghttp2_session* library, std::string& bytes);
  bool send(std::string_view bytes, std::size_t& sent);

  Connection& connection_;
  Transport& transport_;
  std::string rest_;  ///< of frames that the socket has not accepted
  std::size_t rest_begin_ = 0;
  BufferBudget::Share rest_share_;
  std::string* filled_ = nullptr;  ///< while the library writes frames
  bool is_watched_ = false;
  std::int64_t rest_since_ = 0;
  std::uint64_t rest_sent_ = 0;
  std::int64_t sent_at_ = 0;  ///< when the socket last accepted something
  std::uint64_t sent_ = 0;
};

}  // namespace fw::http
