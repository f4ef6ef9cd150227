#include "http/http2/http2_session.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "http/buffer_budget.hpp"
#include "http/http2/http2_fields.hpp"
#include "http/socket.hpp"

namespace fw::http {
namespace {

/// The window of a connection. What arrives counts as read at once, so it limits no memory.
constexpr std::int32_t kConnectionWindow = 1024 * 1024;
/// The window of a stream at first, and while a large body is received.
constexpr std::uint64_t kFirstWindow = 64 * 1024 - 1;
constexpr std::int32_t kLargeWindow = 512 * 1024;
/// Bodies above this size count as buffered memory while they are sent.
constexpr std::size_t kMaxUncounted = 1024;
nghttp2_session* make_library_session(Http2Session* data) {
  nghttp2_option* made = nullptr;
  if (nghttp2_option_new(&made) != 0) throw std::bad_alloc();
  const std::unique_ptr<nghttp2_option, decltype(&nghttp2_option_del)> choices(made,
                                                                               nghttp2_option_del);
  nghttp2_option_set_no_auto_window_update(made, 1);
  nghttp2_option_set_server_fallback_rfc7540_priorities(made, 1);
  nghttp2_option_set_builtin_recv_extension_type(made, NGHTTP2_PRIORITY_UPDATE);
  // Applications may send heads that are as large as those that clients may send to others.
  constexpr std::size_t kMaxSentHead = 1024 * 1024;
  nghttp2_option_set_max_send_header_block_length(made, kMaxSentHead);
  nghttp2_session* session = nullptr;
  if (nghttp2_session_server_new2(&session, session_callbacks(), data, made) != 0) {
    throw std::bad_alloc();
  }
  return session;
}

}  // namespace

/// Empty if there is no memory. Sources and streams run callbacks of the application when they are
/// destroyed, which is after the call.
std::optional<Http2Session::Handover> Http2Session::prepare_handover() noexcept {
  try {
    const auto deferred = std::make_shared<Deferred>();
    return Handover{deferred, [deferred] {
                      for (const auto& callback : deferred->callbacks) callback();
                    }};
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

SessionLock::SessionLock(Http2Session& session, bool is_of_application)
    : session_(session), lock_(session.mutex_), is_of_application_(is_of_application) {}

void SessionLock::release() {
  if (!lock_.owns_lock()) return;
  Http2Session::Deferred& pending = session_.deferred_;
  if (pending.is_empty()) {
    lock_.unlock();
    return;
  }
  if (is_of_application_ || StreamTasks::is_handling()) return leave_to_worker();
  CallbackThreads& thread = session_.connection_.callbacks();
  std::optional<Http2Session::Handover> handover;
  if (thread.protects_this_thread()) {
    handover = Http2Session::prepare_handover();
    if (!handover) return leave_to_worker();
  }
  const StreamTasks::Interruption interruption;
  Http2Session::Deferred deferred = std::exchange(pending, {});
  lock_.unlock();
  const bool aborts = deferred.aborts;
  if (handover) {
    *handover->deferred = std::move(deferred);
    handover->deferred.reset();
    thread.run(std::move(handover->call));
  } else {
    for (const auto& callback : deferred.callbacks) callback();
  }
  if (!aborts) return;
  session_.connection_.abort();
  session_.connection_.note_disconnect(true);
  session_.connection_.wake();
}

/// The thread may have locks that callbacks of other requests need.
void SessionLock::leave_to_worker() {
  Http2Session::Deferred& pending = session_.deferred_;
  const bool aborts = std::exchange(pending.aborts, false);
  // A worker takes them after each task of the session, but a handler may take long.
  const bool must_wake = aborts || !pending.callbacks.empty() || !pending.sources.empty() ||
                         !session_.tasks_.run_on_this_thread();
  lock_.unlock();
  if (aborts) {
    const StreamTasks::Handling handling;
    session_.connection_.abort();
    session_.connection_.note_disconnect(true);
  }
  if (must_wake) session_.connection_.wake();
}

Http2Session::Http2Session(const std::shared_ptr<Connection>& connection,
                           const ConnectionParts& parts, StreamHost& host)
    : connection_(*connection),
      shared_connection_(connection),
      parts_(parts),
      host_(host),
      library_(make_library_session(this)),
      session_(library_.get()),
      closed_(streams_),
      tasks_(*this, host),
      output_(parts.transport, connection_.buffers(), connection_.context().options),
      bounds_(connection_.context().options.max_header_size, coarse_now()),
      ending_(session_),
      memory_(connection_.buffers(), parts.transfer),
      deadlines_(*this, parts.deadline) {
  const AdapterOptions& options = context().options;
  const auto number = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
  const std::array<nghttp2_settings_entry, 5> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, number(options.http2.max_concurrent_streams)},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, number(kFirstWindow)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, number(options.max_header_size)},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
      {NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1},  // for sockets (RFC 8441)
  }};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

