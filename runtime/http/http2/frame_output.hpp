// Sends the frames of libnghttp2, and keeps what the socket has not accepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/adapter.hpp"
#include "http/buffer_budget.hpp"
#include "http/transport.hpp"

struct nghttp2_session;

namespace fw::http {

/// Guarded by the lock of the session.
class FrameOutput {
 public:
  enum class Progress {
    done,       ///< the library has no frame
    blocked,    ///< the socket accepts no more
    turn_over,  ///< there is more, but others must get the lock and the worker first
    failed,     ///< the connection has failed
  };

  /// All must outlive the object.
  FrameOutput(Transport& transport, BufferBudget& budget, const AdapterOptions& options)
      : transport_(transport), options_(options), rest_share_(budget) {}

  /// Sends what there is, as far as the socket accepts it, up to a limit. Returns `done` without an
  /// effect while the library is asked for frames.
  [[nodiscard]] Progress flush(nghttp2_session* library);
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

  /// A turn ends when it has sent so many bytes, or up to a batch more.
  static constexpr std::size_t kMaxTurn = 256 * 1024;
  /// Bytes of frames that are sent at once.
  static constexpr std::size_t kBatchSize = 64 * 1024;

 private:
  bool fill(nghttp2_session* library, std::string& bytes);
  bool send(std::string_view bytes, std::size_t& sent);

  Transport& transport_;
  const AdapterOptions& options_;
  std::string rest_;  ///< of frames that the socket has not accepted
  std::size_t rest_begin_ = 0;
  BufferBudget::Share rest_share_;
  std::string* filled_ = nullptr;  ///< while the library writes frames
  std::int64_t rest_since_ = 0;
  std::uint64_t rest_sent_ = 0;
  std::int64_t sent_at_ = 0;  ///< when the socket last accepted something
  std::uint64_t sent_ = 0;
};

}  // namespace fw::http
