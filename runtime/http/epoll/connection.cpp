#include "http/epoll/connection.hpp"

#include <algorithm>
#include <array>
#include <sys/socket.h>
#include <utility>

namespace fw::http {
namespace {

constexpr std::size_t kReceiveSize = 64 * 1024;
constexpr std::chrono::milliseconds kLingerTime{2000};
/// What a client that has just come may need to send its first request, when the server stops.
constexpr std::chrono::milliseconds kFirstRequestTime{500};
/// What a client may need for the next bytes of a head or a body then.
constexpr std::chrono::milliseconds kStopPause{1000};
/// How long a transfer must have lasted to be called slow.
constexpr std::int64_t kLeastJudgedTime = 1000;
/// A worker turns to others after so many bytes of one stream, or that are only thrown away.
constexpr std::size_t kHandledAtOnce = 1024 * 1024;
/// Buffers that grew past this are given back between requests, and count as memory that waits.
constexpr std::size_t kKeptCapacity = 16 * 1024;
/// A body's buffer has room for what a parser reads past its end.
constexpr std::size_t kPastTheEnd = 64;
constexpr std::string_view kNoMemory =
    "the server has too much in memory for its clients: try again later";

/// What a thread receives into: connections that are idle hold no such buffer.
std::span<char> receive_buffer() {
  // Not zeroed: a thread takes as much memory as it has ever received at once.
  thread_local const auto buffer = std::make_unique_for_overwrite<char[]>(kReceiveSize);
  return {buffer.get(), kReceiveSize};
}

}  // namespace

Connection::Connection(std::shared_ptr<ConnectionContext> context, std::uint64_t id,
                       AcceptedSocket socket, ConnectionBudget::Place place)
    : context_(std::move(context)),
      id_(id),
      place_(std::move(place)),
      socket_(std::move(socket.fd)),
      remote_address_(std::move(socket.remote_address)),
      input_share_(context_->buffers),
      output_share_(context_->buffers) {
  set_deadline(context_->options.headers_timeout);
}

Connection::Progress Connection::advance(RequestError& error) {
  while (true) {
    if (broken_.load(std::memory_order_relaxed)) enter(After::close);
    switch (phase_) {
      case Phase::reading_head:
        return read_head(error);
      case Phase::awaiting_body:
        return receive_body(error);
      case Phase::refusing:
        error = {503, kNoMemory};
        return Progress::error;
      case Phase::sending:
        if (!send_response()) return Progress::waiting;
        break;
      case Phase::draining:
        if (!drain_body()) return Progress::waiting;
        break;
      case Phase::lingering:
        if (!linger()) return Progress::waiting;
        break;
      case Phase::closed:
        return Progress::closed;
    }
  }
}

Connection::Progress Connection::read_head(RequestError& error) {
  while (true) {
    if (!input().empty()) {
      const auto status = scanner_.scan(input());
      if (status == HeadScanner::Status::malformed) {
        error = {400,
                 "the request is not HTTP: lines end with CR LF, the first begins with a method"};
        return Progress::error;
      }
      const bool complete = status == HeadScanner::Status::complete;
      const auto size = complete ? scanner_.end() : input().size();
      if (size > context_->options.max_header_size) {
        error = {431, "the request's headers are too large"};
        return Progress::error;
      }
      if (complete) return Progress::head_complete;
    }
    if (!may_have_input_) return wait_for_head(error);
    if (receive_input() == IoStatus::closed) {
      enter(After::close);
      return Progress::closed;
    }
  }
}

Connection::Progress Connection::wait_for_head(RequestError& error) {
  const bool idle = input().empty();
  const bool is_stopping = context_->stopping.load(std::memory_order_acquire);
  if (idle && is_stopping && requests_ > 0) {
    enter(After::close);
    return Progress::closed;
  }
  // A request that is under way would be lost.
  const auto headers_timeout = is_stopping ? std::min(kStopPause, context_->options.headers_timeout)
                                           : context_->options.headers_timeout;
  if (notes_stop()) {
    set_deadline(idle ? std::min(kFirstRequestTime, headers_timeout) : headers_timeout);
  }
  if (!idle && !head_has_begun_) {
    head_has_begun_ = true;
    set_deadline(headers_timeout);
  }
  if (expired_.exchange(false, std::memory_order_relaxed) && is_expired()) {
    if (idle) {
      enter(After::close);
      return Progress::closed;
    }
    error = {408, "the request's headers did not arrive in time"};
    return Progress::error;
  }
  return Progress::waiting;
}

/// Whether the server stops, and this is the first look since.
bool Connection::notes_stop() {
  return context_->stopping.load(std::memory_order_acquire) && !std::exchange(stop_is_noted_, true);
}

std::string_view Connection::head() const {
  return input().substr(scanner_.begin(), scanner_.end() - scanner_.begin());
}

void Connection::begin_exchange() {
  ++requests_;
  consume_input(scanner_.end());
  scanner_ = {};
  head_has_begun_ = false;
  deadline_.store(0, std::memory_order_relaxed);
}

void Connection::await_body(std::unique_ptr<PendingRequest> request) {
  pending_ = std::move(request);
  pending_->since = coarse_now();
  phase_ = Phase::awaiting_body;
}

Connection::Progress Connection::receive_body(RequestError& error) {
  auto& pending = *pending_;
  auto& body = pending.body;
  const auto finish = [&](BodyStatus status) {
    body.status = status;
    phase_ = Phase::reading_head;
    deadline_.store(0, std::memory_order_relaxed);
    note_transfer(0, 0, 0);
    return Progress::body_received;
  };
  const auto received_before = pending.received;
  while (true) {
    auto rest = input();
    make_room_for_body(rest.size());
    const auto decoded = final_status(pending.decoder.decode(rest, &body.content));
    const auto size = input().size() - rest.size();
    pending.received += size;
    consume_input(size);
    if (!body.share.grow(body.content.capacity())) {
      pending_.reset();
      error = {503, kNoMemory};
      return Progress::error;
    }
    if (decoded) return finish(*decoded);
    const bool is_first = deadline_.load(std::memory_order_relaxed) == 0;
    if (notes_stop() || size > 0 || is_first) {
      deadline_.store(body_deadline(pending.since, pending.received), std::memory_order_relaxed);
    }
    if (is_expired()) return finish(BodyStatus::timed_out);
    note_transfer(body.share.size(), pending.since, pending.received);
    if (!may_have_input_) return Progress::waiting;
    if (pending.received - received_before > kHandledAtOnce) {
      kick();
      return Progress::waiting;
    }
    if (receive_input() == IoStatus::closed) return finish(BodyStatus::disconnected);
  }
}

/// Grows the buffer to the announced size rather than past it, but to no more than twice of what
/// has come.
void Connection::make_room_for_body(std::size_t size) {
  auto& content = pending_->body.content;
  const auto needed = content.size() + size;
  const auto length = pending_->framing.content_length;
  if (!length || needed <= content.capacity()) return;
  content.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(
      std::max<std::uint64_t>(*length, needed) + kPastTheEnd, 2 * std::uint64_t{needed})));
}