Http2Session::~Http2Session() = default;

void Http2Session::LibraryDelete::operator()(nghttp2_session* library) const {
  nghttp2_session_del(library);
}

Http2Connection::Progress Http2Session::advance() {
  std::size_t received = 0;
  bool has_more = false;
  while (true) {
    if (const auto bytes = parts_.input.bytes(); !bytes.empty()) {
      received += bytes.size();
      {
        SessionLock lock(*this);
        receive_frames(bytes);
      }
      connection_.consume_input(bytes.size());
      settle_all();
    }
    if (!parts_.input.may_have_more()) break;
    if (received > Turn::kMaxTransferred) {
      has_more = true;
      break;
    }
    if (connection_.receive_input() == IoStatus::closed) {
      connection_.note_disconnect(false);
      note_closed();
      break;
    }
  }
  bool is_check_due = false;
  {
    SessionLock lock(*this);
    is_check_due =
        context().stopping.load(std::memory_order_acquire) || parts_.deadline.take_expiry();
    if (is_check_due) {
      const auto now = coarse_now();
      if (context().stopping.load(std::memory_order_acquire)) ending_.note_stop(now);
      deadlines_.check(now);
    }
  }
  if (is_check_due) tasks_.reject_late();
  settle_all();
  SessionLock lock(*this);
  if (tasks_.is_empty()) {
    flush();
  } else {
    tasks_.note_unflushed();
  }
  if (has_ended()) return Progress::ended;
  return has_more ? Progress::turn_over : Progress::waiting;
}

void Http2Session::receive_frames(std::string_view bytes) {
  if (ending_.is_terminated() || has_failed_) return;
  memory_.note_received(bytes.size());
  frames_.scan(bytes, [this](const FrameScanner::Frame& frame) {
    terminate_for(closed_.check_received(frame));
    // The library calls nothing for types that it does not know or is not to know, nor for
    // PRIORITY_UPDATE of a client with the priorities of RFC 7540.
    if (frame.type > NGHTTP2_CONTINUATION) count_useless_frame();
  });
  const auto result = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (result < 0 && !ending_.is_terminated()) {
    if (result == NGHTTP2_ERR_FLOODED) {
      end_for_flood(Flood::frames);
    } else if (result == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS) {
      end_for_flood(Flood::continuations);
    } else {
      ending_.terminate(result == NGHTTP2_ERR_BAD_CLIENT_MAGIC ? NGHTTP2_PROTOCOL_ERROR
                                                               : NGHTTP2_INTERNAL_ERROR);
    }
  }
  deadlines_.note_received();
  const auto most = context().options.max_requests_per_connection;
  if (most > 0 && requests_ >= most) ending_.begin();
}

