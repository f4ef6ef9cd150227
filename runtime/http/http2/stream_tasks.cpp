#include "http/http2/stream_tasks.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "http/http2/http2_session.hpp"
#include "http/socket.hpp"

namespace fw::http {
namespace {

/// A worker runs so many tasks of a connection, for so long, while other connections wait.
constexpr std::size_t kMaxTasks = 32;
constexpr std::int64_t kMaxTurn = 5;  // milliseconds

/// The tasks that this thread runs.
thread_local const StreamTasks* t_running = nullptr;
/// Whether it is in a handler now, which may take long.
thread_local bool t_is_handling = false;

class RunningScope {
 public:
  explicit RunningScope(const StreamTasks& tasks) : before_(std::exchange(t_running, &tasks)) {}
  ~RunningScope() { t_running = before_; }
  RunningScope(const RunningScope&) = delete;
  RunningScope& operator=(const RunningScope&) = delete;

 private:
  const StreamTasks* before_;
};

}  // namespace

bool StreamTasks::will_continue() const { return t_running == this && !tasks_.empty(); }

void StreamTasks::add_request(std::shared_ptr<Http2Stream> stream) {
  if (stream->is_closed_) return;
  stream->phase_ = Http2Stream::Phase::queued;
  stream->queued_at_ = coarse_now();
  tasks_.push_back(std::move(stream));
}

void StreamTasks::post() {
  if (std::exchange(is_posted_, true)) return;
  session_.connection().post_task();
}

void StreamTasks::run(bool has_event) {
  const RunningScope scope(*this);
  std::shared_ptr<Http2Stream> stream;
  const auto began = coarse_now();
  for (std::size_t count = 0;; ++count) {
    bool is_request = false;
    bool is_late = false;
    {
      SessionLock lock(session_);
      if (std::exchange(has_event, false)) is_posted_ = false;
      if (stream) session_.leave_handler(*stream);
      if (count == kMaxTasks || (count > 1 && coarse_now() - began >= kMaxTurn)) {
        session_.flush();
        if (!tasks_.empty()) post();
        return;
      }
      stream = take();
      if (!stream) {
        session_.flush();
        stream = take();  // which may let more be produced
        if (!stream) return;
      }
      is_request = stream->phase_ == Http2Stream::Phase::queued;
      if (is_request) {
        const auto most = session_.context().options.queue_timeout.count();
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
std::shared_ptr<Http2Stream> StreamTasks::take() {
  while (!tasks_.empty()) {
    auto stream = std::move(tasks_.front());
    tasks_.pop_front();
    const bool is_request = stream->phase_ == Http2Stream::Phase::queued;
    if (is_request && stream->is_closed_) {
      stream->phase_ = Http2Stream::Phase::handled;
      session_.release_if_done(*stream);
      continue;
    }
    if (tasks_.empty() && has_unflushed_ && !is_posted_) session_.flush();
    if (!tasks_.empty()) post();
    return stream;
  }
  return nullptr;
}

void StreamTasks::reject_late(Http2Stream& stream) {
  host_.count_late();
  session_.reject(stream, {503, "the server is overloaded: try again later"});
}

void StreamTasks::reject(bool has_event) {
  // The event may have been posted up to two intervals of the poller before.
  const auto most = has_event ? longest_wait() : 0;
  while (true) {
    std::shared_ptr<Http2Stream> late;
    {
      SessionLock lock(session_);
      if (has_event) is_posted_ = false;
      const auto found = std::ranges::find_if(tasks_, [&](const auto& stream) {
        return stream->phase_ == Http2Stream::Phase::queued &&
               coarse_now() - stream->queued_at_ >= most;
      });
      if (found == tasks_.end()) {
        if (!tasks_.empty()) post();
        return session_.flush();
      }
      late = std::move(*found);
      tasks_.erase(found);
      late->phase_ = Http2Stream::Phase::handled;
      session_.release_if_done(*late);
    }
    reject_late(*late);
  }
}

void StreamTasks::request_production(Http2Stream& stream) {
  auto& output = stream.output_;
  const bool has_more = output.source && output.source->state() == ResponseStream::State::more;
  if (output.is_producing || !has_more || stream.is_closed_) return;
  // The source is used after the handler has returned: see `Http2Session::leave_handler`.
  if (stream.is_in_handler_ && stream.worker_ == std::this_thread::get_id()) return;
  output.is_producing = true;
  tasks_.push_back(stream.shared_from_this());
  if (t_running != this || t_is_handling) post();
}

void StreamTasks::produce(const std::shared_ptr<Http2Stream>& stream) {
  auto& output = stream->output_;
  const auto begin = coarse_now();
  const std::string_view bytes = output.source->next();  // only this worker uses it
  SessionLock lock(session_);
  const auto now = coarse_now();
  output.since += now - begin;  // this time was not caused by the client
  output.progress_at = now;
  output.is_producing = false;
  session_.send_produced(lock, *stream, bytes);
}

/// Milliseconds from which on a request is late, as the poller measures it.
std::int64_t StreamTasks::longest_wait() const {
  const auto& context = session_.context();
  return (context.options.queue_timeout - 2 * context.poller.gather_interval()).count();
}

}  // namespace fw::http
