#include "http/http2/http2_session.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <nghttp2/nghttp2.h>
#include <utility>

#include "base/ascii.hpp"
#include "http/request_head.hpp"
#include "http/response_head.hpp"
#include "http/socket.hpp"

namespace fw::http {

namespace {

/// Bytes of frames that are sent at once.
constexpr std::size_t kBatchSize = 64 * 1024;
/// The window of a connection. What arrives counts as read at once, so it limits no memory.
constexpr std::int32_t kConnectionWindow = 1024 * 1024;
/// The window of a stream at first, and while a large body is received.
constexpr std::uint64_t kFirstWindow = 64 * 1024 - 1;
constexpr std::int32_t kLargeWindow = 512 * 1024;
/// Bodies above this size count as buffered memory while they are sent.
constexpr std::size_t kMaxUncounted = 1024;
/// Time for the client to react to the announcement that the server stops.
constexpr std::int64_t kAnnouncedTime = 500;
constexpr std::array<std::uint8_t, 8> kStopPing = {'f', 'a', 'i', 'r', 'w', 'a', 'y', '!'};

/// Time for the rest of a request after its response.
constexpr std::int64_t kRestTime = 1'000;

/// A worker runs so many tasks of a connection, for so long, while other connections wait.
constexpr std::size_t kMaxTasks = 32;
constexpr std::int64_t kMaxTurn = 5;  // milliseconds

/// Streams that the client, or an error of the client, has ended before their response.
constexpr std::int64_t kResetsAtOnce = 500;
constexpr std::int64_t kResetsPerSecond = 50;
/// Frames that carry nothing: PING, SETTINGS, PRIORITY, WINDOW_UPDATE and empty DATA.
constexpr std::int64_t kFramesAtOnce = 10'000;
constexpr std::int64_t kFramesPerSecond = 200;
/// So many of them are allowed for each frame with a head or content, in both directions.
constexpr std::int64_t kFramesForUseful = 4;
/// The frame size that this side accepts, and the number of CONTINUATION frames beyond those that
/// the largest head needs.
constexpr std::size_t kFrameSize = 16 * 1024;
constexpr std::size_t kMinContinuations = 8;
/// What an entry of a header list counts beyond its characters (RFC 9113, 6.5.2).
constexpr std::size_t kFieldOverhead = 32;

std::int64_t check_interval(const AdapterOptions& options) {
  const auto shortest = std::min({options.headers_timeout, options.request_timeout,
                                  options.send_timeout, options.keep_alive_timeout});
  return std::clamp<std::int64_t>(shortest.count() / 8, 10, 1'000);
}

std::size_t max_continuations(const AdapterOptions& options) {
  return kMinContinuations + options.max_header_size / kFrameSize;
}

std::string_view view_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

nghttp2_nv field_of(std::string_view name, std::string_view value) {
  // The library copies both, and writes names in lower case.
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

/// Fields that only HTTP/1.1 has (RFC 9113, 8.2.2), and those that the session sets itself.
bool is_left_out(std::string_view name) {
  using base::equal_ignoring_case;
  switch (name.size()) {
    case 7:
      return equal_ignoring_case(name, "upgrade");
    case 10:
      return equal_ignoring_case(name, "connection") || equal_ignoring_case(name, "keep-alive");
    case 14:
      return equal_ignoring_case(name, "content-length");
    case 16:
      return equal_ignoring_case(name, "proxy-connection");
    case 17:
      return equal_ignoring_case(name, "transfer-encoding");
    default:
      return false;
  }
}

/// The buffer in which this thread collects frames.
std::string& frame_buffer() {
  thread_local std::string buffer;
  return buffer;
}

/// The session whose tasks this thread runs. It sends their responses together.
thread_local const Http2Session* t_runner = nullptr;
/// Whether it is in a handler now, which may take long.
thread_local bool t_is_handling = false;

class RunnerScope {
 public:
  explicit RunnerScope(const Http2Session& session) : before_(std::exchange(t_runner, &session)) {}
  ~RunnerScope() { t_runner = before_; }
  RunnerScope(const RunnerScope&) = delete;
  RunnerScope& operator=(const RunnerScope&) = delete;

 private:
  const Http2Session* before_;
};

}  // namespace

/// The functions that the library calls, with the lock of the session. They must not throw.
struct SessionCallbacks {
  static Http2Session& session_of(void* data) { return *static_cast<Http2Session*>(data); }
  /// Null for a stream that was refused.
  static Http2Stream* stream_of(nghttp2_session* session, std::int32_t id) {
    return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }
  template <class Action>
  static int guarded(const Action& action) noexcept {
    try {
      action();
    } catch (...) {
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return 0;
  }
  /// The same for a part of a frame that has been received: nothing follows the end of a session.
  template <class Action>
  static int received(void* data, const Action& action) noexcept {
    const int result = guarded(action);
    return session_of(data).is_over_ ? NGHTTP2_ERR_CALLBACK_FAILURE : result;
  }

  static int on_begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      if (head->type == NGHTTP2_CONTINUATION) {
        if (++session.continuations_ > max_continuations(session.context().options)) {
          session.end_for_flood();
        }
        return;
      }
      session.continuations_ = 0;
      session.head_since_ = 0;
      if (head->type == NGHTTP2_PRIORITY) {
        // The library ignores these frames (RFC 9113, 5.3.2).
        if (head->stream_id == 0) session.terminate(NGHTTP2_PROTOCOL_ERROR);
        session.count_useless_frame();
      } else if (head->type == NGHTTP2_HEADERS) {
        session.check_is_not_closed(head->stream_id, true);
      }
    });
  }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      session.head_since_ = coarse_now();
      if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) session.begin_stream(frame->hd.stream_id);
    });
  }

  static int on_header(nghttp2_session* library, const nghttp2_frame* frame,
                       const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                       std::size_t value_size, std::uint8_t, void* data) {
    // Trailers are checked by the library, and not used.
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    return received(data, [&] {
      Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
      if (stream == nullptr) return;
      session_of(data).add_field(*stream, view_of(name, name_size), view_of(value, value_size));
    });
  }

  /// A field with characters that it must not have makes the request malformed.
  static int on_invalid_header(nghttp2_session* library, const nghttp2_frame* frame,
                               const std::uint8_t*, std::size_t, const std::uint8_t*, std::size_t,
                               std::uint8_t, void*) {
    nghttp2_submit_rst_stream(library, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                              NGHTTP2_PROTOCOL_ERROR);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }

  static int on_frame_received(nghttp2_session* library, const nghttp2_frame* frame, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
      const bool is_ack = (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
      bool is_useful = false;
      switch (frame->hd.type) {
        case NGHTTP2_HEADERS: {
          session.head_since_ = 0;
          is_useful = true;
          Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
          if (stream == nullptr) break;
          if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
            session.finish_head(*stream, ends);
          } else if (ends) {
            session.end_body(*stream, std::nullopt);
          }
          break;
        }
        case NGHTTP2_DATA: {
          is_useful = ends || frame->hd.length > frame->data.padlen;
          Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
          if (ends && stream != nullptr) session.end_body(*stream, std::nullopt);
          break;
        }
        case NGHTTP2_PING:
          if (is_ack && std::equal(kStopPing.begin(), kStopPing.end(), frame->ping.opaque_data)) {
            session.begin_ending();
          }
          break;
        case NGHTTP2_RST_STREAM: {
          is_useful = true;  // counted when the stream is closed
          Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
          if (stream != nullptr) stream->is_reset_by_client_ = true;
          break;
        }
        default:
          break;
      }
      if (is_useful) {
        session.frames_.give(kFramesForUseful);
      } else if (frame->hd.type != NGHTTP2_PRIORITY) {
        session.count_useless_frame();
      }
    });
  }

  static int on_data(nghttp2_session* library, std::uint8_t, std::int32_t id,
                     const std::uint8_t* bytes, std::size_t size, void* data) {
    return received(data, [&] {
      nghttp2_session_consume_connection(library, size);
      Http2Stream* const stream = stream_of(library, id);
      if (stream != nullptr) session_of(data).add_data(*stream, view_of(bytes, size));
    });
  }

  static int on_stream_close(nghttp2_session* library, std::int32_t id, std::uint32_t error,
                             void* data) {
    return guarded([&] {
      Http2Stream* const stream = stream_of(library, id);
      if (stream == nullptr) return;
      Http2Session& session = session_of(data);
      session.head_since_ = 0;
      const bool is_canceled = error != NGHTTP2_NO_ERROR || !stream->has_sent_end_;
      const bool is_ours = stream->is_reset_;
      stream->is_reset_ = is_ours || (error != NGHTTP2_NO_ERROR && !stream->is_reset_by_client_);
      session.close_stream(*stream, is_canceled);
      if (is_canceled && !is_ours && !session.has_failed_ && !session.resets_.take(coarse_now())) {
        session.end_for_flood();
      }
    });
  }

  /// The library resets the stream, or ends the session.
  static int on_invalid_frame(nghttp2_session*, const nghttp2_frame*, int, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      if (!session.resets_.take(coarse_now())) session.end_for_flood();
    });
  }

  static int on_frame_sent(nghttp2_session* library, const nghttp2_frame* frame, void* data) {
    return guarded([&] {
      const auto type = frame->hd.type;
      if (type != NGHTTP2_DATA && type != NGHTTP2_HEADERS) return;
      Http2Session& session = session_of(data);
      session.frames_.give(kFramesForUseful);
      if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
      Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
      if (stream != nullptr) session.note_end_sent(*stream);
    });
  }

  /// How many bytes of the output can be in the next frame.
  static ssize_t read_output(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t length,
                             std::uint32_t* flags, nghttp2_data_source* source, void* data) {
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    auto& output = stream.output_;
    const std::size_t left = output.bytes().size();
    if (left == 0 && !output.is_last) {
      output.is_deferred = true;
      const int result = guarded([&] { session_of(data).request_production(stream); });
      return result != 0 ? result : NGHTTP2_ERR_DEFERRED;
    }
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (left <= length && output.is_last) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(std::min(left, length));
  }

  static int send_data(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head,
                       std::size_t length, nghttp2_data_source* source, void* data) {
    return guarded([&] {
      constexpr std::size_t kFrameHead = 9;
      Http2Session& session = session_of(data);
      auto& stream = *static_cast<Http2Stream*>(source->ptr);
      auto& output = stream.output_;
      session.filled_->append(view_of(head, kFrameHead)).append(output.bytes().substr(0, length));
      output.begin += length;
      output.sent += length;
      output.progress_at = coarse_now();
      if (output.begin < output.content.size()) return;
      output.content = {};
      output.begin = 0;
      output.share.release();
      session.request_production(stream);
    });
  }

  static const nghttp2_session_callbacks* table() {
    static const nghttp2_session_callbacks* const kTable = [] {
      nghttp2_session_callbacks* made = nullptr;
      if (nghttp2_session_callbacks_new(&made) != 0) throw std::bad_alloc();
      nghttp2_session_callbacks_set_on_begin_frame_callback(made, on_begin_frame);
      nghttp2_session_callbacks_set_on_begin_headers_callback(made, on_begin_headers);
      nghttp2_session_callbacks_set_on_header_callback(made, on_header);
      nghttp2_session_callbacks_set_on_invalid_header_callback(made, on_invalid_header);
      nghttp2_session_callbacks_set_on_frame_recv_callback(made, on_frame_received);
      nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, on_invalid_frame);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, on_data);
      nghttp2_session_callbacks_set_on_stream_close_callback(made, on_stream_close);
      nghttp2_session_callbacks_set_on_frame_send_callback(made, on_frame_sent);
      nghttp2_session_callbacks_set_send_data_callback(made, send_data);
      return made;
    }();
    return kTable;
  }
};