std::int64_t Connection::body_deadline(std::int64_t since, std::uint64_t received) const {
  const auto& options = context_->options;
  const auto deadline = since + std::min<std::int64_t>(options.request_timeout.count(),
                                                       options.min_data_rate.longest(received));
  if (!context_->stopping.load(std::memory_order_acquire)) return deadline;
  return std::min(deadline, coarse_now() + kStopPause.count());
}

bool Connection::has_reached_limit() const {
  const auto limit = context_->options.max_requests_per_connection;
  return limit > 0 && requests_ >= limit;
}

void Connection::end_exchange(After after, std::optional<BodyDecoder> rest_of_body) {
  rest_of_body_ = std::move(rest_of_body);
  if (output_.empty() && !stream_) {
    finish_exchange(after);
    return;
  }
  phase_ = Phase::sending;
  after_sending_ = after;
  // The requests that the client has sent ahead wait, too.
  if (input_.size() > kKeptCapacity && !input_share_.grow(input_.capacity())) abort();
  output_since_ = coarse_now();
  set_send_deadline();
}

/// With input left, closing at once would reset the connection before the client has read.
void Connection::finish_exchange(After after) {
  enter(after == After::close && has_unread(fd()) ? After::linger : after);
}

void Connection::consume_input(std::size_t size) {
  input_begin_ += size;
  if (input_begin_ < input_.size()) return;
  input_.clear();
  input_begin_ = 0;
  if (input_.capacity() > kKeptCapacity) input_.shrink_to_fit();
  input_share_.release();
}

IoStatus Connection::receive_input() {
  const auto buffer = receive_buffer();
  const auto received = receive(fd(), buffer);
  // A short receive has emptied the socket; only the peer's end may follow without an event.
  may_have_input_ =
      received.status == IoStatus::done &&
      (received.size == buffer.size() || peer_closed_.load(std::memory_order_relaxed));
  if (received.status != IoStatus::done) return received.status;
  if (input_begin_ > 0) {
    input_.erase(0, input_begin_);
    input_begin_ = 0;
  }
  input_.append(buffer.data(), received.size);
  return IoStatus::done;
}

bool Connection::send_at_once(std::string_view bytes) {
  const iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  std::size_t sent = 0;
  if (send_some(fd(), {&part, 1}, sent) == IoStatus::closed) note_disconnect(true);
  if (sent > 0 && sent < bytes.size()) abort();  // what follows would be taken for the rest
  return sent == bytes.size();
}

