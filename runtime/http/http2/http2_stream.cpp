#include "http/http2/http2_stream.hpp"

#include <algorithm>
#include <nghttp2/nghttp2.h>
#include <utility>

#include "http/http2/http2_session.hpp"
#include "http/response_head.hpp"
#include "http/socket.hpp"

namespace fw::http {
namespace {

using Lock = StreamLock;

/// Time after which a reader receives by itself: all workers may be waiting like it.
constexpr std::chrono::milliseconds kReaderSlice{20};

}  // namespace

Http2Stream::Http2Stream(Http2Session& session, std::shared_ptr<Connection> connection,
                         std::int32_t id)
    : session_(session),
      connection_(std::move(connection)),
      id_(id),
      body_share_(connection_->buffers()),
      read_share_(connection_->buffers()),
      output_(connection_->buffers()) {}

BodyStatus Http2Stream::read_body(std::uint64_t limit, std::string& body) {
  body.clear();
  while (true) {
    Lock lock(session_);
    const auto status = wait_for_content(lock, limit, std::chrono::steady_clock::time_point::max());
    if (status) return *status;
    const std::size_t size = body_.size() - body_begin_;
    if (body.empty() && body_begin_ == 0) {
      body = std::move(body_);
    } else {
      body.append(body_, body_begin_);
    }
    drop_content(lock, size);
    if (!read_share_.grow(body.capacity())) return *(failure_ = BodyStatus::unavailable);
  }
}

BodyPart Http2Stream::read_body_part(std::uint64_t limit, std::span<char> buffer,
                                     std::chrono::steady_clock::time_point until) {
  Lock lock(session_);
  if (const auto status = wait_for_content(lock, limit, until)) return {0, *status};
  const auto size = body_.copy(buffer.data(), buffer.size(), body_begin_);
  drop_content(lock, size);
  return {size, BodyStatus::complete};
}

/// Makes room for more bytes of the body. A reader that is always behind leaves bytes that have
/// been read before those that have not.
void Http2Stream::make_room(std::size_t size) {
  if (body_.size() + size <= body_.capacity()) return;
  const std::size_t unread = body_.size() - body_begin_;
  if (body_begin_ == 0) return body_.reserve(std::max(unread + size, 2 * unread));
  body_.erase(0, std::exchange(body_begin_, 0));
  // Moving the bytes pays only if it makes room for as many.
  if (unread + size > body_.capacity() / 2) body_.reserve(2 * (unread + size));
}

/// Removes bytes that have been read.
void Http2Stream::drop_content(SessionLock& lock, std::size_t size) {
  body_begin_ += size;
  if (body_begin_ >= body_.size()) {
    free_memory(body_);
    body_begin_ = 0;
    body_share_.release();
  }
  if (!consumes_body_) session_.consume(lock, *this, size);
}

/// Returns nothing if there is content, or will be; otherwise the status of the whole body.
std::optional<BodyStatus> Http2Stream::end_of_body(std::uint64_t limit) const {
  if (failure_) return failure_;
  if (received_ > limit || framing_.content_length.value_or(0) > limit) {
    return BodyStatus::too_large;
  }
  if (discards_body_ || (has_response() && !has_ended_)) return BodyStatus::disconnected;
  if (has_content()) return std::nullopt;
  if (has_ended_) return BodyStatus::complete;
  if (is_closed_ || is_canceled_) return BodyStatus::disconnected;
  return std::nullopt;
}

/// Returns nothing when there is content; otherwise the status of the whole body.
std::optional<BodyStatus> Http2Stream::wait_for_content(
    SessionLock& lock, std::uint64_t limit, std::chrono::steady_clock::time_point until) {
  const auto begin = coarse_now() - waited_;
  const auto& stopping = connection_->context().stopping;
  bool is_stopping = stopping.load(std::memory_order_acquire);
  std::uint64_t seen = received_;
  auto deadline = connection_->body_deadline(begin, received_);
  while (true) {
    const auto end = end_of_body(limit);
    if (end || has_content()) {
      waited_ = coarse_now() - begin;
      return end;
    }
    session_.send_continue(lock, *this);
    session_.enlarge_window(lock, *this);
    const bool stops_now = !is_stopping && stopping.load(std::memory_order_acquire);
    if (received_ != seen || stops_now) {
      seen = received_;
      is_stopping = is_stopping || stops_now;
      deadline = connection_->body_deadline(begin, received_);
    }
    if (coarse_now() >= deadline || std::chrono::steady_clock::now() >= until) {
      waited_ = coarse_now() - begin;
      return BodyStatus::timed_out;
    }
    if (body_changed_.wait_for(lock.mutex(), kReaderSlice) == std::cv_status::timeout) {
      lock.release();
      session_.receive_for_reader();
      lock.acquire();
    }
  }
}

bool Http2Stream::respond(const ResponseHead& head, std::string_view body) {
  check_response_head(head);
  if (!claim()) return false;
  const bool has_body = allows_body(head.status);
  const auto length = has_body ? std::optional<std::uint64_t>(body.size()) : std::nullopt;
  if (!has_body || head_.method == "HEAD") body = {};
  DisconnectCallback unused;  // destroyed without the lock, as it may own anything
  std::unique_ptr<ResponseStream> no_source;
  Lock lock(session_);
  unused = end_watch();
  try {
    session_.send_response(lock, *this, head, length, body, no_source);
  } catch (...) {
    session_.reset(lock, *this, NGHTTP2_INTERNAL_ERROR);
    throw;
  }
  return true;
}

bool Http2Stream::respond_stream(const ResponseHead& head, std::optional<std::uint64_t> length,
                                 BodyProducer produce, StreamEnd ended) {
  return respond_with(head, length, ended, [&](std::function<void()> before_last) {
    // Frames mark the end of the body, so the stream must not.
    return std::make_unique<ResponseStream>(BodyEnd::length, length, std::move(produce),
                                            std::move(before_last), std::move(ended));
  });
}

bool Http2Stream::respond_pushed(const ResponseHead& head, std::shared_ptr<PushedBody> body) {
  const auto ended = [&](const std::exception_ptr&) { body->end(false); };
  return respond_with(head, body->length(), ended, [&](std::function<void()> before_last) {
    body->begin(weak_from_this(), connection_->shared_buffers());
    keeps_callback_ = true;
    return std::make_unique<ResponseStream>(BodyEnd::length, body, std::move(before_last));
  });
}

bool Http2Stream::respond_socket(const ResponseHead& head, std::shared_ptr<SocketPeer> peer) {
  const ResponseHead opened{.status = 200, .fields = head.fields};
  const auto ended = [](const std::exception_ptr&) {};
  return respond_with(opened, std::nullopt, ended, [&](std::function<void()> before_last) {
    socket_ = std::make_shared<Http2Socket>(weak_from_this(), std::move(peer),
                                            connection_->shared_closed());
    socket_->begin({}, connection_->shared_buffers());
    keeps_callback_ = true;
    return std::make_unique<ResponseStream>(BodyEnd::length, socket_, std::move(before_last));
  });
}

bool Http2Stream::respond_file(const ResponseHead& head, FilePart part, StreamEnd ended) {
  const bool has_body = allows_body(head.status) && head_.method != "HEAD";
  if (has_body && part.size <= kMaxReadAtOnce) {
    std::string content(static_cast<std::size_t>(part.size), '\0');
    for (std::span<char> rest = content; !rest.empty();) {
      rest = rest.subspan(read_next(part, rest));
    }
    const bool is_sent = respond(head, content);
    if (is_sent && ended) ended(nullptr);
    return is_sent;
  }
  const auto size = part.size;
  return respond_with(head, size, ended, [&](std::function<void()> before_last) {
    auto source =
        std::make_unique<ResponseStream>(std::move(part), std::move(before_last), std::move(ended));
    source->read_file();  // its bytes are in frames
    return source;
  });
}

/// Responds with the stream that `make_stream` returns. If the response has no body, calls `ended`
/// instead.
template <class MakeStream>
bool Http2Stream::respond_with(const ResponseHead& head, std::optional<std::uint64_t> length,
                               const StreamEnd& ended, const MakeStream& make_stream) {
  check_response_head(head);
  if (!claim()) return false;
  const bool has_body = allows_body(head.status) && head_.method != "HEAD";
  if (!allows_body(head.status)) length.reset();
  DisconnectCallback unused;  // destroyed without the lock, as it may own anything
  std::unique_ptr<ResponseStream> source;
  {
    Lock lock(session_);
    if (!has_body) unused = end_watch();
    try {
      // The stream of this object owns the function.
      if (has_body) {
        source = make_stream([this] {
          DisconnectCallback unused_then;
          const Lock last(session_);
          unused_then = end_watch();
        });
      }
      session_.send_response(lock, *this, head, length, {}, source);
    } catch (...) {
      session_.reset(lock, *this, NGHTTP2_INTERNAL_ERROR);
      throw;
    }
  }
  if (!has_body && ended) ended(nullptr);
  return true;
}

void Http2Stream::on_disconnect(DisconnectCallback callback) {
  {
    Lock lock(session_);
    if (watch_has_ended_ || keeps_callback_) return;
    if (!is_canceled_) {
      std::swap(disconnect_callback_, callback);  // the former one is destroyed without the lock
      return;
    }
  }
  callback();
}

/// The disconnect callback is no longer called. With the lock.
DisconnectCallback Http2Stream::end_watch() {
  watch_has_ended_ = true;
  return std::exchange(disconnect_callback_, {});
}

void Http2Stream::wake() noexcept {
  Lock lock(session_);
  session_.wake(lock, *this);
}

void Http2Stream::post_messages() noexcept {
  Lock lock(session_);
  session_.post_messages(lock, *this);
}

/// By the worker that reads what the client has sent.
void Http2Stream::note_disconnect() {
  SessionLock lock(session_);
  session_.note_disconnect(lock, *this);
}

bool Http2Stream::begin_wait(std::size_t others) { return connection_->begin_handler_wait(others); }
void Http2Stream::end_wait() { connection_->end_handler_wait(); }

void Http2Stream::resume() noexcept {
  Lock lock(session_);
  if (phase_ != Phase::preparing) return;
  if (is_beginning_preparation_) {
    is_prepared_ = true;
    return;
  }
  session_.resume(lock, shared_from_this());
}

}  // namespace fw::http