/// Decides about the requests whose heads or bodies have arrived.
void Http2Session::settle_all() {
  while (true) {
    std::vector<std::shared_ptr<Http2Stream>> arrived;
    {
      SessionLock lock(*this);
      arrived.swap(arrived_);
      // Nothing is left to do for requests that the client has canceled meanwhile.
      std::erase_if(arrived, [](const auto& stream) { return stream->is_closed_; });
    }
    if (arrived.empty()) return;
    for (const auto& stream : arrived) {
      if (const auto& error = stream->fields_.error()) {
        reject(*stream, *error);
      } else {
        settle(stream);
      }
    }
  }
}

void Http2Session::settle(const std::shared_ptr<Http2Stream>& stream) {
  if (must_await_body(*stream)) return;
  const AdapterOptions& options = context().options;
  if (options.prepares_requests) {
    if (!stream->plan_) stream->plan_ = options.plan(stream->head_);
    if (stream->plan_) {
      {
        SessionLock lock(*this);
        stream->phase_ = Http2Stream::Phase::preparing;
        stream->is_beginning_preparation_ = true;
      }
      const bool waits = stream->plan_->prepare(stream->head_, stream);
      SessionLock lock(*this);
      stream->is_beginning_preparation_ = false;
      if (waits && !stream->is_prepared_) return;
    }
  }
  SessionLock lock(*this);
  tasks_.add_request(stream);
}

/// Whether the body must be received before the request is handled.
bool Http2Session::must_await_body(Http2Stream& stream) {
  const auto& make_plan = context().options.plan;
  if (stream.awaited_limit_ > 0 || !stream.framing_.has_body() || !make_plan) return false;
  {
    SessionLock lock(*this);
    if (stream.has_ended_) {
      stream.head_.has_whole_body = true;
      return false;
    }
  }
  stream.plan_ = make_plan(stream.head_);
  const std::uint64_t limit = stream.plan_ ? stream.plan_->body_limit() : 0;
  if (limit == 0 || stream.framing_.content_length.value_or(0) > limit) return false;
  SessionLock lock(*this);
  if (stream.has_ended_ || stream.is_closed_) return false;
  stream.awaited_limit_ = limit;
  stream.awaited_since_ = stream.body_progress_at_ = coarse_now();
  stream.phase_ = Http2Stream::Phase::awaiting_body;
  stream.consumes_body_ = true;
  consume(lock, stream, stream.body_.size());
  if (stream.received_ == 0) send_continue(lock, stream);
  enlarge_window(lock, stream);
  if (stream.received_ > limit) end_body(stream, BodyStatus::too_large);
  return true;
}

void Http2Session::reject(Http2Stream& stream, const RequestError& error) {
  {
    SessionLock lock(*this);
    drop_head(stream);
  }
  auto [head, body] = host_.render(error);
  if (error.status == 503) head.fields.add("Retry-After", "1");
  stream.respond(head, body);
}

void Http2Session::run_tasks(TaskEvent event) { tasks_.run(event); }
void Http2Session::post_tasks() {
  const SessionLock lock(*this);
  tasks_.post();
  flush();
}
void Http2Session::reject_tasks(TaskEvent event) { tasks_.reject(event); }

void Http2Session::resume(SessionLock&, std::shared_ptr<Http2Stream> stream) {
  tasks_.add_request(std::move(stream));
  tasks_.post();
}

void Http2Session::leave_handler(Http2Stream& stream) {
  if (!std::exchange(stream.is_in_handler_, false)) return;
  release_if_done(stream);
  if (stream.is_closed_) return;
  if (!stream.has_response()) {
    stream.claim();
    submit_reset(stream, NGHTTP2_INTERNAL_ERROR);
  }
  const auto& source = stream.output_.source;
  PushedBody* const pushed = source ? source->pushed() : nullptr;
  const bool is_broken = pushed != nullptr && pushed->is_broken();
  if (stream.output_.content.empty() || is_broken) tasks_.request_production(stream);
}