SessionLock::SessionLock(Http2Session& session) : session_(session), lock_(session.mutex_) {}

void SessionLock::release() {
  if (!lock_.owns_lock()) return;
  Http2Session::Deferred& pending = session_.deferred_;
  if (pending.streams.empty() && pending.unused.empty() && pending.callbacks.empty() &&
      pending.sources.empty() && !pending.aborts) {
    lock_.unlock();
    return;
  }
  Http2Session::Deferred deferred = std::exchange(pending, {});
  lock_.unlock();
  const bool aborts = deferred.aborts;
  CallbackThread& thread = session_.connection_.callbacks();
  if (thread.protects_this_thread()) {
    // Sources and streams run callbacks of the application when they are destroyed.
    thread.run([shared = std::make_shared<Http2Session::Deferred>(std::move(deferred))] {
      for (const auto& callback : shared->callbacks) callback();
    });
  } else {
    for (const auto& callback : deferred.callbacks) callback();
  }
  if (!aborts) return;
  session_.connection_.abort();
  session_.connection_.note_disconnect(true);
  session_.connection_.wake();
}

Http2Session::Http2Session(const std::shared_ptr<Connection>& connection,
                           const ConnectionParts& parts, StreamHost& host)
    : connection_(*connection),
      shared_connection_(connection),
      parts_(parts),
      host_(host),
      check_interval_(check_interval(connection_.context().options)),
      rest_share_(connection_.buffers()),
      idle_until_(coarse_now() + connection_.context().options.headers_timeout.count()),
      resets_(kResetsAtOnce, kResetsPerSecond, coarse_now()),
      frames_(kFramesAtOnce, kFramesPerSecond, coarse_now()) {
  const AdapterOptions& options = context().options;
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
  if (nghttp2_session_server_new2(&session_, SessionCallbacks::table(), this, made) != 0) {
    throw std::bad_alloc();
  }
  const auto number = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
  const std::array<nghttp2_settings_entry, 4> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, number(options.http2.max_concurrent_streams)},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, number(kFirstWindow)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, number(options.max_header_size)},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
  }};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

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
      break;
    }
  }
  {
    SessionLock lock(*this);
    if (context().stopping.load(std::memory_order_acquire) || parts_.deadline.take_expiry()) {
      const auto now = coarse_now();
      note_stop(now);
      check_deadlines(now);
    }
  }
  settle_all();
  SessionLock lock(*this);
  if (tasks_.empty()) {
    flush();
  } else {
    has_unflushed_ = true;
  }
  if (has_ended()) return Progress::ended;
  return has_more ? Progress::turn_over : Progress::waiting;
}

