#include "http/http2/stream_tasks.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/waiting_for_memory.hpp"
#include "http/http2/http2_session.hpp"
#include "http/socket.hpp"

namespace fw::http {
namespace {

/// A worker runs so many tasks of a connection, for `Turn::kMax`, while other connections wait.
constexpr std::size_t kMaxTasks = 32;

/// The tasks that this thread runs, and which of them.
thread_local const StreamTasks* t_running = nullptr;
thread_local bool t_runs_slow = false;
/// Whether it is in a handler now, which may take long.
thread_local bool t_is_handling = false;

}  // namespace

/// A thread that runs tasks of the connection while the object exists.
class StreamTasks::Worker {
 public:
  Worker(StreamTasks& tasks, bool is_slow)
      : tasks_(tasks),
        before_(std::exchange(t_running, &tasks)),
        was_slow_(std::exchange(t_runs_slow, is_slow)) {}
  ~Worker() {
    t_running = before_;
    t_runs_slow = was_slow_;
    if (!is_counted_) return;
    SessionLock lock(tasks_.session_);
    leave();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // With the lock:

  /// Returns false if the connection has all workers that it may have.
  bool enter() {
    is_counted_ = tasks_.workers_ < tasks_.max_workers_;
    if (is_counted_) ++tasks_.workers_;
    return is_counted_;
  }
  void leave() {
    is_counted_ = false;
    --tasks_.workers_;
    tasks_.post();
  }

 private:
  StreamTasks& tasks_;
  const StreamTasks* before_;
  const bool was_slow_;
  bool is_counted_ = false;
};

bool StreamTasks::is_handling() { return t_is_handling; }

StreamTasks::Handling::Handling() : was_handling_(std::exchange(t_is_handling, true)) {}
StreamTasks::Handling::~Handling() { t_is_handling = was_handling_; }

StreamTasks::Interruption::Interruption() : running_(std::exchange(t_running, nullptr)) {}
StreamTasks::Interruption::~Interruption() { t_running = running_; }

StreamTasks::StreamTasks(Http2Session& session, StreamHost& host)
    : session_(session),
      host_(host),
      max_workers_(std::max<std::size_t>(session.context().options.max_workers / 2, 1)) {}

bool StreamTasks::will_continue() const {
  if (t_running != this || (t_runs_slow ? slow_ : tasks_).empty()) return false;
  return (t_runs_slow ? is_slow_posted_ : is_posted_) || workers_ < max_workers_;
}

bool StreamTasks::run_on_this_thread() const { return t_running == this; }

/// Waits for memory if necessary, because a lost task would leave its stream without an end.
void StreamTasks::add(std::deque<Task>& tasks, std::shared_ptr<Http2Stream> stream,
                      Task::Kind kind) noexcept {
  Task task{std::move(stream), kind};
  base::wait_for_memory([&] { tasks.push_back(std::move(task)); });
}

void StreamTasks::add_request(std::shared_ptr<Http2Stream> stream) {
  if (stream->is_closed_) return;
  stream->phase_ = Http2Stream::Phase::queued;
  stream->queued_at_ = coarse_now();
  add(tasks_, std::move(stream), Task::Kind::request);
}

void StreamTasks::add_messages(Http2Stream& stream) {
  if (std::exchange(stream.has_messages_task_, true)) return;
  add(tasks_, stream.shared_from_this(), Task::Kind::messages);
  if (t_running != this || t_is_handling) post();
}

void StreamTasks::post() {
  // The workers that it has take the tasks, or post an event when they leave.
  if (workers_ >= max_workers_) return;
  if (!tasks_.empty() && !std::exchange(is_posted_, true)) session_.connection().post_task();
  if (!slow_.empty() && !std::exchange(is_slow_posted_, true)) {
    session_.connection().post_slow_task();
  }
}

StreamTasks::Task StreamTasks::take_any() noexcept {
  std::deque<Task>& tasks = tasks_.empty() ? slow_ : tasks_;
  if (tasks.empty()) return {};
  Task task = std::move(tasks.front());
  tasks.pop_front();
  return task;
}

void StreamTasks::post_output() {
  has_unflushed_ = true;
  // The workers that the connection has may be in handlers that take long.
  if (!std::exchange(is_posted_, true)) session_.connection().post_task();
}

/// The event is one of those that were posted. With a wrong record of them, there could be ever
/// more.
void StreamTasks::note_event(TaskEvent event) {
  if (event == TaskEvent::normal) is_posted_ = false;
  if (event == TaskEvent::slow) is_slow_posted_ = false;
}

void StreamTasks::run(TaskEvent event) {
  const bool is_slow = event == TaskEvent::slow;
  Worker worker(*this, is_slow);
  Task task;
  const auto began = coarse_now();
  for (std::size_t count = 0;; ++count) {
    bool is_late = false;
    {
      SessionLock lock(session_);
      if (count == 0) {
        note_event(event);
        if (!worker.enter()) return session_.flush();
      }
      if (task) {
        if (task.kind == Task::Kind::messages) --task.stream->message_runs_;
        session_.leave_handler(*task.stream);
        session_.release_if_done(*task.stream);
      }
      if (count == kMaxTasks || (count > 1 && coarse_now() - began >= Turn::kMax)) {
        session_.flush();
        return worker.leave();
      }
      task = take(is_slow);
      if (!task) {
        session_.flush();
        task = take(is_slow);  // which may let more be produced
        if (!task) return worker.leave();
      }
      if (task.kind == Task::Kind::messages) {
        task.stream->has_messages_task_ = false;
        ++task.stream->message_runs_;
      } else if (task.kind == Task::Kind::request) {
        Http2Stream* const stream = task.stream.get();
        const auto most = session_.context().options.queue_timeout.count();
        stream->queued_for_ = std::chrono::milliseconds(coarse_now() - stream->queued_at_);
        is_late = most > 0 && stream->queued_for_.count() >= longest_wait();
        stream->phase_ = Http2Stream::Phase::handled;
        stream->is_in_handler_ = true;
        stream->worker_ = std::this_thread::get_id();
      }
    }
    switch (task.kind) {
      case Task::Kind::production:
        produce(task.stream);
        break;
      case Task::Kind::messages: {
        const Handling handling;
        task.stream->socket_->run_messages();
        break;
      }
      case Task::Kind::request: {
        if (is_late) {
          respond_late(*task.stream);
          break;
        }
        const Handling handling;
        host_.run_handler(task.stream);
        break;
      }
    }
  }
}

/// The next task. While there are more, or output that waits for this worker, an event wakes
/// another worker for them.
StreamTasks::Task StreamTasks::take(bool is_slow) {
  std::deque<Task>& tasks = is_slow ? slow_ : tasks_;
  while (!tasks.empty()) {
    Task task = std::move(tasks.front());
    tasks.pop_front();
    if (task.kind == Task::Kind::request && task.stream->is_closed_) {
      task.stream->phase_ = Http2Stream::Phase::handled;
      session_.release_if_done(*task.stream);
      continue;
    }
    // A socket has messages to read; its worker ends it.
    if (task.kind == Task::Kind::production && task.stream->is_closed_ && !task.stream->socket_) {
      session_.drop_source(*task.stream);
      continue;
    }
    post();
    if (has_unflushed_ && !is_posted_) {
      session_.flush();
      post();
    }
    return task;
  }
  return {};
}

void StreamTasks::respond_late(Http2Stream& stream) {
  host_.count_late();
  session_.reject(stream, {503, "the server is overloaded: try again later"});
}

void StreamTasks::reject(TaskEvent event) {
  // The event may have been posted up to two intervals of the poller before.
  const auto most = event != TaskEvent::none ? longest_wait() : 0;
  {
    SessionLock lock(session_);
    note_event(event);
  }
  while (const auto late = take_waiting(most)) respond_late(*late);
  SessionLock lock(session_);
  post();
  session_.flush();
}

void StreamTasks::reject_late() {
  {
    SessionLock lock(session_);
    const bool is_limited = session_.context().options.queue_timeout.count() > 0;
    if (tasks_.empty() || workers_ < max_workers_ || !is_limited) return;
  }
  while (const auto late = take_waiting(longest_wait())) respond_late(*late);
}

/// Takes a request that has waited for so many milliseconds. Null if there is none.
std::shared_ptr<Http2Stream> StreamTasks::take_waiting(std::int64_t least) {
  SessionLock lock(session_);
  const auto now = coarse_now();
  const auto found = std::ranges::find_if(tasks_, [&](const Task& task) {
    return task.kind == Task::Kind::request && now - task.stream->queued_at_ >= least;
  });
  if (found == tasks_.end()) return nullptr;
  auto late = std::move(found->stream);
  tasks_.erase(found);
  late->phase_ = Http2Stream::Phase::handled;
  session_.release_if_done(*late);
  return late;
}

void StreamTasks::request_production(Http2Stream& stream) {
  auto& output = stream.output_;
  if (output.is_producing || !output.source || stream.is_closed_) return;
  const auto state = output.source->state();
  if (state != ResponseStream::State::more && state != ResponseStream::State::waiting) return;
  // The source is used after the handler has returned: see `Http2Session::leave_handler`.
  if (stream.is_in_handler_ && stream.worker_ == std::this_thread::get_id()) return;
  output.is_producing = true;
  output.requested_at = coarse_now();
  add(output.production_time.is_slow() ? slow_ : tasks_, stream.shared_from_this(),
      Task::Kind::production);
  if (t_running != this || t_is_handling) post();
}

/// Reads what the client of a socket has sent. Returns whether the next part may be produced,
/// unlike while the client has not accepted the last one.
bool StreamTasks::read_socket(Http2Stream& stream, Http2Socket& socket) {
  auto& output = stream.output_;
  std::string bytes;
  bool has_unsent = false;
  bool is_last = false;
  {
    SessionLock lock(session_);
    output.is_woken = false;
    if (stream.is_closed_) return true;  // nobody waits for what its client has sent
    has_unsent = !output.content.empty();
    is_last = stream.has_ended_;
    bytes = session_.take_input(lock, stream);
  }
  std::string_view rest = bytes;
  socket.receive(rest);
  if (is_last && rest.empty()) socket.end_input();
  socket.check(session_.connection(), has_unsent);
  SessionLock lock(session_);
  session_.note_input(lock, stream, bytes.size() - rest.size(), rest);
  if (rest.size() < bytes.size() || is_last) add_messages(stream);
  if (!has_unsent || socket.is_broken() || stream.is_closed_) return true;
  output.is_producing = false;
  // What was sent or received meanwhile found that the source was in use.
  if (output.content.empty() || output.is_woken) request_production(stream);
  return false;
}

void StreamTasks::produce(const std::shared_ptr<Http2Stream>& stream) {
  auto& output = stream->output_;
  const std::shared_ptr<Http2Socket> socket = stream->socket_;
  if (socket && !read_socket(*stream, *socket)) return;
  const auto begin = coarse_now();
  // Only this worker uses the source.
  PushedBody* const pushed = output.source->pushed();
  const bool is_stopping = session_.context().stopping.load(std::memory_order_acquire);
  if (pushed != nullptr && is_stopping) pushed->stop();
  const bool has_waited = output.source->state() == ResponseStream::State::waiting;
  std::string_view bytes = output.source->next();
  SessionLock lock(session_);
  const bool is_waiting = output.source->state() == ResponseStream::State::waiting;
  const bool is_silent = std::exchange(output.needs_heartbeat, false);
  if (is_waiting && is_silent) bytes = output.source->heartbeat();
  const auto now = coarse_now();
  if (has_waited || is_waiting) {
    output.progress.note_waited(!bytes.empty(), now);
    output.production_time.restart();
  } else {
    output.progress.note_produced(output.requested_at, now);
    output.production_time.add(now - begin);
  }
  output.is_producing = false;
  session_.send_produced(lock, *stream, bytes);
}

/// Milliseconds from which on a request is late, as the poller measures it.
std::int64_t StreamTasks::longest_wait() const {
  const auto& context = session_.context();
  return (context.options.queue_timeout - 2 * context.poller.gather_interval()).count();
}

}  // namespace fw::http