void Http2Session::wake(SessionLock&, Http2Stream& stream) noexcept {
  auto& output = stream.output_;
  if (!output.source || stream.is_closed_ || has_failed_) return;
  // Memory must be freed even if no worker looks at the connection.
  const bool is_large = stream.socket_ && stream.socket_->waiting() >= SessionMemory::kMinShed;
  if (is_large) memory_.report(streams_, output_, coarse_now());
  if (output.is_producing) {
    output.is_woken = true;
  } else if (stream.socket_ || output.content.empty() || output.source->pushed()->is_broken()) {
    // A worker also ends a broken one, because this thread sends with locks that the callbacks of
    // the end may need.
    tasks_.request_production(stream);
  }
}

void Http2Session::send_response(SessionLock&, Http2Stream& stream, const ResponseHead& head,
                                 std::optional<std::uint64_t> length, std::string_view body,
                                 std::unique_ptr<ResponseStream>& source) {
  auto& output = stream.output_;
  if (stream.is_closed_ || has_failed_) return;
  const ResponseFields fields(head, length);
  const bool has_body = !body.empty() || source;
  if (body.size() > kMaxUncounted && !output.share.grow(body.size())) {
    submit_reset(stream, NGHTTP2_INTERNAL_ERROR);
    return flush_or_defer();
  }
  output.content.assign(body);
  output.is_last = !source;
  output.source = std::move(source);
  // The client may only have finished sending: see `note_closed`.
  output.needs_heartbeat = peer_has_closed_ && output.source && output.source->pushed() != nullptr;
  if (has_body) output.progress.begin(coarse_now());
  const nghttp2_data_provider provider = output_of(stream);
  const auto& list = fields.list();
  const int result = nghttp2_submit_response(session_, stream.id_, list.data(), list.size(),
                                             has_body ? &provider : nullptr);
  if (result == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
  if (!stream.socket_) discard_body(stream);
  flush_or_defer();
}

/// Sends the next part of a response, which its source has produced.
void Http2Session::send_produced(SessionLock& lock, Http2Stream& stream, std::string_view bytes) {
  auto& output = stream.output_;
  if (stream.is_closed_) return drop_source(stream);
  const auto state = output.source->state();
  const bool has_memory = output.share.grow(bytes.size());
  const PushedBody* const pushed = output.source->pushed();
  const bool is_canceled = pushed != nullptr && pushed->is_broken();
  if (state == ResponseStream::State::broken || is_canceled || !has_memory) {
    // Now, because a client that reads nothing does not accept the reset either.
    note_disconnect(lock, stream);
    reset(lock, stream, is_canceled ? NGHTTP2_CANCEL : NGHTTP2_INTERNAL_ERROR);
    return;
  }
  output.is_last = state == ResponseStream::State::complete;
  const bool is_woken = std::exchange(output.is_woken, false);
  if (bytes.empty() && !output.is_last) {  // it waits
    if (is_woken) tasks_.request_production(stream);
    return flush_or_defer();
  }
  output.content.assign(bytes);
  if (pushed != nullptr) pushing_.push_back(stream.id_);
  if (is_woken && stream.socket_) tasks_.request_production(stream);  // it has received more
  if (std::exchange(output.is_deferred, false)) nghttp2_session_resume_data(session_, stream.id_);
  flush_or_defer();
}

void Http2Session::note_disconnect(SessionLock&, Http2Stream& stream) {
  defer_disconnect(stream);
  stream.is_canceled_ = true;
}

/// Calls the disconnect callback when the lock is released. This is before a source is destroyed
/// whose end removes the callback, if that is deferred with or after the callback.
void Http2Session::defer_disconnect(Http2Stream& stream) {
  if (!stream.disconnect_callback_) return;
  if (!stream.watch_has_ended_) stream.disconnect_callback_.mark_lost();
  auto callback = std::exchange(stream.disconnect_callback_, {});
  if (stream.watch_has_ended_) {
    deferred_.destroy(std::move(callback));
  } else {
    deferred_.call(std::move(callback));
  }
}

/// Of a stream that has been closed while a worker used it, or was to use it.
void Http2Session::drop_source(Http2Stream& stream) {
  stream.output_.is_producing = false;
  defer_disconnect(stream);
  deferred_.destroy(std::move(stream.output_.source));
  deferred_.destroy(stream.shared_from_this());  // its task may have the last reference
}

std::string Http2Session::take_input(SessionLock&, Http2Stream& stream) {
  return std::exchange(stream.body_, {});
}

void Http2Session::note_input(SessionLock&, Http2Stream& stream, std::size_t used,
                              std::string_view rest) {
  stream.body_.insert(0, rest);
  // If the rest does not fit into the budget, the window of the stream bounds it.
  static_cast<void>(stream.body_share_.resize(stream.body_.empty() ? 0 : stream.body_.capacity()));
  if (used == 0 || stream.is_closed_ || has_failed_) return;
  nghttp2_session_consume_stream(session_, stream.id_, used);
  flush_or_defer();
}

void Http2Session::post_messages(SessionLock&, Http2Stream& stream) {
  if (!has_failed_) tasks_.add_messages(stream);
}

void Http2Session::send_continue(SessionLock&, Http2Stream& stream) {
  if (!std::exchange(stream.awaits_continue_, false) || stream.received_ > 0) return;
  if (stream.is_closed_ || stream.has_response()) return;
  const nghttp2_nv status = http2_field(":status", "100");
  nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream.id_, nullptr, &status, 1, nullptr);
  flush();
}

