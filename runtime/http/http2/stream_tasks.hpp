// What workers do for the streams of a connection: they run handlers, produce the next parts of
// responses, and read and handle the messages of sockets.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "http/epoll/event_batch.hpp"
#include "http/http2/http2_stream.hpp"

namespace fw::http {

class Http2Session;
class StreamHost;

/// Any worker takes the next task. While there are more, an event wakes another one. A connection
/// occupies at most half of the workers, so that there are some for others.
class StreamTasks {
 public:
  StreamTasks(Http2Session& session, StreamHost& host);

  /// Whether a handler of a stream runs on this thread.
  static bool is_handling();
  /// A handler runs, or its thread does something for it that workers also do.
  class Handling {
   public:
    Handling();
    ~Handling();
    Handling(const Handling&) = delete;
    Handling& operator=(const Handling&) = delete;

   private:
    const bool was_handling_;
  };
  /// While callbacks of the application run on this thread, it runs no tasks: what they add needs
  /// an event, because the thread may not look for more.
  class Interruption {
   public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

   private:
    const StreamTasks* const running_;
  };

  // By workers, without the lock of the session; see Http2Connection:
  void run(TaskEvent event);
  void reject(TaskEvent event);
  /// Rejects the requests that have waited for too long while the connection occupied its workers.
  void reject_late();

  // With the lock:

  void add_request(std::shared_ptr<Http2Stream> stream);
  /// Adds the production of the next part of the response, if there is one and it is not produced
  /// already.
  void request_production(Http2Stream& stream);
  /// Adds the handling of messages of a socket.
  void add_messages(Http2Stream& stream);
  /// Wakes a worker, unless the connection has all that it may have.
  void post();
  /// Wakes a worker that continues to send, even if the connection has all workers.
  void post_output();
  bool is_empty() const { return tasks_.empty() && slow_.empty(); }
  /// Whether this thread runs tasks of the session and will run another one, unless another worker
  /// does. It sends their responses together.
  bool will_continue() const;
  /// Whether this thread runs tasks of the session. It takes the lock after each of them.
  bool run_on_this_thread() const;
  /// The event, or the worker that runs tasks, sends what there is.
  void note_unflushed() { has_unflushed_ = true; }
  void note_flushed() { has_unflushed_ = false; }

  struct Task {
    enum class Kind : std::uint8_t { request, production, messages };
    std::shared_ptr<Http2Stream> stream = {};  ///< null: there is no task
    Kind kind = Kind::request;

    explicit operator bool() const { return stream != nullptr; }
  };
  /// The next task of any kind, because the connection has ended.
  Task take_any() noexcept;

 private:
  class Worker;

  static void add(std::deque<Task>& tasks, std::shared_ptr<Http2Stream> stream,
                  Task::Kind kind) noexcept;
  Task take(bool is_slow);
  void note_event(TaskEvent event);
  std::shared_ptr<Http2Stream> take_waiting(std::int64_t least);
  void respond_late(Http2Stream& stream);
  void produce(const std::shared_ptr<Http2Stream>& stream);
  bool read_socket(Http2Stream& stream, Http2Socket& socket);
  std::int64_t longest_wait() const;

  Http2Session& session_;
  StreamHost& host_;
  std::deque<Task> tasks_;
  /// Productions that need time. They have events of their own, so that they come after what other
  /// connections wait for whatever else this one does.
  std::deque<Task> slow_;
  const std::size_t max_workers_;
  std::size_t workers_ = 0;      ///< that run tasks
  bool is_posted_ = false;       ///< an event for `tasks_`
  bool is_slow_posted_ = false;  ///< one for `slow_`
  bool has_unflushed_ = false;
};

}  // namespace fw::http