void Http2Session::receive_frames(std::string_view bytes) {
  if (is_over_ || has_failed_) return;
  transferred_ += bytes.size();
  find_data_of_closed_streams(bytes);
  const auto result = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (result < 0 && !is_over_) {
    const bool is_flood =
        result == NGHTTP2_ERR_FLOODED || result == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS;
    if (is_flood) {
      end_for_flood();
    } else {
      terminate(result == NGHTTP2_ERR_BAD_CLIENT_MAGIC ? NGHTTP2_PROTOCOL_ERROR
                                                       : NGHTTP2_INTERNAL_ERROR);
    }
  }
  const auto most = context().options.max_requests_per_connection;
  if (most > 0 && requests_ >= most) begin_ending();
}

/// Decides about the requests whose heads or bodies have arrived.
void Http2Session::settle_all() {
  while (true) {
    std::vector<std::shared_ptr<Http2Stream>> arrived;
    {
      SessionLock lock(*this);
      arrived.swap(arrived_);
    }
    if (arrived.empty()) return;
    for (const auto& stream : arrived) {
      if (stream->error_) {
        reject(*stream, *stream->error_);
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
  queue(lock, stream);
}

/// Whether the body must be received before the request is handled.
bool Http2Session::must_await_body(Http2Stream& stream) {
  const auto& make_plan = context().options.plan;
  if (stream.awaited_limit_ > 0 || !stream.framing_.has_body() || !make_plan) return false;
  {
    SessionLock lock(*this);
    if (stream.has_ended_) return false;
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
  auto [head, body] = host_.render(error);
  if (error.status == 503) head.fields.add("Retry-After", "1");
  stream.respond(head, body);
}

void Http2Session::queue(SessionLock&, std::shared_ptr<Http2Stream> stream) {
  if (stream->is_closed_) return;
  stream->phase_ = Http2Stream::Phase::queued;
  stream->queued_at_ = coarse_now();
  tasks_.push_back(std::move(stream));
}

void Http2Session::post_tasks(SessionLock&) { post(); }

void Http2Session::post() {
  if (std::exchange(is_posted_, true)) return;
  connection_.post_task();
}

void Http2Session::run_tasks(bool has_event) {
  const RunnerScope scope(*this);
  std::shared_ptr<Http2Stream> stream;
  const auto began = coarse_now();
  for (std::size_t count = 0;; ++count) {
    bool is_request = false;
    bool is_late = false;
    {
      SessionLock lock(*this);
      if (std::exchange(has_event, false)) is_posted_ = false;
      if (stream) leave_handler(*stream);
      if (count == kMaxTasks || (count > 1 && coarse_now() - began >= kMaxTurn)) {
        flush();
        if (!tasks_.empty()) post();
        return;
      }
      stream = take_task();
      if (!stream) {
        flush();
        stream = take_task();  // which may let more be produced
        if (!stream) return;
      }
      is_request = stream->phase_ == Http2Stream::Phase::queued;
      if (is_request) {
        const auto most = context().options.queue_timeout.count();
        is_late = most > 0 && coarse_now() - stream->queued_at_ >= longest_wait();
        stream->phase_ = Http2Stream::Phase::handled;
        stream->is_in_handler_ = true;
        stream->worker_ = std::this_thread::get_id();
      }
    }
    if (!is_request) {
      produce(stream);
    } else if (is_late) {
      reject_late(*stream);
    } else {
      t_is_handling = true;
      host_.run_handler(stream);
      t_is_handling = false;
    }
  }
}

/// The next task. While there are more, or output that waits for this worker, an event wakes
/// another worker for them.
std::shared_ptr<Http2Stream> Http2Session::take_task() {
  while (!tasks_.empty()) {
    auto stream = std::move(tasks_.front());
    tasks_.pop_front();
    const bool is_request = stream->phase_ == Http2Stream::Phase::queued;
    if (is_request && stream->is_closed_) {
      stream->phase_ = Http2Stream::Phase::handled;
      release_if_done(*stream);
      continue;
    }
    if (tasks_.empty() && has_unflushed_ && !is_posted_) flush();
    if (!tasks_.empty()) post();
    return stream;
  }
  return nullptr;
}

void Http2Session::leave_handler(Http2Stream& stream) {
  if (!std::exchange(stream.is_in_handler_, false)) return;
  release_if_done(stream);
  if (stream.is_closed_) return;
  if (!stream.has_response()) {
    stream.claim();
    stream.is_reset_ = true;
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id_, NGHTTP2_INTERNAL_ERROR);
  }
  if (stream.output_.content.empty()) request_production(stream);
}

void Http2Session::reject_late(Http2Stream& stream) {
  host_.count_late();
  reject(stream, {503, "the server is overloaded: try again later"});
}

void Http2Session::reject_tasks(bool has_event) {
  // The event may have been posted up to two intervals of the poller before.
  const auto most = has_event ? longest_wait() : 0;
  while (true) {
    std::shared_ptr<Http2Stream> late;
    {
      SessionLock lock(*this);
      if (has_event) is_posted_ = false;
      const auto found = std::ranges::find_if(tasks_, [&](const auto& stream) {
        return stream->phase_ == Http2Stream::Phase::queued &&
               coarse_now() - stream->queued_at_ >= most;
      });
      if (found == tasks_.end()) {
        if (!tasks_.empty()) post();
        return flush();
      }
      late = std::move(*found);
      tasks_.erase(found);
      late->phase_ = Http2Stream::Phase::handled;
      release_if_done(*late);
    }
    reject_late(*late);
  }
}

void Http2Session::request_production(Http2Stream& stream) {
  auto& output = stream.output_;
  const bool has_more = output.source && output.source->state() == ResponseStream::State::more;
  if (output.is_producing || !has_more || stream.is_closed_) return;
  // The source is used after the handler has returned: see `leave_handler`.
  if (stream.is_in_handler_ && stream.worker_ == std::this_thread::get_id()) return;
  output.is_producing = true;
  tasks_.push_back(stream.shared_from_this());
  if (t_runner != this || t_is_handling) post();
}

void Http2Session::produce(const std::shared_ptr<Http2Stream>& stream) {
  auto& output = stream->output_;
  const auto begin = coarse_now();
  const std::string_view bytes = output.source->next();  // only this worker uses it
  SessionLock lock(*this);
  const auto now = coarse_now();
  output.since += now - begin;  // this time was not caused by the client
  output.progress_at = now;
  output.is_producing = false;
  if (stream->is_closed_) {
    deferred_.sources.push_back(std::move(output.source));
    return;
  }
  const auto state = output.source->state();
  const bool has_memory = output.share.grow(bytes.size());
  if (state == ResponseStream::State::broken || !has_memory) {
    reset(lock, *stream, NGHTTP2_INTERNAL_ERROR);
    return;
  }
  output.content.assign(bytes);
  output.is_last = state == ResponseStream::State::complete;
  if (std::exchange(output.is_deferred, false)) nghttp2_session_resume_data(session_, stream->id_);
  flush_or_defer();
}

void Http2Session::send_response(SessionLock&, Http2Stream& stream, const ResponseHead& head,
                                 std::optional<std::uint64_t> length, std::string_view body,
                                 std::unique_ptr<ResponseStream> source) {
  auto& output = stream.output_;
  if (stream.is_closed_ || has_failed_) {
    if (source) deferred_.sources.push_back(std::move(source));
    return;
  }
  thread_local std::vector<nghttp2_nv> fields;
  fields.clear();
  std::array<char, 3> status;
  std::to_chars(status.data(), status.data() + status.size(), head.status);
  fields.push_back(field_of(":status", {status.data(), status.size()}));
  for (const auto& [name, value] : head.fields) {
    if (!is_left_out(name)) fields.push_back(field_of(name, value));
  }
  if (!head.fields.find("date")) fields.push_back(field_of("date", current_date()));
  std::array<char, 20> digits;
  if (length) {
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *length).ptr;
    fields.push_back(field_of("content-length", {digits.data(), end}));
  }
  const bool has_body = !body.empty() || source;
  if (body.size() > kMaxUncounted && !output.share.grow(body.size())) {
    stream.is_reset_ = true;
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id_, NGHTTP2_INTERNAL_ERROR);
    return flush_or_defer();
  }
  output.content.assign(body);
  output.is_last = !source;
  output.source = std::move(source);
  if (has_body) output.since = output.progress_at = coarse_now();
  nghttp2_data_provider provider{{.ptr = &stream}, SessionCallbacks::read_output};
  const int result = nghttp2_submit_response(session_, stream.id_, fields.data(), fields.size(),
                                             has_body ? &provider : nullptr);
  if (result == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
  discard_body(stream);
  flush_or_defer();
}

void Http2Session::send_continue(SessionLock&, Http2Stream& stream) {
  if (!std::exchange(stream.awaits_continue_, false) || stream.received_ > 0) return;
  if (stream.is_closed_ || stream.has_response()) return;
  const nghttp2_nv status = field_of(":status", "100");
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

void Http2Session::destroy_later(SessionLock&, std::function<void()> callback) {
  if (callback) deferred_.unused.push_back(std::move(callback));
}

void Http2Session::reset(SessionLock&, Http2Stream& stream, std::uint32_t error_code) {
  if (stream.is_closed_ || has_failed_) return;
  stream.is_reset_ = true;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id_, error_code);
  flush();
}

void Http2Session::receive_for_reader() {
  if (!connection_.acquire()) return;
  RequestError error;
  connection_.begin_turn();
  while (true) {
    const auto events = connection_.read_events();
    if (connection_.advance(error) != Connection::Progress::streams) return connection_.post();
    if (!connection_.release(events)) continue;
    SessionLock lock(*this);
    if (!tasks_.empty()) post();
    return;
  }
}

/// Milliseconds from which on a request is late, as the poller measures it.
std::int64_t Http2Session::longest_wait() const {
  const auto interval = context().poller.gather_interval();
  return (context().options.queue_timeout - 2 * interval).count();
}

void Http2Session::begin_stream(std::int32_t id) {
  const AdapterOptions& options = context().options;
  auto connection = shared_connection_.lock();
  if (!connection || active_ >= 2 * options.http2.max_concurrent_streams) {
    if (!resets_.take(coarse_now())) return end_for_flood();
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
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
  last_stream_ = std::max(last_stream_, id);
  ++active_;
  ++requests_;
  if (streams_.size() == 1) set_deadline(coarse_now());
}

void Http2Session::add_field(Http2Stream& stream, std::string_view name, std::string_view value) {
  if (stream.error_) return;
  const AdapterOptions& options = context().options;
  Fields& fields = stream.head_.fields;
  stream.head_size_ += name.size() + value.size() + kFieldOverhead;
  if (stream.head_size_ > options.max_header_size) {
    stream.error_ = {431, "the request's headers are too large"};
  } else if (name == ":method") {
    stream.method_ = value;
  } else if (name == ":path") {
    stream.path_ = value;
  } else if (name == ":authority") {
    fields.add_valid("host", value);
  } else if (name.starts_with(':')) {
    return;  // the connection has a scheme
  } else if (name == "cookie") {
    // RFC 9113, 8.2.3: a client may send each cookie by itself.
    if (!stream.cookie_.empty()) stream.cookie_ += "; ";
    stream.cookie_ += value;
  } else if (name == "host" && fields.size() > 0 && fields[0].name == "host") {
    if (fields[0].value != value) {
      stream.error_ = {400, "Host and :authority name different hosts"};
    }
  } else if (fields.size() == options.max_header_count) {
    stream.error_ = {431, "the request has too many headers"};
  } else {
    fields.add_valid(name, value);
  }
}

void Http2Session::finish_head(Http2Stream& stream, bool has_ended) {
  RequestHead& head = stream.head_;
  if (!stream.cookie_.empty()) head.fields.add_valid("cookie", stream.cookie_);
  if (!stream.error_ && head.fields.size() > context().options.max_header_count) {
    stream.error_ = {431, "the request has too many headers"};
  }
  Framing& framing = stream.framing_;
  // Here it means that the length is not known.
  framing.chunked = !has_ended && !head.fields.find("content-length");
  if (!stream.error_ && stream.path_.empty()) {
    stream.error_ = {501, "the method CONNECT is not supported"};
  }
  if (!stream.error_) stream.error_ = set_method_and_target(stream.method_, stream.path_, head);
  if (!stream.error_) stream.error_ = parse_framing(head.fields, framing);
  if (stream.method_ == "HEAD") head.method = "HEAD";
  stream.awaits_continue_ = framing.expects_continue;
  head.content_length = framing.content_length;
  head.has_body = framing.has_body();
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
  const std::size_t needed = stream.body_.size() + data.size();
  if (needed > stream.body_.capacity())
    stream.body_.reserve(std::max(needed, 2 * stream.body_.size()));
  if (!stream.body_share_.grow(stream.body_.capacity())) {
    return end_body(stream, BodyStatus::unavailable);
  }
  stream.body_.append(data);
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
  }
  if (stream.phase_ == Http2Stream::Phase::awaiting_body) {
    stream.phase_ = Http2Stream::Phase::settling;
    arrived_.push_back(stream.shared_from_this());
  }
  stream.body_changed_.notify_all();
}

/// Nobody reads the rest of the body.
void Http2Session::discard_body(Http2Stream& stream) {
  if (stream.has_ended_ || stream.is_closed_) return;
  stream.discards_body_ = true;
  const std::size_t unread = stream.body_.size() - stream.body_begin_;
  if (unread > 0 && !stream.consumes_body_) {
    nghttp2_session_consume_stream(session_, stream.id_, unread);
  }
  stream.body_ = {};
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
  if (stream.disconnect_callback_) {
    (is_canceled && !stream.watch_has_ended_ ? deferred_.callbacks : deferred_.unused)
        .push_back(std::move(stream.disconnect_callback_));
    stream.disconnect_callback_ = nullptr;
  }
  auto& output = stream.output_;
  if (output.source && !output.is_producing) {
    deferred_.sources.push_back(std::move(output.source));
  }
  output.content = {};
  output.share.release();
  release_if_done(stream);
  closed_[next_closed_++ % closed_.size()] = {stream.id_, stream.is_reset_};
  const auto found = streams_.find(stream.id_);
  deferred_.streams.push_back(std::move(found->second));
  streams_.erase(found);
  if (!streams_.empty()) return;
  const auto now = coarse_now();
  idle_until_ = now + context().options.keep_alive_timeout.count();
  set_deadline(now);
}

/// A stream that was closed counts until its handler has returned, so that a client cannot run more
/// of them by canceling requests.
void Http2Session::release_if_done(Http2Stream& stream) {
  const bool is_running = stream.is_in_handler_ || stream.phase_ == Http2Stream::Phase::queued;
  if (!stream.is_closed_ || is_running || std::exchange(stream.is_released_, true)) return;
  --active_;
}

void Http2Session::check_deadlines(std::int64_t now) {
  const AdapterOptions& options = context().options;
  if (!rest_.empty()) {
    const auto deadline = std::min(sent_at_ + options.send_timeout.count(),
                                   rest_since_ + options.min_data_rate.max_duration(rest_sent_));
    if (now >= deadline) return fail();
  }
  if (head_since_ != 0 && now - head_since_ >= options.headers_timeout.count()) {
    terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  }
  const bool is_idle = streams_.empty() && rest_.empty() && now >= idle_until_;
  if (is_idle || (ending_ == Ending::announced && now >= ending_at_)) begin_ending();
  std::vector<std::shared_ptr<Http2Stream>> streams;
  for (const auto& [id, stream] : streams_) streams.push_back(stream);
  for (const auto& stream : streams) check_deadline(*stream, now);
  note_buffers(now);
  set_deadline(now);
}

void Http2Session::check_deadline(Http2Stream& stream, std::int64_t now) {
  const AdapterOptions& options = context().options;
  const auto cancel = [&](std::uint32_t code) {
    stream.is_reset_ = true;
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id_, code);
  };
  if (stream.phase_ == Http2Stream::Phase::awaiting_body) {
    auto deadline = connection_.body_deadline(stream.awaited_since_, stream.received_);
    if (stop_noted_at_ != 0) {
      deadline = std::min(deadline, std::max(stream.body_progress_at_, stop_noted_at_) +
                                        Connection::kStopPause.count());
    }
    if (now >= deadline) end_body(stream, BodyStatus::timed_out);
  }
  const auto& output = stream.output_;
  if (!output.content.empty()) {
    const auto deadline = std::min(output.progress_at + options.send_timeout.count(),
                                   output.since + options.min_data_rate.max_duration(output.sent));
    if (now >= deadline) cancel(NGHTTP2_CANCEL);
  }
  if (stream.has_sent_end_ && now - stream.ended_at_ >= kRestTime) {
    cancel(NGHTTP2_NO_ERROR);
  }
}

/// Tells the sweep how much memory this connection uses, and how fast its client is.
void Http2Session::note_buffers(std::int64_t now) {
  std::size_t waiting = rest_share_.size();
  for (const auto& [id, stream] : streams_) {
    waiting += stream->output_.share.size() + stream->body_share_.size();
  }
  if (waiting == 0) {
    buffered_since_ = 0;
    parts_.transfer.clear();
    return;
  }
  if (buffered_since_ == 0) {
    buffered_since_ = now;
    buffered_from_ = transferred_;
  }
  parts_.transfer.note(waiting, buffered_since_, transferred_ - buffered_from_);
}

bool Http2Session::shed() {
  constexpr std::size_t kMinShed = 16 * 1024;
  std::vector<std::shared_ptr<Http2Stream>> rejected;
  bool has_shed = false;
  {
    SessionLock lock(*this);
    std::vector<std::shared_ptr<Http2Stream>> streams;
    for (const auto& [id, stream] : streams_) streams.push_back(stream);
    for (const auto& stream : streams) {
      if (stream->output_.share.size() >= kMinShed) {
        reset(lock, *stream, NGHTTP2_CANCEL);
        has_shed = true;
      } else if (stream->phase_ == Http2Stream::Phase::awaiting_body &&
                 stream->body_share_.size() >= kMinShed) {
        stream->phase_ = Http2Stream::Phase::handled;
        rejected.push_back(stream);
      }
    }
    if (rest_share_.size() >= kMinShed) {
      fail();
      has_shed = true;
    }
  }
  for (const auto& stream : rejected) {
    reject(*stream, {503, "the server is out of buffer memory; try again later"});
  }
  return has_shed || !rejected.empty();
}

/// The next time at which the sweep wakes the connection.
void Http2Session::set_deadline(std::int64_t now) {
  const bool is_idle = streams_.empty() && rest_.empty() && ending_ == Ending::no && !is_over_;
  parts_.deadline.set(is_idle ? idle_until_ : now + check_interval_);
}

/// When the server stops, the client learns it before its requests are refused.
void Http2Session::note_stop(std::int64_t now) {
  if (stop_noted_at_ != 0 || !context().stopping.load(std::memory_order_acquire)) return;
  stop_noted_at_ = now;
  if (ending_ != Ending::no || is_over_) return;
  nghttp2_submit_shutdown_notice(session_);
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, kStopPing.data());
  ending_ = Ending::announced;
  ending_at_ = now + kAnnouncedTime;
}