void Http2Session::consume(SessionLock&, Http2Stream& stream, std::size_t size) {
  if (size == 0 || stream.is_closed_ || has_failed_) return;
  nghttp2_session_consume_stream(session_, stream.id_, size);
  flush();
}

void Http2Session::enlarge_window(SessionLock&, Http2Stream& stream) {
  if (stream.framing_.content_length.value_or(kFirstWindow + 1) <= kFirstWindow) return;
  if (std::exchange(stream.has_large_window_, true) || stream.has_ended_ || stream.is_closed_) {
    return;
  }
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, stream.id_, kLargeWindow);
  flush();
}

void Http2Session::reset(SessionLock&, Http2Stream& stream, std::uint32_t error_code) {
  if (stream.is_closed_ || has_failed_) return;
  submit_reset(stream, error_code);
  flush();
}

void Http2Session::submit_reset(Http2Stream& stream, std::uint32_t error_code) {
  stream.is_reset_ = true;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id_, error_code);
}

void Http2Session::receive_for_reader() {
  if (!connection_.acquire()) return;
  const StreamTasks::Handling handling;
  RequestError error;
  connection_.begin_turn(0);
  while (true) {
    const auto events = connection_.read_events();
    auto progress = Connection::Progress::closed;
    try {
      progress = connection_.advance(error);
    } catch (...) {
      connection_.abort();  // there is no memory
    }
    if (progress != Connection::Progress::streams) return connection_.post();
    if (!connection_.release(events)) continue;
    SessionLock lock(*this);
    if (tasks_.is_empty()) return;
    tasks_.post();
    return flush();
  }
}

void Http2Session::begin_stream(std::int32_t id) {
  const AdapterOptions& options = context().options;
  closed_.note_opened(id);
  auto connection = shared_connection_.lock();
  if (!connection || active_ >= 2 * options.http2.max_concurrent_streams) {
    if (!bounds_.take_reset(coarse_now())) return end_for_flood(Flood::resets);
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    closed_.note_closed(id, ClosedStreams::End::reset_here);
    return;
  }
  auto stream = std::make_shared<Http2Stream>(*this, std::move(connection), id);
  nghttp2_session_set_stream_user_data(session_, id, stream.get());
  stream->head_.remote_address = connection_.remote_address();
  stream->head_.is_secure = connection_.is_secure();
  if (stream->head_.is_secure) {
    stream->head_.client_certificate = connection_.client_certificate();
  }
  streams_.emplace(id, std::move(stream));
  ++active_;
  ++requests_;
  if (streams_.size() == 1) deadlines_.set(coarse_now());
}

