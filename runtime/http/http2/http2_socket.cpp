#include "http/http2/http2_socket.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "http/epoll/connection.hpp"
#include "http/http2/http2_stream.hpp"
#include "http/socket.hpp"

namespace fw::http {

Http2Socket::Http2Socket(std::weak_ptr<Http2Stream> stream, std::shared_ptr<SocketPeer> peer,
                         std::shared_ptr<const std::atomic<bool>> stops_messages)
    : stream_(std::move(stream)),
      session_(std::move(peer), coarse_now()),
      stops_messages_(std::move(stops_messages)),
      deadline_(session_.deadline()) {}

/// Called with the lock of the session, which a wake would need; something is produced anyway. The
/// waker is the stream, which `wake_socket` knows.
void Http2Socket::begin(std::weak_ptr<BodyWaker>, std::shared_ptr<BufferBudget> buffers) noexcept {
  buffers_ = std::move(buffers);
  share_.emplace(*buffers_);
  peer().begin(weak_from_this(), buffers_);
  has_begun_ = true;
}

void Http2Socket::receive(std::string_view& bytes) noexcept {
  try {
    session_.receive(bytes, coarse_now());
    count_memory();
  } catch (const std::bad_alloc&) {
    bytes = {};
    is_broken_ = true;
  }
}

bool Http2Socket::may_wait() noexcept {
  const bool may = peer().may_wait();
  if (!may) is_broken_ = true;
  return may;
}

void Http2Socket::end_input() {
  if (session_.has_ended()) return;  // the last frame may still be sent
  // First, because the end of the socket removes the callback.
  if (const auto stream = stream_.lock()) stream->note_disconnect();
  session_.lose();
}

void Http2Socket::count_memory() {
  const auto arriving = session_.arriving();
  if (!share_->resize(arriving ? arriving->buffered : 0)) session_.reject_message();
  counted_ = share_->size();
}

void Http2Socket::check(const Connection& connection, bool has_unsent) {
  const auto now = coarse_now();
  if (must_reject_.exchange(false) && session_.arriving()) {
    session_.reject_message();
    count_memory();
  }
  if (const auto arriving = session_.arriving()) {
    if (now >= connection.body_deadline(arriving->since, arriving->received)) {
      session_.reject_late_message();
      count_memory();
    }
  }
  const bool is_sending = has_unsent || taken_ < frames_.size();
  // A client that reads too slowly, that is gone, or that does not close after this side has, is
  // disconnected.
  if (has_unsent) may_wait();
  if (!is_sending && !session_.is_finished() && !session_.expire(now)) is_broken_ = true;
  auto next = session_.deadline();
  if (const auto arriving = session_.arriving()) {
    next = std::min(next, connection.body_deadline(arriving->since, arriving->received));
  }
  deadline_ = next;
}

std::optional<PushedBody::Part> Http2Socket::take(std::span<char> buffer) noexcept {
  try {
    if (taken_ == frames_.size()) {
      constexpr std::size_t kMaxKept = 16 * 1024;
      if (frames_.capacity() > kMaxKept) free_memory(frames_);
      frames_.clear();
      taken_ = 0;
      session_.produce(frames_, coarse_now());
    }
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
  const std::size_t size = frames_.copy(buffer.data(), buffer.size(), taken_);
  taken_ += size;
  return Part{.size = size, .is_last = taken_ == frames_.size() && session_.is_finished()};
}

/// May run callbacks of the application.
void Http2Socket::end(bool) noexcept {
  session_.lose();  // without effect if it has been closed
  if (share_) share_->release();
  counted_ = 0;
  run_messages();
}

void Http2Socket::wake_socket() noexcept {
  if (!has_begun_) return;
  if (const auto stream = stream_.lock()) stream->wake();
}

void Http2Socket::post_messages() noexcept {
  if (const auto stream = stream_.lock()) stream->post_messages();
}

}  // namespace fw::http