void Connection::send_or_queue(std::string_view first, std::string_view second) {
  const std::array<iovec, 2> parts = {iovec{const_cast<char*>(first.data()), first.size()},
                                      iovec{const_cast<char*>(second.data()), second.size()}};
  std::size_t sent = 0;
  const auto status = send_some(fd(), {parts.data(), second.empty() ? 1U : 2U}, sent);
  if (status == IoStatus::closed) {
    note_disconnect(true);
    return;
  }
  output_sent_ += sent;
  const auto rest = output_.size() + first.size() + second.size() - sent;
  if (rest == 0) return;
  if (!output_share_.grow(rest)) {
    abort();
    note_disconnect(true);
    return;
  }
  output_.reserve(rest);
  const auto sent_of_first = std::min(sent, first.size());
  output_.append(first.substr(sent_of_first)).append(second.substr(sent - sent_of_first));
}

void Connection::queue_stream(std::unique_ptr<ResponseStream> stream) {
  ends_with_stream_.store(stream->ends_with_connection());
  stream_ = std::move(stream);
}

/// False while the client does not take what there is, and when others are to have their turn.
bool Connection::send_response() {
  const auto sent_before = output_sent_;
  while (true) {
    const auto status = flush_output();
    if (status == IoStatus::would_block) return false;
    if (status == IoStatus::closed) {
      enter(After::close);
      return true;
    }
    if (!stream_ || stream_->state() == ResponseStream::State::complete) {
      finish_exchange(after_sending_);
      return true;
    }
    if (output_sent_ - sent_before > kHandledAtOnce) {
      kick();
      return false;
    }
    if (!send_next_part()) {
      enter(After::close);
      return true;
    }
  }
}

/// False if the rest will never come.
bool Connection::send_next_part() {
  deadline_.store(0, std::memory_order_relaxed);
  const auto begin = coarse_now();
  const auto bytes = stream_->next();
  output_since_ += coarse_now() - begin;  // for which the client is not to blame
  if (stream_->state() == ResponseStream::State::broken || broken_.load()) return false;
  send_or_queue(bytes, {});
  set_send_deadline();
  return true;
}

IoStatus Connection::flush_output() {
  while (output_begin_ < output_.size()) {
    const iovec part{output_.data() + output_begin_, output_.size() - output_begin_};
    std::size_t sent = 0;
    const auto status = send_some(fd(), {&part, 1}, sent);
    if (status == IoStatus::closed) {
      note_disconnect(true);
      return status;
    }
    if (status == IoStatus::would_block) {
      if (expired_.exchange(false, std::memory_order_relaxed) && is_expired()) {
        abort();
        note_disconnect(true);
        return IoStatus::closed;
      }
      if (!std::exchange(watches_output_, true)) context_->poller.watch_output(fd(), id_);
      note_transfer(output_share_.size(), output_since_, output_sent_);
      return status;
    }
    output_begin_ += sent;
    output_sent_ += sent;
    set_send_deadline();
  }
  output_ = {};
  output_begin_ = 0;
  output_share_.release();
  note_transfer(0, 0, 0);
  return broken_.load(std::memory_order_relaxed) ? IoStatus::closed : IoStatus::done;
}

bool Connection::shed() {
  if (phase_ == Phase::awaiting_body) {
    pending_.reset();
    phase_ = Phase::refusing;
  } else if (phase_ == Phase::sending && !output_.empty()) {
    abort();
    output_ = {};
    output_begin_ = 0;
    output_share_.release();
  } else {
    return false;
  }
  note_transfer(0, 0, 0);
  return true;
}

void Connection::note_transfer(std::size_t waiting, std::int64_t since, std::uint64_t transferred) {
  waiting_.store(waiting, std::memory_order_relaxed);
  transfer_since_.store(since, std::memory_order_relaxed);
  transferred_.store(transferred, std::memory_order_relaxed);
}

std::optional<Connection::WaitingTransfer> Connection::waiting_transfer(std::int64_t now) const {
  const auto waiting = waiting_.load(std::memory_order_relaxed);
  const auto time = now - transfer_since_.load(std::memory_order_relaxed);
  if (waiting < kKeptCapacity || time < kLeastJudgedTime) return std::nullopt;
  return WaitingTransfer{waiting,
                         static_cast<double>(transferred_.load(std::memory_order_relaxed)) /
                             static_cast<double>(time)};
}