void Http2Session::finish_head(Http2Stream& stream, bool has_ended) {
  stream.fields_.finish(has_ended, context().options, stream.head_, stream.framing_);
  // One head of a connection arrives at a time, so that what was not counted yet is bounded.
  const auto size = stream.head_.fields.memory() + stream.head_.target.size();
  if (memory_.add_head(size)) {
    stream.head_memory_ = size;
  } else {
    stream.fields_.reject({503, kNoMemory});
  }
  stream.awaits_continue_ = stream.framing_.expects_continue;
  stream.has_ended_ = has_ended;
  stream.phase_ = Http2Stream::Phase::settling;
  arrived_.push_back(stream.shared_from_this());
}

void Http2Session::add_data(Http2Stream& stream, std::string_view data) {
  stream.received_ += data.size();
  if (stream.discards_body_) {
    nghttp2_session_consume_stream(session_, stream.id_, data.size());
    return;
  }
  const bool is_awaited = stream.phase_ == Http2Stream::Phase::awaiting_body;
  if (is_awaited && stream.received_ > stream.awaited_limit_) {
    return end_body(stream, BodyStatus::too_large);
  }
  stream.make_room(data.size());
  if (!stream.body_share_.grow(stream.body_.capacity())) {
    return end_body(stream, BodyStatus::unavailable);
  }
  stream.body_.append(data);
  if (stream.socket_) return wake_for_input(stream);
  if (stream.consumes_body_) nghttp2_session_consume_stream(session_, stream.id_, data.size());
  if (is_awaited) {
    stream.body_progress_at_ = coarse_now();
  } else {
    stream.body_changed_.notify_all();
  }
}

/// Ends the body because all of it has arrived, or with an error.
void Http2Session::end_body(Http2Stream& stream, std::optional<BodyStatus> failure) {
  if (failure) {
    if (!stream.failure_) stream.failure_ = failure;
    discard_body(stream);
  } else {
    stream.has_ended_ = true;
    if (stream.socket_) wake_for_input(stream);
  }
  if (stream.phase_ == Http2Stream::Phase::awaiting_body) {
    stream.phase_ = Http2Stream::Phase::settling;
    arrived_.push_back(stream.shared_from_this());
  }
  stream.body_changed_.notify_all();
}

void Http2Session::wake_for_input(Http2Stream& stream) {
  auto& output = stream.output_;
  if (output.is_producing) {
    output.is_woken = true;
  } else {
    tasks_.request_production(stream);
  }
}

/// Nobody reads the rest of the body.
void Http2Session::discard_body(Http2Stream& stream) {
  if (stream.has_ended_ || stream.is_closed_) return;
  stream.discards_body_ = true;
  const std::size_t unread = stream.body_.size() - stream.body_begin_;
  if (unread > 0 && !stream.consumes_body_) {
    nghttp2_session_consume_stream(session_, stream.id_, unread);
  }
  free_memory(stream.body_);
  stream.body_begin_ = 0;
  stream.body_share_.release();
  stream.body_changed_.notify_all();
}

/// If the request has not ended yet, the client need not send the rest (RFC 9113, 8.1). A reset
/// says so after it had time to read the response, because some clients read nothing of a stream
/// that was reset. Until then, the rest is discarded, as by `Connection::linger`.
void Http2Session::note_end_sent(Http2Stream& stream) {
  stream.has_sent_end_ = true;
  stream.ended_at_ = coarse_now();
}

