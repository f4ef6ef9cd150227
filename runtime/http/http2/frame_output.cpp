#include "http/http2/frame_output.hpp"

#include <algorithm>
#include <nghttp2/nghttp2.h>

#include "http/socket.hpp"

namespace fw::http {
namespace {

/// The buffer in which this thread collects frames.
std::string& frame_buffer() {
  thread_local std::string buffer;
  return buffer;
}

}  // namespace

FrameOutput::Progress FrameOutput::flush(nghttp2_session* library) {
  if (filled_ != nullptr) return Progress::done;
  const auto sent_before = sent_;
  while (true) {
    if (!rest_.empty()) {
      std::size_t sent = 0;
      if (!send(std::string_view(rest_).substr(rest_begin_), sent)) return Progress::failed;
      rest_begin_ += sent;
      rest_sent_ += sent;
      if (rest_begin_ < rest_.size()) return Progress::blocked;
      free_memory(rest_);
      rest_begin_ = 0;
      rest_share_.release();
    }
    if (sent_ - sent_before >= kMaxTurn && nghttp2_session_want_write(library) != 0) {
      return Progress::turn_over;
    }
    std::string& fresh = frame_buffer();
    if (!fill(library, fresh)) return Progress::failed;
    if (fresh.empty()) return Progress::done;
    std::size_t sent = 0;
    if (!send(fresh, sent)) return Progress::failed;
    if (sent == fresh.size()) continue;
    rest_.assign(fresh, sent);
    rest_since_ = sent_at_ = coarse_now();
    rest_sent_ = 0;
    return rest_share_.grow(rest_.capacity()) ? Progress::blocked : Progress::failed;
  }
}

/// Writes the next frames of the library. Returns false if it fails.
bool FrameOutput::fill(nghttp2_session* library, std::string& bytes) {
  bytes.clear();
  filled_ = &bytes;
  bool has_failed = false;
  while (bytes.size() < kBatchSize) {
    const std::uint8_t* data = nullptr;
    const auto before = bytes.size();
    const auto size = nghttp2_session_mem_send(library, &data);
    has_failed = size < 0;
    if (has_failed) break;
    bytes.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    if (bytes.size() == before) break;
  }
  filled_ = nullptr;
  return !has_failed;
}

/// Sends without blocking. Returns false if the connection has failed.
bool FrameOutput::send(std::string_view bytes, std::size_t& sent) {
  while (sent < bytes.size()) {
    const iovec part{const_cast<char*>(bytes.data() + sent), bytes.size() - sent};
    std::size_t count = 0;
    const auto status = transport_.send_some({&part, 1}, count);
    if (status == IoStatus::closed) return false;
    sent += count;
    if (status == IoStatus::would_block || count == 0) break;
    sent_at_ = coarse_now();
  }
  sent_ += sent;
  return true;
}

bool FrameOutput::is_late(std::int64_t now) const {
  if (rest_.empty()) return false;
  return now >= std::min(sent_at_ + options_.send_timeout.count(),
                         rest_since_ + options_.min_data_rate.max_duration(rest_sent_));
}

}  // namespace fw::http