bool Connection::drain_body() {
  while (true) {
    auto rest = input();
    const auto status = rest_of_body_->decode(rest, nullptr);
    consume_input(input().size() - rest.size());
    if (status == BodyDecoder::Status::complete) {
      enter(After::next_request);
      return true;
    }
    if (status != BodyDecoder::Status::need_more) {
      enter(After::linger);
      return true;
    }
    if (!may_have_input_) {
      if (!expired_.exchange(false, std::memory_order_relaxed) || !is_expired()) return false;
      enter(After::close);
      return true;
    }
    if (receive_input() == IoStatus::closed) {
      enter(After::close);
      return true;
    }
  }
}

bool Connection::linger() {
  std::size_t discarded = 0;
  while (!is_expired() && !context_->stopping.load(std::memory_order_acquire)) {
    if (discarded > kHandledAtOnce) {
      kick();
      return false;
    }
    const auto received = receive(fd(), receive_buffer());
    if (received.status == IoStatus::would_block) return false;
    if (received.status == IoStatus::closed) break;
    discarded += received.size;
  }
  enter(After::close);
  return true;
}

void Connection::enter(After after) {
  // A broken stream must not look like one that has ended; what it has for its end comes last.
  const auto stream = std::move(stream_);
  const bool is_cut = stream && (broken_.load() || !output_.empty() ||
                                 stream->state() != ResponseStream::State::complete);
  if (is_cut && stream->ends_with_connection()) abort();
  ends_with_stream_.store(false);
  switch (after) {
    case After::next_request:
      phase_ = Phase::reading_head;
      rest_of_body_.reset();
      output_sent_ = 0;
      set_deadline(context_->options.keep_alive_timeout);
      return;
    case After::drain_body:
      phase_ = Phase::draining;
      set_deadline(context_->options.keep_alive_timeout);
      return;
    case After::linger:
      phase_ = Phase::lingering;
      ::shutdown(fd(), SHUT_WR);
      set_deadline(kLingerTime);
      return;
    case After::close:
      if (phase_ != Phase::closed) ::shutdown(fd(), SHUT_RDWR);
      phase_ = Phase::closed;
      return;
  }
}

void Connection::close() { enter(After::close); }

void Connection::abort() {
  // Linux resets a connection that is dissolved like this, at once and whoever else holds it.
  const sockaddr nothing{AF_UNSPEC, {}};
  connect(fd(), &nothing, sizeof nothing);
  broken_.store(true, std::memory_order_relaxed);
}

void Connection::hand_over() {
  seen_signals_ = 0;
  signals_.store(0);
  if (context_->closed.load() && claim()) {
    enter(After::close);
  } else {
    kick();
  }
}

bool Connection::release(std::uint32_t signals) {
  seen_signals_ = 0;
  return signals_.compare_exchange_strong(signals, 0, std::memory_order_acq_rel);
}

std::uint32_t Connection::signals() {
  const auto signals = signals_.load(std::memory_order_acquire);
  // Without an event there is nothing new: looking in vain would cost a call for each request.
  if (signals != seen_signals_) may_have_input_ = true;
  seen_signals_ = signals;
  return signals;
}

void Connection::note_disconnect(bool broken) {
  if (broken) broken_.store(true, std::memory_order_relaxed);
  std::function<void()> callback;
  {
    const std::lock_guard lock(mutex_);
    peer_closed_.store(true);
    callback.swap(disconnect_callback_);
  }
  if (callback) callback();
}

bool Connection::watch_disconnect(std::function<void()>& callback) {
  const std::lock_guard lock(mutex_);
  if (peer_closed_.load()) return false;
  disconnect_callback_ = std::move(callback);
  return true;
}

void Connection::kick_if_expired(std::int64_t now) {
  const auto deadline = deadline_.load(std::memory_order_relaxed);
  if (deadline == 0 || now < deadline) return;
  expired_.store(true, std::memory_order_relaxed);
  kick();
}

void Connection::give_up() {
  broken_.store(true);
  if (ends_with_stream_.load()) {
    // Its owner resets it; if that never comes to it, the end of the process does.
    const struct linger at_once{1, 0};
    setsockopt(fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::shutdown(fd(), SHUT_RD);
  } else {
    ::shutdown(fd(), SHUT_RDWR);
  }
  note_disconnect(true);  // last: who is told may respond, which is too late now
}

void Connection::set_deadline(std::chrono::milliseconds timeout) {
  deadline_.store(coarse_now() + timeout.count(), std::memory_order_relaxed);
}

void Connection::set_send_deadline() {
  const auto& options = context_->options;
  const auto next_progress = coarse_now() + options.send_timeout.count();
  const auto pace = output_since_ + options.min_data_rate.longest(output_sent_);
  deadline_.store(std::min(next_progress, pace), std::memory_order_relaxed);
}

bool Connection::is_expired() const {
  return coarse_now() >= deadline_.load(std::memory_order_relaxed);
}

}  // namespace fw::http
