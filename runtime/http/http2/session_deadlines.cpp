#include "http/http2/session_deadlines.hpp"

#include <algorithm>
#include <memory>
#include <nghttp2/nghttp2.h>
#include <vector>

#include "http/http2/http2_session.hpp"
#include "http/socket.hpp"

namespace fw::http {
namespace {

/// Time for the rest of a request after its response.
constexpr std::int64_t kRestTime = 1'000;

std::int64_t check_interval(const AdapterOptions& options) {
  auto shortest = std::min({options.headers_timeout, options.request_timeout, options.send_timeout,
                            options.keep_alive_timeout});
  if (options.queue_timeout.count() > 0) shortest = std::min(shortest, options.queue_timeout);
  return std::clamp<std::int64_t>(shortest.count() / 8, 10, 1'000);
}

}  // namespace

SessionDeadlines::SessionDeadlines(Http2Session& session, Deadline& deadline)
    : session_(session),
      timer_(deadline, check_interval(session.context().options)),
      idle_until_(coarse_now() + session.context().options.headers_timeout.count()) {}

void SessionDeadlines::note_received() {
  const FrameScanner& frames = session_.frames_;
  if (frames.incomplete_head() == 0) {
    head_since_ = 0;
  } else if (std::exchange(noted_heads_, frames.begun_heads()) != frames.begun_heads()) {
    head_since_ = coarse_now();
    set(head_since_);
  }
}

void SessionDeadlines::note_data(const Http2Stream& stream, std::int64_t now) {
  last_sender_ = stream.id_;
  data_progress_at_ = now;
}

void SessionDeadlines::note_idle() {
  const auto now = coarse_now();
  idle_until_ = now + session_.context().options.keep_alive_timeout.count();
  set(now);
}

void SessionDeadlines::set(std::int64_t now) {
  const bool is_idle = session_.streams_.empty() && head_since_ == 0 &&
                       session_.output_.is_empty() && session_.ending_.is_far();
  if (is_idle) {
    timer_.set_idle(idle_until_);
  } else {
    timer_.set(now);
  }
}

void SessionDeadlines::check(std::int64_t now) {
  if (session_.output_.is_late(now)) return session_.fail();
  if (head_since_ != 0) check_head(now);
  const bool is_idle =
      session_.streams_.empty() && session_.output_.is_empty() && now >= idle_until_;
  if (is_idle || session_.ending_.is_due(now)) session_.ending_.begin();
  std::vector<std::shared_ptr<Http2Stream>> streams;
  for (const auto& [id, stream] : session_.streams_) streams.push_back(stream);
  for (const auto& stream : streams) check_stream(*stream, now);
  session_.memory_.report(session_.streams_, session_.output_, now);
  timer_.note_check();
  set(now);
}

/// A stop leaves less time for the rest of a head. The client may send its request again elsewhere,
/// and the other requests of the connection are still completed.
void SessionDeadlines::check_head(std::int64_t now) {
  const auto timeout = session_.context().options.headers_timeout.count();
  if (now - head_since_ >= timeout) {
    session_.ending_.terminate(NGHTTP2_ENHANCE_YOUR_CALM);
    return;
  }
  const auto stop_noted_at = session_.ending_.stop_noted_at();
  const bool is_over = stop_noted_at != 0 &&
                       now - std::max(head_since_, stop_noted_at) >= Connection::kStopPause.count();
  const auto found = session_.streams_.find(session_.frames_.incomplete_head());
  const bool is_request =
      found != session_.streams_.end() && found->second->phase_ == Http2Stream::Phase::head;
  if (is_over && is_request) session_.submit_reset(*found->second, NGHTTP2_REFUSED_STREAM);
}

void SessionDeadlines::check_stream(Http2Stream& stream, std::int64_t now) {
  if (stream.phase_ == Http2Stream::Phase::awaiting_body) {
    auto deadline = session_.connection().body_deadline(stream.awaited_since_, stream.received_);
    if (const auto stop_noted_at = session_.ending_.stop_noted_at(); stop_noted_at != 0) {
      deadline = std::min(deadline, std::max(stream.body_progress_at_, stop_noted_at) +
                                        Connection::kStopPause.count());
    }
    if (now >= deadline) session_.end_body(stream, BodyStatus::timed_out);
  }
  check_pushed(stream, now);
  if (is_late(stream, now)) session_.submit_reset(stream, NGHTTP2_CANCEL);
  if (stream.has_sent_end_ && now - stream.ended_at_ >= kRestTime) {
    session_.submit_reset(stream, NGHTTP2_NO_ERROR);
  }
}

/// Lets a pushed body without events send a heartbeat, or its last event if the server stops.
void SessionDeadlines::check_pushed(Http2Stream& stream, std::int64_t now) {
  auto& output = stream.output_;
  if (!output.source || output.is_producing) return;
  if (stream.socket_) {
    const bool is_stopping = session_.ending_.stop_noted_at() != 0;
    if (is_stopping || now >= stream.socket_->deadline()) {
      session_.tasks_.request_production(stream);
    }
    return;
  }
  if (!output.content.empty()) return;
  const PushedBody* const pushed = output.source->pushed();
  if (pushed == nullptr) return;
  const bool is_silent =
      now - output.progress.progress_at() >= pushed->heartbeat_interval().count();
  if (is_silent) output.needs_heartbeat = true;
  if (is_silent || session_.ending_.stop_noted_at() != 0) {
    session_.tasks_.request_production(stream);
  }
}

bool SessionDeadlines::is_late(Http2Stream& stream, std::int64_t now) {
  if (stream.output_.content.empty()) return false;
  const bool has_window =
      nghttp2_session_get_stream_remote_window_size(session_.session_, stream.id_) > 0;
  return stream.output_.progress.is_late(
      {.sent = session_.output_.sent(),
       .progress_at = std::max(data_progress_at_, session_.output_.progress_at()),
       .sends_another = last_sender_ != stream.id_ && has_window},
      now, session_.context().options);
}

}  // namespace fw::http
