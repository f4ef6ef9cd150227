#include "http/epoll/http_transaction.hpp"

#include <algorithm>
#include <utility>

#include "http/websocket/handshake.hpp"

namespace fw::http {
namespace {

using NextAction = Connection::NextAction;

/// Unread bodies of up to this size are skipped to keep the connection.
constexpr std::uint64_t kMaxDrained = 64 * 1024;
/// Larger bodies are sent without being copied after the head.
constexpr std::size_t kMaxCopied = 8 * 1024;
/// Maximum delay until a reader notices that another thread has responded.
constexpr std::chrono::milliseconds kReadSlice{50};

/// The buffer into which a thread reads small files.
std::string& file_buffer() {
  thread_local std::string buffer;
  return buffer;
}

}  // namespace

HttpTransaction::HttpTransaction(const std::shared_ptr<Connection>& connection,
                                 ReadyRequest&& request)
    : connection_(connection),
      head_(std::move(request.head)),
      framing_(request.framing),
      received_(std::move(request.body)),
      plan_(std::move(request.plan)),
      body_share_(connection_->buffers()),
      body_(framing_.has_body() ? BodyState::unread : BodyState::complete) {
  queued_for_ = connection_->take_wait();
}

BodyStatus HttpTransaction::read_body(std::uint64_t limit, std::string& body) {
  body.clear();
  if (const auto ended = begin_reading()) return *ended;
  reception_ = begin_reception(limit);
  std::optional<BodyStatus> status;
  if (received_) status = take_received(limit, body);
  while (!status) status = receive(body, std::chrono::steady_clock::time_point::max());
  end_reading(*status == BodyStatus::complete ? BodyState::complete : BodyState::unusable);
  return *status;
}

BodyPart HttpTransaction::read_body_part(std::uint64_t limit, std::span<char> buffer,
                                         std::chrono::steady_clock::time_point until) {
  if (reception_ && reception_->taken < reception_->part.size()) return take_part(buffer);
  if (const auto ended = begin_reading()) return {0, *ended};
  if (!reception_) reception_ = begin_reception(limit);
  std::string& part = reception_->part;
  part.clear();
  reception_->taken = 0;
  const auto status = received_ ? take_received(limit, part) : receive(part, until);
  const bool is_complete = status == BodyStatus::complete;
  if (!status) {
    end_reading(BodyState::partly_read);
  } else {
    end_reading(is_complete ? BodyState::complete : BodyState::unusable);
  }
  if (status && (!is_complete || part.empty())) return {0, *status};
  return take_part(buffer);
}

HttpTransaction::Reception HttpTransaction::begin_reception(std::uint64_t limit) const {
  return {.decoder = BodyDecoder(framing_, limit), .awaits_continue = framing_.expects_continue};
}

BodyPart HttpTransaction::take_part(std::span<char> buffer) {
  const auto size = reception_->part.copy(buffer.data(), buffer.size(), reception_->taken);
  reception_->taken += size;
  return {size, BodyStatus::complete};
}

/// Returns nothing if the caller may read the body, until it calls `end_reading`; otherwise the
/// status of the body.
std::optional<BodyStatus> HttpTransaction::begin_reading() {
  const std::lock_guard lock(mutex_);
  if (body_ == BodyState::complete) return BodyStatus::complete;
  if (body_ != BodyState::unread && body_ != BodyState::partly_read) {
    return BodyStatus::disconnected;
  }
  body_ = BodyState::reading;
  return std::nullopt;
}

void HttpTransaction::end_reading(BodyState state) {
  {
    const std::lock_guard lock(mutex_);
    body_ = state;
    if (!after_reading_) return;
    body_ = BodyState::unusable;
  }
  connection_->end_exchange(*after_reading_);
  connection_->post();
}

bool HttpTransaction::has_whole_body() const {
  return body_ == BodyState::complete || (received_ && received_->status == BodyStatus::complete);
}

BodyStatus HttpTransaction::take_received(std::uint64_t limit, std::string& body) {
  if (received_->status == BodyStatus::disconnected) connection_->note_disconnect(false);
  if (received_->status != BodyStatus::complete) return received_->status;
  if (received_->content.size() > limit) return BodyStatus::too_large;
  body = std::move(received_->content);
  return BodyStatus::complete;
}

/// Receives until there is content, and returns nothing; or until the body has ended, and returns
/// its status.
std::optional<BodyStatus> HttpTransaction::receive(std::string& content,
                                                   std::chrono::steady_clock::time_point until) {
  Reception& reception = *reception_;
  const auto begin = coarse_now() - reception.waited;
  const auto status = receive_since(begin, content, until);
  reception.waited = coarse_now() - begin;
  return status;
}

std::optional<BodyStatus> HttpTransaction::receive_since(
    std::int64_t begin, std::string& content, std::chrono::steady_clock::time_point until) {
  const auto& stopping = connection_->context().stopping;
  const auto content_before = content.size();
  std::uint64_t& received_size = reception_->received;
  while (true) {
    auto rest = connection_->input();
    const auto before = rest.size();
    const auto status = final_status(reception_->decoder.decode(rest, &content));
    connection_->consume_input(before - rest.size());
    received_size += before - rest.size();
    if (!body_share_.grow(content.capacity())) return BodyStatus::unavailable;
    if (status) return *status;
    const bool awaits_continue = std::exchange(reception_->awaits_continue, false) && before == 0;
    if (content.size() > content_before) return std::nullopt;
    if (awaits_continue && !send_continue()) return BodyStatus::disconnected;
    bool is_stopping = stopping.load(std::memory_order_acquire);
    auto deadline = connection_->body_deadline(begin, received_size);
    auto received = connection_->receive_input();
    while (received == IoStatus::would_block) {
      if (has_response()) return BodyStatus::disconnected;
      if (!is_stopping && stopping.load(std::memory_order_acquire)) {
        is_stopping = true;
        deadline = connection_->body_deadline(begin, received_size);
      }
      const auto left = deadline - coarse_now();
      if (left <= 0 || std::chrono::steady_clock::now() >= until) return BodyStatus::timed_out;
      const auto slice = std::min(std::chrono::milliseconds(left), kReadSlice);
      if (wait_readable(connection_->fd(), slice)) received = connection_->receive_input();
    }
    if (received == IoStatus::closed) {
      connection_->note_disconnect(false);
      return BodyStatus::disconnected;
    }
    if (has_response()) return BodyStatus::disconnected;
    if (coarse_now() >= deadline) return BodyStatus::timed_out;
  }
}

/// Returns false if the response has begun, so that nothing may precede it, or if the client
/// accepts no data.
bool HttpTransaction::send_continue() {
  const auto deadline = coarse_now() + connection_->context().options.send_timeout.count();
  while (true) {
    std::size_t sent = 0;
    {
      // Responders, including the thread of all deadlines, wait for this lock, so it is not held
      // while waiting for the client.
      const std::lock_guard lock(mutex_);
      if (has_response() || connection_->send_some(kContinue, sent) == IoStatus::closed) {
        return false;
      }
      if (sent == kContinue.size()) return true;
      if (connection_->must_send_rest(sent)) {
        connection_->abort();  // the client would mistake later output for the rest
        return false;
      }
    }
    const std::chrono::milliseconds left(deadline - coarse_now());
    if (left.count() <= 0) return false;
    wait_writable(connection_->fd(), std::min(left, kReadSlice));
  }
}

bool HttpTransaction::respond(const ResponseHead& head, std::string_view body) {
  check_response_head(head);
  if (!claim()) return false;
  try {
    // A client may close after it has read the response.
    const auto after = decide_end(head, true);
    detail::TextWriter bytes;
    const bool has_body = allows_body(head.status);
    write_response_head(bytes, head, has_body ? BodyEnd::length : BodyEnd::no_body, body.size(),
                        connection_field(after));
    if (!has_body || head_.method == "HEAD") body = {};
    if (body.size() <= kMaxCopied) {
      bytes.put(body);
      body = {};
    }
    connection_->send_or_queue(bytes.content(), body);
    complete(after);
  } catch (...) {
    abandon();
    throw;
  }
  return true;
}

bool HttpTransaction::respond_stream(const ResponseHead& head, std::optional<std::uint64_t> length,
                                     BodyProducer produce, StreamEnd ended) {
  return respond_with(head, length, ended, [&](BodyEnd end, std::function<void()> before_last) {
    return std::make_unique<ResponseStream>(end, length, std::move(produce), std::move(before_last),
                                            std::move(ended));
  });
}

bool HttpTransaction::respond_file(const ResponseHead& head, FilePart part, StreamEnd ended) {
  const bool has_body = allows_body(head.status) && head_.method != "HEAD";
  if (has_body && part.size <= kMaxReadAtOnce) {
    std::string& content = file_buffer();
    content.resize(static_cast<std::size_t>(part.size));
    for (std::span<char> rest = content; !rest.empty();) {
      rest = rest.subspan(read_next(part, rest));
    }
    const bool is_sent = respond(head, content);
    if (is_sent && ended) ended(nullptr);
    return is_sent;
  }
  const auto size = part.size;
  return respond_with(head, size, ended, [&](BodyEnd, std::function<void()> before_last) {
    return std::make_unique<ResponseStream>(std::move(part), std::move(before_last),
                                            std::move(ended));
  });
}

/// Nothing of this object is needed until the end, which may be far.
bool HttpTransaction::respond_pushed(const ResponseHead& head, std::shared_ptr<PushedBody> body) {
  const auto ended = [&](const std::exception_ptr&) { body->end(false); };
  return respond_with(head, body->length(), ended, [&](BodyEnd end, const std::function<void()>&) {
    body->begin(connection_, connection_->shared_buffers());
    {
      const std::lock_guard lock(mutex_);
      watch_has_ended_ = true;  // for callbacks that are not set yet
    }
    return std::make_unique<ResponseStream>(end, body, [connection = connection_.get()] {
      DisconnectCallback nothing;
      connection->watch_disconnect(nothing);
    });
  });
}

bool HttpTransaction::respond_socket(const ResponseHead& head, std::shared_ptr<SocketPeer> peer) {
  check_response_head({.status = 200, .fields = head.fields});
  if (!claim()) return false;
  try {
    detail::TextWriter bytes;
    write_switch_head(bytes, head, "websocket");
    connection_->send_or_queue(bytes.content(), {});
    {
      const std::lock_guard lock(mutex_);
      watch_has_ended_ = true;  // for callbacks that are not set yet
    }
    peer->begin(connection_, connection_->shared_buffers());
    connection_->begin_socket(std::move(peer));
  } catch (...) {
    abandon();
    throw;
  }
  if (std::this_thread::get_id() == worker_) {
    worker_continues_ = true;
  } else {
    connection_->post();
  }
  return true;
}

/// Responds with the stream that `make_stream` returns. If the response has no body, calls `ended`
/// instead.
template <class MakeStream>
bool HttpTransaction::respond_with(const ResponseHead& head, std::optional<std::uint64_t> length,
                                   const StreamEnd& ended, const MakeStream& make_stream) {
  check_response_head(head);
  if (!claim()) return false;
  const bool has_body = allows_body(head.status) && head_.method != "HEAD";
  try {
    auto after = decide_end(head, !has_body);
    auto end = BodyEnd::chunked;
    if (!allows_body(head.status)) {
      end = BodyEnd::no_body;
    } else if (length) {
      end = BodyEnd::length;
    } else if (framing_.is_http_1_0) {
      end = BodyEnd::connection_close;
      if (after != NextAction::linger) {
        after = after == NextAction::drain_body ? NextAction::linger : NextAction::close;
      }
    }
    detail::TextWriter bytes;
    write_response_head(bytes, head, end, length.value_or(0), connection_field(after));
    if (has_body) {
      connection_->queue_stream(
          make_stream(end, [self = shared_from_this()] { self->end_watch(); }));
    }
    connection_->send_or_queue(bytes.content(), {});
    complete(after);
  } catch (...) {
    abandon();
    throw;
  }
  if (!has_body && ended) ended(nullptr);
  return true;
}

/// Ends a response that cannot be completed because memory is short; otherwise it would own the
/// connection forever.
void HttpTransaction::abandon() noexcept {
  connection_->abort();
  end_watch();
  complete(NextAction::close);
}

void HttpTransaction::abort() noexcept {
  if (claim()) abandon();
}

Connection::NextAction HttpTransaction::decide_end(const ResponseHead& head, bool ends_watch) {
  // Taking the lock also waits for a 100 Continue that is being sent.
  const std::lock_guard lock(mutex_);
  if (ends_watch) end_watch_locked();
  // Bytes after a CONNECT are for the other end of a tunnel.
  const bool is_last = !framing_.keep_alive || asks_to_close(head) || head_.method == "CONNECT" ||
                       websocket::rejects_handshake(head_, head.status) ||
                       connection_->has_reached_limit() ||
                       connection_->context().stopping.load(std::memory_order_acquire);
  if (has_whole_body()) {
    // Closing a socket with unread input would reset the connection before the client has read the
    // response.
    if (!is_last) return NextAction::next_request;
    return connection_->input().empty() ? NextAction::close : NextAction::linger;
  }
  const bool is_small = framing_.chunked || framing_.content_length.value_or(0) <= kMaxDrained;
  const bool is_skippable =
      body_ == BodyState::unread && is_small && !framing_.expects_continue && !received_;
  if (body_ != BodyState::reading) body_ = BodyState::unusable;
  return is_skippable && !is_last ? NextAction::drain_body : NextAction::linger;
}

ConnectionField HttpTransaction::connection_field(NextAction after) const {
  if (after == NextAction::close || after == NextAction::linger) return ConnectionField::close;
  return framing_.is_http_1_0 ? ConnectionField::keep_alive : ConnectionField::none;
}

void HttpTransaction::end_watch() {
  const std::lock_guard lock(mutex_);
  end_watch_locked();
}

void HttpTransaction::end_watch_locked() {
  watch_has_ended_ = true;
  DisconnectCallback nothing;
  if (watches_disconnect_) connection_->watch_disconnect(nothing);
}

void HttpTransaction::complete(NextAction after) {
  const bool is_worker = std::this_thread::get_id() == worker_;
  if (framing_.has_body()) {
    const std::lock_guard lock(mutex_);
    if (body_ == BodyState::reading) {
      after_reading_ = after;
      return;
    }
  }
  if (is_worker) worker_continues_ = true;
  std::optional<BodyDecoder> rest;
  if (after == NextAction::drain_body) rest.emplace(framing_, kMaxDrained);
  connection_->end_exchange(after, std::move(rest));
  if (!is_worker) connection_->post();
}

void HttpTransaction::on_disconnect(DisconnectCallback callback) {
  {
    const std::lock_guard lock(mutex_);
    if (watch_has_ended_) return;
    watches_disconnect_ = true;
    if (connection_->watch_disconnect(callback)) return;
  }
  callback();
}

}  // namespace fw::http