/// Completes the requests that have begun, and accepts no others.
void Http2Session::begin_ending() {
  if (std::exchange(ending_, Ending::begun) == Ending::begun) return;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

void Http2Session::terminate(std::uint32_t error_code) {
  if (std::exchange(is_over_, true)) return;
  nghttp2_session_terminate_session(session_, error_code);
}

void Http2Session::count_useless_frame() {
  if (!frames_.take(coarse_now())) end_for_flood();
}

/// A client must not send on a stream that has ended (RFC 9113, 5.1), unless this side has reset
/// it, which the client may not know yet. The library ignores such frames.
void Http2Session::check_is_not_closed(std::int32_t id, bool is_head) {
  if (id % 2 == 0 || id > last_stream_ || streams_.contains(id)) return;
  const auto found = std::ranges::find(closed_, id, &ClosedStream::id);
  if (found != closed_.end()) {
    if (!found->is_reset_here) terminate(NGHTTP2_STREAM_CLOSED);
  } else if (is_head) {
    // It was skipped, or has ended long ago.
    terminate(NGHTTP2_PROTOCOL_ERROR);
  }
}

/// The library ignores such frames, too, and calls nothing. The first bytes of a connection are the
/// preface, which looks like no such frame.
void Http2Session::find_data_of_closed_streams(std::string_view bytes) {
  constexpr std::size_t kHead = 9;
  while (!bytes.empty()) {
    const std::size_t skipped = std::min(bytes.size(), frame_rest_);
    frame_rest_ -= skipped;
    bytes.remove_prefix(skipped);
    const std::size_t added = std::min(bytes.size(), kHead - frame_head_size_);
    bytes.copy(frame_head_.data() + frame_head_size_, added);
    frame_head_size_ += added;
    bytes.remove_prefix(added);
    if (frame_head_size_ < kHead) return;
    frame_head_size_ = 0;
    const auto number = [&](std::size_t at, std::size_t size) {
      std::uint32_t value = 0;
      while (size-- > 0) value = value << 8U | static_cast<unsigned char>(frame_head_[at++]);
      return value;
    };
    frame_rest_ = number(0, 3);
    constexpr std::uint32_t kIdMask = 0x7FFF'FFFF;
    const auto id = static_cast<std::int32_t>(number(5, 4) & kIdMask);
    if (frame_head_[3] == NGHTTP2_RST_STREAM) {
      last_reset_ = id;
    } else if (frame_head_[3] == NGHTTP2_DATA && id != 0) {
      if (id == last_reset_) terminate(NGHTTP2_STREAM_CLOSED);
      check_is_not_closed(id, false);
    }
  }
}

void Http2Session::end_for_flood() {
  if (is_over_) return;
  connection_.count_flood();
  terminate(NGHTTP2_ENHANCE_YOUR_CALM);
}

bool Http2Session::has_ended() const {
  if (has_failed_) return true;
  if (!rest_.empty() || nghttp2_session_want_write(session_) != 0) return false;
  if (is_over_ || nghttp2_session_want_read(session_) == 0) return true;
  return streams_.empty() && (ending_ == Ending::begun || peer_has_closed_);
}

void Http2Session::flush_or_defer() {
  if (t_runner == this && !tasks_.empty()) {
    has_unflushed_ = true;  // see `take_task`
  } else {
    flush();
  }
}

/// Sends what there is, as far as the socket accepts it.
void Http2Session::flush() {
  has_unflushed_ = false;
  if (filled_ != nullptr) return;  // the library is asked for frames at the moment
  while (!has_failed_) {
    if (!rest_.empty()) {
      std::size_t sent = 0;
      if (!send(std::string_view(rest_).substr(rest_begin_), sent)) return;
      rest_begin_ += sent;
      rest_sent_ += sent;
      if (rest_begin_ < rest_.size()) return;
      rest_ = {};
      rest_begin_ = 0;
      rest_share_.release();
    }
    std::string& fresh = frame_buffer();
    if (!fill(fresh)) return;
    if (fresh.empty()) return;
    std::size_t sent = 0;
    if (!send(fresh, sent)) return;
    if (sent == fresh.size()) continue;
    rest_.assign(fresh, sent);
    const auto now = coarse_now();
    rest_since_ = sent_at_ = now;
    rest_sent_ = 0;
    if (!rest_share_.grow(rest_.capacity())) return fail();
    set_deadline(now);
  }
}

/// Writes the next frames of the library. Returns false if it fails.
bool Http2Session::fill(std::string& bytes) {
  bytes.clear();
  filled_ = &bytes;
  while (bytes.size() < kBatchSize) {
    const std::uint8_t* data = nullptr;
    const auto before = bytes.size();
    const auto size = nghttp2_session_mem_send(session_, &data);
    if (size < 0) {
      filled_ = nullptr;
      fail();
      return false;
    }
    bytes.append(view_of(data, static_cast<std::size_t>(size)));
    if (bytes.size() == before) break;
  }
  filled_ = nullptr;
  return true;
}

/// Sends without blocking. Returns false if the connection has failed.
bool Http2Session::send(std::string_view bytes, std::size_t& sent) {
  while (sent < bytes.size()) {
    const iovec part{const_cast<char*>(bytes.data() + sent), bytes.size() - sent};
    std::size_t count = 0;
    const auto status = parts_.transport.send_some({&part, 1}, count);
    if (status == IoStatus::closed) {
      fail();
      return false;
    }
    sent += count;
    if (status == IoStatus::would_block || count == 0) break;
    sent_at_ = coarse_now();
  }
  transferred_ += sent;
  if (sent < bytes.size() && !std::exchange(is_output_watched_, true)) {
    connection_.watch_output();
  }
  return true;
}

/// Ends the connection when the lock is released.
void Http2Session::fail() {
  has_failed_ = true;
  deferred_.aborts = true;
}

void Http2Session::note_closed() {
  SessionLock lock(*this);
  if (std::exchange(peer_has_closed_, true)) return;
  std::vector<std::shared_ptr<Http2Stream>> incomplete;
  for (const auto& [id, stream] : streams_) {
    if (!stream->has_ended_) incomplete.push_back(stream);
    if (!stream->watch_has_ended_ && stream->disconnect_callback_) {
      deferred_.callbacks.push_back(std::exchange(stream->disconnect_callback_, nullptr));
    }
    stream->is_canceled_ = true;
    stream->body_changed_.notify_all();
  }
  for (const auto& stream : incomplete) {
    const bool is_handled = stream->phase_ == Http2Stream::Phase::handled ||
                            stream->phase_ == Http2Stream::Phase::queued;
    if (!is_handled) reset(lock, *stream, NGHTTP2_CANCEL);
  }
}

void Http2Session::end() noexcept {
  SessionLock lock(*this);
  has_failed_ = true;
  while (!streams_.empty()) close_stream(*streams_.begin()->second, true);
  for (auto& stream : tasks_) deferred_.streams.push_back(std::move(stream));
  for (auto& stream : arrived_) deferred_.streams.push_back(std::move(stream));
  tasks_.clear();
  arrived_.clear();
}

std::unique_ptr<Http2Connection> make_http2_connection(
    const std::shared_ptr<Connection>& connection, const ConnectionParts& parts, StreamHost& host) {
  return std::make_unique<Http2Session>(connection, parts, host);
}

}  // namespace fw::http