void Http2Session::close_stream(Http2Stream& stream, bool is_canceled) {
  if (std::exchange(stream.is_closed_, true)) return;
  stream.is_canceled_ = is_canceled;
  stream.body_changed_.notify_all();
  auto& output = stream.output_;
  if (!is_canceled && stream.disconnect_callback_) {
    deferred_.destroy(std::exchange(stream.disconnect_callback_, {}));
  }
  // Otherwise, the worker that uses the socket ends it.
  if (!stream.socket_ || !output.is_producing) defer_disconnect(stream);
  if (output.source && !output.is_producing) {
    deferred_.destroy(std::move(output.source));
  }
  free_memory(output.content);
  output.share.release();
  release_if_done(stream);
  using End = ClosedStreams::End;
  const End end = is_canceled ? End::canceled : End::complete;
  closed_.note_closed(stream.id_, stream.is_reset_ ? End::reset_here : end);
  const auto found = streams_.find(stream.id_);
  deferred_.destroy(std::move(found->second));
  streams_.erase(found);
  if (streams_.empty()) deadlines_.note_idle();
}

/// A stream that was closed counts until its handler has returned, or the handlers of its messages,
/// so that a client cannot run more of them by canceling requests.
void Http2Session::release_if_done(Http2Stream& stream) {
  const bool is_running = stream.is_in_handler_ || stream.phase_ == Http2Stream::Phase::queued ||
                          stream.has_messages_task_ || stream.message_runs_ > 0;
  if (!stream.is_closed_ || is_running || std::exchange(stream.is_released_, true)) return;
  --active_;
  memory_.remove_head(std::exchange(stream.head_memory_, 0));
}

/// Frees the fields of a request that no handler will see.
void Http2Session::drop_head(Http2Stream& stream) {
  stream.head_.fields = {};
  memory_.remove_head(std::exchange(stream.head_memory_, 0));
}

bool Http2Session::shed() {
  std::vector<std::shared_ptr<Http2Stream>> rejected;
  bool has_shed = false;
  {
    SessionLock lock(*this);
    for (const auto& stream : SessionMemory::streams_to_shed(streams_)) {
      if (stream->phase_ == Http2Stream::Phase::awaiting_body) {
        stream->phase_ = Http2Stream::Phase::handled;
        rejected.push_back(stream);
      } else {
        has_shed = true;
        if (stream->socket_ && stream->output_.content.empty()) {
          stream->socket_->reject_message();
          wake_for_input(*stream);
          continue;
        }
        // It has content, so that no worker uses the source.
        const auto& source = stream->output_.source;
        if (PushedBody* const pushed = source ? source->pushed() : nullptr) pushed->discard();
        note_disconnect(lock, *stream);
        reset(lock, *stream, NGHTTP2_CANCEL);
      }
    }
    if (output_.waiting() >= SessionMemory::kMinShed) {
      fail();
      has_shed = true;
    }
  }
  for (const auto& stream : rejected) reject(*stream, {503, kNoMemory});
  return has_shed || !rejected.empty();
}

void Http2Session::terminate_for(std::optional<std::uint32_t> error_code) {
  if (error_code) ending_.terminate(*error_code);
}

void Http2Session::count_useless_frame() {
  if (!bounds_.take_useless_frame(coarse_now())) end_for_flood(Flood::frames);
}

void Http2Session::count_reset() {
  if (!bounds_.take_reset(coarse_now())) end_for_flood(Flood::resets);
}

void Http2Session::end_for_flood(Flood kind) {
  if (ending_.is_terminated()) return;
  connection_.count_flood(kind);
  ending_.terminate(NGHTTP2_ENHANCE_YOUR_CALM);
}

bool Http2Session::has_ended() const {
  if (has_failed_) return true;
  if (!output_.is_empty() || nghttp2_session_want_write(session_) != 0) return false;
  if (ending_.is_terminated() || nghttp2_session_want_read(session_) == 0) return true;
  return streams_.empty() && (ending_.has_begun() || peer_has_closed_);
}

