#include "http/epoll/connection.hpp"

#include <algorithm>
#include <sys/socket.h>
#include <thread>

#include "http/epoll/http2_rejection.hpp"

namespace fw::http {
namespace {

constexpr std::chrono::milliseconds kLingerTime{2000};
/// Time for a new client to send its first request while the server is stopping.
constexpr std::chrono::milliseconds kFirstRequestTime{500};
/// The head with which HTTP/2 begins (RFC 9113, 3.4). The rest of the preface follows.
constexpr std::string_view kHttp2Head = "PRI * HTTP/2.0\r\n\r\n";
/// Padding after a body, because the parser reads past its end.
constexpr std::size_t kPadding = 64;

Transport secured(const ConnectionContext& context, FileDescriptor socket) {
  const auto& tls = context.options.tls;
  auto channel = tls ? tls->accept(socket.get()) : nullptr;
  return Transport(std::move(socket), std::move(channel));
}

}  // namespace

Connection::Connection(std::shared_ptr<ConnectionContext> context, std::uint64_t id,
                       AcceptedSocket socket, ConnectionBudget::Admission admission)
    : context_(std::move(context)),
      id_(id),
      admission_(std::move(admission)),
      transport_(secured(*context_, std::move(socket.fd))),
      remote_address_(std::move(socket.remote_address)),
      input_(context_->buffers),
      output_(context_->buffers) {
  is_established_ = transport_.is_established();
  deadline_.set_after(is_established_ ? context_->options.headers_timeout
                                      : context_->options.handshake_timeout);
}

Connection::Progress Connection::advance(RequestError& error) {
  while (true) {
    // A handshake whose time is over must not compute any more.
    const bool is_hopeless = disconnect_.broken() || (is_in_handshake() && deadline_.take_expiry());
    if (is_hopeless) transition_to(NextAction::close);
    switch (phase_) {
      case Phase::rejecting_early:
        if (const auto pause = send_rejection(error)) return *pause;
        break;
      case Phase::reading_head:
        return read_head(error);
      case Phase::awaiting_body:
        return receive_body(error);
      case Phase::preparing:
        if (!is_prepared_.load(std::memory_order_acquire)) {
          if (!disconnect_.peer_closed() || !preparing_->plan->ends_with_client()) {
            return Progress::waiting;
          }
          transition_to(NextAction::close);
          break;
        }
        phase_ = Phase::reading_head;
        return Progress::prepared;
      case Phase::rejecting:
        error = {503, kNoMemory};
        return Progress::error;
      case Phase::sending:
        if (const auto pause = send_response()) return *pause;
        break;
      case Phase::draining:
        if (!drain_body()) {
          return turn_.is_exhausted() ? Progress::turn_over : Progress::waiting;
        }
        break;
      case Phase::lingering:
        if (const auto pause = linger()) return *pause;
        break;
      case Phase::http2:
        if (const auto pause = advance_http2()) return *pause;
        break;
      case Phase::socket:
        if (const auto pause = advance_socket()) return *pause;
        break;
      case Phase::closed:
        return Progress::closed;
    }
  }
}

void Connection::reject_early(const RequestError& error) {
  rejection_ = std::make_unique<RequestError>(error);
  phase_ = Phase::rejecting_early;
  deadline_.set_after(kLingerTime);
}

/// Empty if the error was sent to a client of HTTP/2.
std::optional<Connection::Progress> Connection::send_rejection(RequestError& error) {
  if (input_.may_have_more() && receive_at_most(InputBuffer::kMaxForHead) == IoStatus::closed) {
    transition_to(NextAction::close);
    return Progress::closed;
  }
  const auto begin = input().substr(0, kHttp2Head.size());
  const bool is_over =
      deadline_.take_expiry() || context_->stopping.load(std::memory_order_acquire);
  const bool may_be_http2 = kHttp2Head.starts_with(begin);
  if (may_be_http2 && begin.size() < kHttp2Head.size() && !is_over) return Progress::waiting;
  if (begin == kHttp2Head) {
    send_or_queue(http2_rejection(rejection_->message), {});
    end_exchange(NextAction::linger);
    return std::nullopt;
  }
  error = *rejection_;
  return Progress::error;
}

bool Connection::may_begin_http2() const {
  const Http2Options& options = context_->options.http2;
  return requests_ == 0 &&
         (is_secure() ? options.over_tls && transport_.has_agreed_on_http2() : options.cleartext);
}

bool Connection::begins_with_neither() const {
  if (!may_begin_http2()) return false;
  const auto line = head().substr(0, head().find("\r\n"));
  return is_secure() || line.find(" HTTP/") == std::string_view::npos;
}

bool Connection::begin_http2(const std::shared_ptr<Connection>& self, StreamHost& host) {
  if (!may_begin_http2() || scanner_.begin() > 0 || head() != kHttp2Head) return false;
  http2_ = make_http2_connection(self, {*this, transport_, input_, deadline_, transfer_}, host);
  active_http2_.store(http2_.get(), std::memory_order_release);
  phase_ = Phase::http2;
  return true;
}

/// Empty if the connection is to be closed.
std::optional<Connection::Progress> Connection::advance_http2() {
  switch (http2_->advance()) {
    case Http2Connection::Progress::waiting:
      return Progress::streams;
    case Http2Connection::Progress::turn_over:
      return Progress::streams_turn_over;
    case Http2Connection::Progress::ended:
      break;
  }
  http2_->end();
  transition_to(disconnect_.broken() ? NextAction::close : NextAction::linger);
  return std::nullopt;
}

Connection::Progress Connection::read_head(RequestError& error) {
  while (true) {
    if (!input().empty()) {
      if (turn_.is_over()) return Progress::turn_over;
      const auto status = scanner_.scan(input());
      if (status == HeadScanner::Status::malformed) {
        error = {400,
                 "the request is not HTTP: lines must end with CR LF, and the first must begin "
                 "with a method"};
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
    if (!input_.may_have_more()) return wait_for_head(error);
    if (turn_.is_exhausted()) return Progress::turn_over;
    if (receive_at_most(InputBuffer::kMaxForHead) == IoStatus::closed) {
      transition_to(NextAction::close);
      return Progress::closed;
    }
  }
}

IoStatus Connection::receive_at_most(std::size_t most) {
  const auto status = input_.receive(transport_, disconnect_.peer_closed(), most);
  // A handshake may have to send before it can receive.
  if (transport_.waits_for_output() && output_.begin_watch()) {
    context_->poller.watch_output(fd(), id_);
  }
  if (transport_.has_more_input()) turn_.note_overhead();
  if (!is_established_ && transport_.is_established()) {
    is_established_ = true;
    deadline_.set_after(context_->options.headers_timeout);
  }
  return status;
}

Connection::Progress Connection::wait_for_head(RequestError& error) {
  const bool idle = input().empty();
  const bool is_stopping = context_->stopping.load(std::memory_order_acquire);
  if (idle && is_stopping && requests_ > 0) {
    transition_to(NextAction::close);
    return Progress::closed;
  }
  // A stop does not cut off a request whose head is arriving, but leaves less time for its rest.
  const auto headers_timeout = is_stopping ? std::min(kStopPause, context_->options.headers_timeout)
                                           : context_->options.headers_timeout;
  if (is_first_to_notice_stop()) {
    deadline_.set_after(idle ? std::min(kFirstRequestTime, headers_timeout) : headers_timeout);
  }
  if (!idle && !head_has_begun_) {
    head_has_begun_ = true;
    deadline_.set_after(headers_timeout);
  }
  if (deadline_.take_expiry()) {
    if (idle) {
      transition_to(NextAction::close);
      return Progress::closed;
    }
    error = {408, "the request's headers did not arrive in time"};
    return Progress::error;
  }
  return Progress::waiting;
}

/// Returns true once, when the connection first finds that the server is stopping.
bool Connection::is_first_to_notice_stop() {
  return context_->stopping.load(std::memory_order_acquire) && !std::exchange(stop_is_noted_, true);
}

std::string_view Connection::head() const {
  return input().substr(scanner_.begin(), scanner_.end() - scanner_.begin());
}

void Connection::begin_request() {
  ++requests_;
  turn_.note_request();
  consume_input(scanner_.end());
  scanner_ = {};
  head_has_begun_ = false;
  deadline_.clear();
}

void Connection::await_body(std::unique_ptr<PendingRequest> request) {
  pending_ = std::move(request);
  pending_->since = coarse_now();
  phase_ = Phase::awaiting_body;
}

void Connection::await_preparation(std::unique_ptr<ReadyRequest> request) {
  preparing_ = std::move(request);
  expects_resume_event_ = true;
  phase_ = Phase::preparing;
}

Connection::Progress Connection::receive_body(RequestError& error) {
  auto& pending = *pending_;
  auto& body = pending.body;
  const auto finish = [&](BodyStatus status) {
    body.status = status;
    phase_ = Phase::reading_head;
    deadline_.clear();
    transfer_.clear();
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
    if (is_first_to_notice_stop() || size > 0 || !deadline_.is_set()) {
      deadline_.set(body_deadline(pending.since, pending.received));
    }
    if (deadline_.has_passed()) return finish(BodyStatus::timed_out);
    transfer_.note(body.share.size(), pending.since, pending.received);
    if (!input_.may_have_more()) return Progress::waiting;
    if (pending.received - received_before > Turn::kMaxTransferred || turn_.is_exhausted()) {
      return Progress::turn_over;
    }
    if (receive_input() == IoStatus::closed) return finish(BodyStatus::disconnected);
  }
}

/// Grows the buffer to the announced size, but to at most four times the number of bytes received.
/// With a smaller factor, the buffers on the way to 1 MB are together so large that glibc returns
/// their memory to the system after each request, and its pages have to be mapped again.
void Connection::make_room_for_body(std::size_t size) {
  auto& content = pending_->body.content;
  const auto needed = content.size() + size;
  const auto length = pending_->framing.content_length;
  if (!length || needed <= content.capacity()) return;
  // Another string, because `reserve` of this one may take twice its capacity instead.
  std::string larger;
  larger.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(
      std::max<std::uint64_t>(*length, needed) + kPadding, 4 * std::uint64_t{needed})));
  larger.append(content);
  content.swap(larger);
}

std::int64_t Connection::body_deadline(std::int64_t since, std::uint64_t received) const {
  const auto& options = context_->options;
  const auto deadline =
      since + std::min<std::int64_t>(options.request_timeout.count(),
                                     options.min_data_rate.max_duration(received));
  if (!context_->stopping.load(std::memory_order_acquire)) return deadline;
  return std::min(deadline, coarse_now() + kStopPause.count());
}

bool Connection::has_reached_limit() const {
  const auto limit = context_->options.max_requests_per_connection;
  return limit > 0 && requests_ >= limit;
}

void Connection::end_exchange(NextAction after, std::optional<BodyDecoder> rest_of_body) {
  rest_of_body_ = std::move(rest_of_body);
  if (output_.empty()) {
    finish_exchange(after);
    return;
  }
  phase_ = Phase::sending;
  after_sending_ = after;
  // Pipelined requests count as buffered memory, too.
  if (!input_.count_as_waiting()) abort();
  if (output_.has_stream()) input_.free_spare();  // the next request may be far away
  output_.begin_clock();
  deadline_.set(output_.deadline(context_->options));
}

/// Closing a socket with unread input would reset the connection before the client has read the
/// response.
void Connection::finish_exchange(NextAction after) {
  transition_to(after == NextAction::close && has_unread(fd()) ? NextAction::linger : after);
}

IoStatus Connection::send_some(std::string_view bytes, std::size_t& sent) {
  const iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  return transport_.send_some({&part, 1}, sent);
}

bool Connection::send_at_once(std::string_view bytes) {
  std::size_t sent = 0;
  if (send_some(bytes, sent) == IoStatus::closed) note_disconnect(true);
  // After a partial send, the client would mistake later output for the rest of these bytes.
  if (sent < bytes.size() && must_send_rest(sent)) abort();
  return sent == bytes.size();
}

void Connection::send_or_queue(std::string_view first, std::string_view second) {
  switch (output_.send(transport_, first, second)) {
    case OutputQueue::SendStatus::done:
      return;
    case OutputQueue::SendStatus::no_memory:
      abort();
      break;
    case OutputQueue::SendStatus::closed:
      break;
  }
  note_lost_output();
}

/// Nothing can be sent any more. Any thread may send for a socket, with locks that callbacks of the
/// application need, so that they wait for the owner that closes it.
void Connection::note_lost_output() {
  if (phase_ == Phase::socket) {
    disconnect_.note_broken();
  } else {
    note_disconnect(true);
  }
}

/// Empty if the response has been sent, or has failed.
std::optional<Connection::Progress> Connection::send_response() {
  const auto sent_before = output_.sent();
  std::int64_t began = 0;  ///< of the first part that this turn produces
  PushedBody* const pushed = output_.pushed();
  // What the socket says afterwards does not count: one of AF_UNIX still accepts nothing.
  const auto cut_off = [this]() -> std::optional<Progress> {
    abort();
    note_disconnect(true);
    transition_to(NextAction::close);
    return std::nullopt;
  };
  while (true) {
    if (pushed != nullptr && pushed->is_broken()) return cut_off();
    const auto status = flush_output();
    if (status == IoStatus::would_block) {
      if (pushed == nullptr || pushed->may_wait()) return Progress::waiting;
      return cut_off();
    }
    if (status == IoStatus::closed) {
      transition_to(NextAction::close);
      return std::nullopt;
    }
    if (!output_.has_more()) {
      finish_exchange(after_sending_);
      return std::nullopt;
    }
    if (output_.sent() - sent_before > Turn::kMaxTransferred) return Progress::turn_over;
    if (output_.sends_file()) continue;
    const auto now = coarse_now();
    if (began == 0) {
      began = now;
      // Its event may be one of many that a worker handles before it looks for others.
      if (production_time_.is_slow() && !turn_.is_queued()) return Progress::turn_over;
      if (turn_.is_queued()) output_.exclude(take_wait().count());
    }
    if (now - began >= Turn::kMax) return Progress::turn_over;
    if (pushed != nullptr ? !push_next_part() : !send_next_part()) {
      if (pushed != nullptr && pushed->is_broken()) return cut_off();
      note_disconnect(true);  // the client does not get the rest, whatever the reason
      transition_to(NextAction::close);
      return std::nullopt;
    }
    if (output_.is_waiting()) {
      production_time_.restart();
      return Progress::waiting;
    }
    production_time_.add(coarse_now() - now);
  }
}

/// Returns false if the stream failed.
bool Connection::send_next_part() {
  deadline_.clear();
  const auto bytes = output_.produce_next();
  if (!bytes || disconnect_.broken()) return false;
  send_or_queue(*bytes, {});
  deadline_.set(output_.deadline(context_->options));
  return true;
}

/// The same for a pushed body, which may have nothing.
bool Connection::push_next_part() {
  if (context_->stopping.load(std::memory_order_acquire)) output_.pushed()->stop();
  const bool is_probe = disconnect_.peer_closed() && !std::exchange(has_probed_peer_, true);
  const bool is_silent = deadline_.take_expiry() || is_probe;
  deadline_.clear();
  if (output_.is_waiting()) output_.restart_clock();
  auto bytes = output_.produce_next();
  if (!bytes || disconnect_.broken()) return false;
  const bool is_waiting = output_.is_waiting();
  if (is_waiting && is_silent) bytes = output_.heartbeat();
  if (!bytes->empty()) send_or_queue(*bytes, {});
  if (output_.has_bytes()) {
    deadline_.set(output_.deadline(context_->options));
  } else if (is_waiting) {
    deadline_.set_after(output_.pushed()->heartbeat_interval());
  }
  return !disconnect_.broken();
}

IoStatus Connection::flush_output() {
  bool has_sent = false;
  const auto status = output_.flush(transport_, has_sent);
  if (has_sent) deadline_.set(output_.deadline(context_->options));
  // The sweep has not seen a deadline that was just set: the client may be too slow although it
  // has received something.
  const bool is_late = has_sent ? deadline_.has_passed() : deadline_.take_expiry();
  if (status == IoStatus::would_block && is_late) {
    abort();
    note_lost_output();
    return IoStatus::closed;
  }
  switch (status) {
    case IoStatus::closed:
      note_lost_output();
      return status;
    case IoStatus::would_block:
      if (output_.begin_watch()) context_->poller.watch_output(fd(), id_);
      transfer_.note(output_.waiting(), output_.since(), output_.sent_on_clock());
      return status;
    case IoStatus::done:
      transfer_.clear();
      break;
  }
  return disconnect_.broken() ? IoStatus::closed : IoStatus::done;
}

void Connection::begin_socket(std::shared_ptr<SocketPeer> peer) {
  socket_ = std::make_unique<ConnectedSocket>(
      websocket::SocketSession(std::move(peer), coarse_now()), BufferBudget::Share(buffers()));
  input_.free_spare();
  output_.begin_clock();
  phase_ = Phase::socket;
}

/// Empty if the socket has ended.
std::optional<Connection::Progress> Connection::advance_socket() {
  websocket::SocketSession& session = socket_->session;
  if (context_->stopping.load(std::memory_order_acquire)) session.stop();
  if (!output_.has_bytes() && deadline_.take_expiry() && !session.expire(coarse_now())) {
    return end_socket(NextAction::close);
  }
  std::size_t received = 0;
  while (true) {
    const auto status = send_socket();
    if (status == IoStatus::closed || disconnect_.broken()) return end_socket(NextAction::close);
    if (session.is_finished() && status == IoStatus::done) return end_socket(NextAction::linger);
    if (!session.may_receive()) break;
    if (input().empty()) {
      const bool is_over = received > Turn::kMaxTransferred || turn_.is_exhausted();
      if (is_over || !input_.may_have_more()) {
        if (reject_late_message()) continue;
        if (!input_.may_have_more()) break;
        wait_on_socket();
        return Progress::turn_over;
      }
      if (receive_input() == IoStatus::closed) return end_socket(NextAction::close);
    }
    received += input().size();
    auto rest = input();
    session.receive(rest, coarse_now());
    consume_input(input().size() - rest.size());
    const auto arriving = session.arriving();
    if (!socket_->share.resize(arriving ? arriving->buffered : 0)) session.reject_message();
  }
  if (!input_.count_as_waiting()) abort();
  wait_on_socket();
  return Progress::waiting;
}

/// A message must arrive as fast as the body of a request. Returns whether it was rejected.
bool Connection::reject_late_message() {
  const auto arriving = socket_->session.arriving();
  if (!arriving || coarse_now() < body_deadline(arriving->since, arriving->received)) return false;
  socket_->session.reject_late_message();
  socket_->share.release();
  return true;
}

std::optional<Connection::Progress> Connection::end_socket(NextAction after) {
  if (after == NextAction::linger) {
    DisconnectCallback nothing;  // the client has not disconnected before
    watch_disconnect(nothing);
  }
  socket_->share.release();
  transition_to(after);
  return std::nullopt;
}

/// Sends until there is nothing more, or the client does not accept more.
IoStatus Connection::send_socket() {
  constexpr std::size_t kMaxKept = 64 * 1024;
  thread_local std::string frames;
  while (true) {
    const auto status = flush_output();
    if (status == IoStatus::would_block && !socket_->session.peer().may_wait()) {
      abort();
      return IoStatus::closed;
    }
    if (status != IoStatus::done) return status;
    frames.clear();
    socket_->session.produce(frames, coarse_now());
    if (frames.empty()) return IoStatus::done;
    output_.restart_clock();
    send_or_queue(frames, {});
    if (frames.capacity() > kMaxKept) free_memory(frames);
    if (disconnect_.broken()) return IoStatus::closed;
    if (output_.has_bytes()) deadline_.set(output_.deadline(context_->options));
  }
}

/// Sets what the sweep looks at while the socket waits.
void Connection::wait_on_socket() {
  const websocket::SocketSession& session = socket_->session;
  const auto arriving = session.arriving();
  if (!arriving) socket_->share.release();
  if (output_.has_bytes()) {
    transfer_.note(output_.waiting() + session.peer().waiting(), output_.since(),
                   output_.sent_on_clock());
    return;
  }
  auto deadline = session.deadline();
  if (arriving) {
    deadline = std::min(deadline, body_deadline(arriving->since, arriving->received));
    transfer_.note(arriving->buffered, arriving->since, arriving->received);
  }
  deadline_.set(deadline);
}

void Connection::flush_socket() noexcept {
  flushes_.fetch_add(1);
  // If another thread owns it, that one notices this event.
  if (!context_->closed.load() && acquire()) flush_as_owner();
  flushes_.fetch_sub(1);
}

/// Neither closes the socket nor calls the application, which may send with locks.
void Connection::flush_as_owner() noexcept {
  try {
    if (phase_ == Phase::socket && send_socket() != IoStatus::closed) {
      wait_on_socket();
      if (!socket_->session.is_finished() && lease_.release_unread()) return;
    }
  } catch (const std::bad_alloc&) {
    abort();
  }
  lease_.release_unconditionally();
  wake();
}

bool Connection::acquire_after_flush() {
  while (true) {
    const bool is_flushed = flushes_.load() == 0;
    if (acquire()) return true;
    if (is_flushed) return false;
    std::this_thread::yield();
  }
}

bool Connection::shed() {
  if (phase_ == Phase::http2) return http2_->shed();
  if (phase_ == Phase::awaiting_body) {
    pending_.reset();
    phase_ = Phase::rejecting;
  } else if ((phase_ == Phase::sending || phase_ == Phase::socket) && output_.has_bytes()) {
    abort();
    output_.discard();
    if (socket_) socket_->session.peer().discard();
  } else if (phase_ == Phase::socket && socket_->session.arriving()) {
    socket_->session.reject_message();
    socket_->share.release();
  } else {
    return false;
  }
  transfer_.clear();
  return true;
}

bool Connection::drain_body() {
  while (true) {
    auto rest = input();
    const auto status = rest_of_body_->decode(rest, nullptr);
    consume_input(input().size() - rest.size());
    if (status == BodyDecoder::Status::complete) {
      transition_to(NextAction::next_request);
      return true;
    }
    if (status != BodyDecoder::Status::need_more) {
      transition_to(NextAction::linger);
      return true;
    }
    if (!input_.may_have_more()) {
      if (!deadline_.take_expiry()) return false;
      transition_to(NextAction::close);
      return true;
    }
    if (turn_.is_exhausted()) return false;
    if (receive_input() == IoStatus::closed) {
      transition_to(NextAction::close);
      return true;
    }
  }
}

/// Empty if the connection is to be closed.
std::optional<Connection::Progress> Connection::linger() {
  std::size_t discarded = 0;
  // A client of HTTP/2 sends frames at any time. If they arrived after a close, it would lose the
  // last responses, so it gets time to close even while the server is stopping.
  while (!deadline_.has_passed() &&
         (http2_ || !context_->stopping.load(std::memory_order_acquire))) {
    if (discarded > Turn::kMaxTransferred) return Progress::turn_over;
    const auto received = InputBuffer::discard(fd());
    if (received.status == IoStatus::would_block) return Progress::waiting;
    if (received.status == IoStatus::closed) break;
    discarded += received.size;
  }
  transition_to(NextAction::close);
  return std::nullopt;
}

void Connection::transition_to(NextAction after) {
  // A body that ends with its connection would look complete after a close, even if its stream
  // failed, so the connection is reset. TLS announces the end of complete output only.
  const bool is_cut = disconnect_.broken() || output_.is_cut();
  if (output_.ends_with_connection() && is_cut) abort();
  // Destroyed when this function returns, which runs the end callback.
  const auto stream = output_.take_stream();
  switch (after) {
    case NextAction::next_request:
      phase_ = Phase::reading_head;
      rest_of_body_.reset();
      production_time_.restart();
      output_.reset_count();
      deadline_.set_after(context_->options.keep_alive_timeout);
      return;
    case NextAction::drain_body:
      phase_ = Phase::draining;
      deadline_.set_after(context_->options.keep_alive_timeout);
      return;
    case NextAction::linger:
      phase_ = Phase::lingering;
      if (!is_cut) transport_.close_output();
      ::shutdown(fd(), SHUT_WR);
      deadline_.set_after(http2_ ? kStopPause : kLingerTime);
      return;
    case NextAction::close:
      if (phase_ != Phase::closed) {
        if (!is_cut) transport_.close_output();
        ::shutdown(fd(), SHUT_RDWR);
        if (http2_) http2_->end();
        if (socket_) {
          // First, because the end of the socket removes the callback. There is none after a close
          // that both sides have agreed on.
          note_disconnect(disconnect_.broken());
          socket_->session.lose();
        }
        // Whatever has cut off the response, its client is lost. A complete one has no callback.
        if (!http2_ && !socket_ && disconnect_.broken()) note_disconnect(true);
        preparing_.reset();  // what prepares it may own the connection
      }
      phase_ = Phase::closed;
      return;
  }
}

void Connection::close() { transition_to(NextAction::close); }

void Connection::abort() {
  // On Linux, this resets the connection at once, even if other descriptors refer to it.
  const sockaddr nothing{AF_UNSPEC, {}};
  connect(fd(), &nothing, sizeof nothing);
  disconnect_.note_broken();
}

void Connection::post() {
  lease_.release_unconditionally();
  if (context_->closed.load() && acquire()) {
    transition_to(NextAction::close);
    if (SocketPeer* const peer = socket()) peer->run(true);
  } else {
    wake();
  }
}

void Connection::yield() {
  // Pipelined requests that wait count as buffered memory.
  if (!input_.count_as_waiting()) abort();
  is_queued_.store(true);
  if (production_time_.is_slow()) {
    context_->poller.yield_slow(id_);
  } else {
    context_->poller.yield(id_);
  }
}

std::uint32_t Connection::read_events() {
  auto [events, unseen] = lease_.read_events();
  // Without an event there is no new input, and an unnecessary receive would cost a system call.
  // `resume` causes one event. If an event of the socket is taken for it, `resume` still causes its
  // own, which is then taken for an event of the socket.
  if (unseen > 0 && expects_resume_event_ && is_prepared_.load(std::memory_order_acquire)) {
    expects_resume_event_ = false;
    --unseen;
  }
  if (unseen > 0) input_.note_event();
  return events;
}

void Connection::note_disconnect(bool broken) {
  if (broken) disconnect_.note_broken();
  if (auto callback = disconnect_.note_closed()) context_->callbacks.run(std::move(callback));
  // What the client has sent before may not be received yet: `Http2Connection` notes the end
  // itself.
  if (Http2Connection* const http2 = this->http2(); http2 != nullptr && broken) {
    http2->note_closed();
  }
}

void Connection::wake_if_expired(std::int64_t now) {
  if (deadline_.detect_expiry(now)) wake();
}

void Connection::force_close() {
  disconnect_.note_broken();
  if (output_.ends_with_connection()) {
    // The owner resets the connection if it still runs; otherwise the system does when the process
    // exits, because of this option.
    const struct linger at_once{1, 0};
    setsockopt(fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::shutdown(fd(), SHUT_RD);
  } else {
    ::shutdown(fd(), SHUT_RDWR);
  }
  note_disconnect(true);  // last, because the callback may try to respond, which must fail by then
  // Its streams refer to the connection.
  if (Http2Connection* const http2 = this->http2()) http2->end();
}

}  // namespace fw::http