void Http2Session::flush_or_defer() {
  if (tasks_.will_continue()) {
    tasks_.note_unflushed();
  } else {
    flush();
  }
}

/// Sends what there is, as far as the socket accepts it.
void Http2Session::flush() {
  tasks_.note_flushed();
  if (has_failed_) return;
  const bool was_empty = output_.is_empty();
  switch (output_.flush(session_)) {
    case FrameOutput::Progress::failed:
      return fail();
    case FrameOutput::Progress::turn_over:
      tasks_.post_output();
      break;
    case FrameOutput::Progress::blocked:
      if (!std::exchange(watches_output_, true)) connection_.watch_output();
      note_blocked();
      break;
    case FrameOutput::Progress::done:
      note_blocked();
      break;
  }
  if (was_empty && !output_.is_empty()) deadlines_.set(coarse_now());
  // Any thread may have sent the last response; the owner of the connection ends it.
  if (peer_has_closed_ && has_ended() && !std::exchange(is_end_noted_, true)) connection_.wake();
}

/// Tells pushed bodies whose last part could not be sent.
void Http2Session::note_blocked() {
  for (const std::int32_t id : std::exchange(pushing_, {})) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) continue;
    Http2Stream& stream = *found->second;
    const auto& output = stream.output_;
    if (!output.source || output.content.empty()) continue;
    if (!output.source->pushed()->may_wait()) tasks_.request_production(stream);
  }
}

/// Ends the connection when the lock is released.
void Http2Session::fail() {
  has_failed_ = true;
  deferred_.aborts = true;
}

void Http2Session::note_closed() noexcept {
  SessionLock lock(*this);
  if (std::exchange(peer_has_closed_, true)) return;
  try {
    cancel_incomplete(lock);
  } catch (const std::bad_alloc&) {
    fail();
  }
}

/// The client sends nothing more, and may read nothing more.
void Http2Session::cancel_incomplete(SessionLock& lock) {
  std::vector<std::shared_ptr<Http2Stream>> incomplete;
  for (const auto& [id, stream] : streams_) {
    if (!stream->has_ended_) incomplete.push_back(stream);
    // A socket in use is ended below, or by the end of its input.
    if (!stream->socket_ || !stream->output_.is_producing) defer_disconnect(*stream);
    stream->is_canceled_ = true;
    stream->body_changed_.notify_all();
    // The client may only have finished sending; a heartbeat tells.
    auto& output = stream->output_;
    const bool is_pushed = stream->has_response() && output.source && output.source->pushed();
    if (is_pushed && output.content.empty()) {
      output.needs_heartbeat = true;
      tasks_.request_production(*stream);
    }
  }
  for (const auto& stream : incomplete) {
    const bool is_handled = stream->phase_ == Http2Stream::Phase::handled ||
                            stream->phase_ == Http2Stream::Phase::queued;
    if (!is_handled || stream->socket_) reset(lock, *stream, NGHTTP2_CANCEL);
  }
}

void Http2Session::end() noexcept {
  SessionLock lock(*this);
  has_failed_ = true;
  while (!streams_.empty()) {
    const auto id = streams_.begin()->first;
    close_stream(*streams_.begin()->second, true);
    streams_.erase(id);  // if an earlier close of it has failed without memory
  }
  while (auto task = tasks_.take_any()) {
    // No worker will produce its next part, which `close_stream` leaves the source to.
    const bool is_production = task.kind == StreamTasks::Task::Kind::production;
    if (task.stream->output_.source && is_production) drop_source(*task.stream);
    deferred_.destroy(std::move(task.stream));
  }
  for (auto& stream : arrived_) deferred_.destroy(std::move(stream));
  arrived_.clear();
}

std::unique_ptr<Http2Connection> make_http2_connection(
    const std::shared_ptr<Connection>& connection, const ConnectionParts& parts, StreamHost& host) {
  return std::make_unique<Http2Session>(connection, parts, host);
}

}  // namespace fw::http
