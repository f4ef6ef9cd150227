// HTTP/2 with libnghttp2.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/buffer_budget.hpp"
#include "http/epoll/connection.hpp"
#include "http/http2/frame_budget.hpp"
#include "http/http2/http2_connection.hpp"
#include "http/http2/http2_stream.hpp"

struct nghttp2_session;

namespace fw::http {

class Http2Session;

/// The lock of a session and its streams. When it is released, it runs what must run without it:
/// callbacks of streams that have ended.
class SessionLock {
 public:
  explicit SessionLock(Http2Session& session);
  ~SessionLock() { release(); }
  SessionLock(const SessionLock&) = delete;
  SessionLock& operator=(const SessionLock&) = delete;

  void acquire() { lock_.lock(); }
  void release();
  /// For waiting.
  std::unique_lock<std::mutex>& mutex() { return lock_; }

 private:
  Http2Session& session_;
  std::unique_lock<std::mutex> lock_;
};

/// The session of the library, its streams, and the output. See http2_connection.hpp for what its
/// threads do.
class Http2Session final : public Http2Connection {
 public:
  Http2Session(const std::shared_ptr<Connection>& connection, const ConnectionParts& parts,
               StreamHost& host);
  ~Http2Session() override;

  Progress advance() override;
  void run_tasks(bool has_event) override;
  void reject_tasks(bool has_event) override;
  bool shed() override;
  void note_closed() override;
  void end() noexcept override;

  // For streams. Functions that take a lock must be called with it.

  const ConnectionContext& context() const { return connection_.context(); }
  Connection& connection() { return connection_; }
  /// Sends the head of a response, and its body, which is `body` or what `source` produces.
  void send_response(SessionLock& lock, Http2Stream& stream, const ResponseHead& head,
                     std::optional<std::uint64_t> length, std::string_view body,
                     std::unique_ptr<ResponseStream> source);
  void send_continue(SessionLock& lock, Http2Stream& stream);
  /// Lets the client send so many more bytes of a body, which have been read.
  void consume(SessionLock& lock, Http2Stream& stream, std::size_t size);
  /// Lets the client send more of a large body before the first bytes have been read.
  void enlarge_window(SessionLock& lock, Http2Stream& stream);
  /// Destroys a callback, which may own anything, without the lock.
  void destroy_later(SessionLock& lock, std::function<void()> callback);
  void reset(SessionLock& lock, Http2Stream& stream, std::uint32_t error_code);
  /// The pushed body of a stream has something, or is broken.
  void wake(SessionLock& lock, Http2Stream& stream) noexcept;
  void queue(SessionLock& lock, std::shared_ptr<Http2Stream> stream);
  void post_tasks(SessionLock& lock);
  /// Receives instead of a worker, because all of them may wait for bodies. Without the lock.
  void receive_for_reader();

 private:
  friend class SessionLock;
  friend struct SessionCallbacks;

  enum class Ending {
    no,
    announced,  ///< the client knows that the server stops, but its requests are still handled
    begun,      ///< further requests are ignored
  };

  struct ClosedStream {
    std::int32_t id = 0;
    bool is_reset_here = false;
  };

  /// What must be done without the lock.
  struct Deferred {
    std::vector<std::function<void()>> callbacks;  ///< to call
    std::vector<std::function<void()>> unused;     ///< to destroy
    std::vector<std::unique_ptr<ResponseStream>> sources;
    std::vector<std::shared_ptr<Http2Stream>> streams;
    bool aborts = false;
  };

  // Used by the owner of the connection, without the lock:
  void settle_all();
  void settle(const std::shared_ptr<Http2Stream>& stream);
  bool must_await_body(Http2Stream& stream);
  void reject(Http2Stream& stream, const RequestError& error);

  // Used by workers, without the lock:
  void reject_late(Http2Stream& stream);
  void produce(const std::shared_ptr<Http2Stream>& stream);

  // With the lock:
  std::shared_ptr<Http2Stream> take_task();
  void leave_handler(Http2Stream& stream);
  void receive_frames(std::string_view bytes);
  void request_production(Http2Stream& stream);
  void check_deadlines(std::int64_t now);
  void check_deadline(Http2Stream& stream, std::int64_t now);
  void note_buffers(std::int64_t now);
  void set_deadline(std::int64_t now);
  void note_stop(std::int64_t now);
  void begin_ending();
  void terminate(std::uint32_t error_code);
  void end_for_flood();
  void count_useless_frame();
  void check_is_not_closed(std::int32_t id, bool is_head);
  void find_data_of_closed_streams(std::string_view bytes);
  bool has_ended() const;
  std::int64_t longest_wait() const;
  void post();
  void flush();
  void flush_or_defer();
  bool fill(std::string& bytes);
  bool send(std::string_view bytes, std::size_t& sent);
  void fail();
  void close_stream(Http2Stream& stream, bool is_canceled);
  void release_if_done(Http2Stream& stream);
  void end_body(Http2Stream& stream, std::optional<BodyStatus> failure);
  void discard_body(Http2Stream& stream);

  // With the lock, called by the library:
  void begin_stream(std::int32_t id);
  void add_field(Http2Stream& stream, std::string_view name, std::string_view value);
  void finish_head(Http2Stream& stream, bool has_ended);
  void add_data(Http2Stream& stream, std::string_view data);
  void note_end_sent(Http2Stream& stream);

  Connection& connection_;
  const std::weak_ptr<Connection> shared_connection_;
  const ConnectionParts parts_;
  StreamHost& host_;
  const std::int64_t check_interval_;

  std::mutex mutex_;  ///< guards the following members, and the streams
  nghttp2_session* session_ = nullptr;
  std::unordered_map<std::int32_t, std::shared_ptr<Http2Stream>> streams_;
  std::int32_t last_stream_ = 0;
  std::array<ClosedStream, 32> closed_;  ///< the last ones
  std::size_t next_closed_ = 0;
  std::int32_t last_reset_ = 0;       ///< by the client
  std::size_t frame_rest_ = 24;       ///< bytes until the next frame; at first, of the preface
  std::array<char, 9> frame_head_{};  ///< being received
  std::size_t frame_head_size_ = 0;
  std::size_t requests_ = 0;  ///< so far
  std::size_t active_ = 0;    ///< streams that are open, or were canceled and are still handled
  std::vector<std::shared_ptr<Http2Stream>> arrived_;  ///< to be settled by the owner
  std::deque<std::shared_ptr<Http2Stream>> tasks_;
  bool is_posted_ = false;      ///< an event for the tasks
  bool has_unflushed_ = false;  ///< the event, or the worker that runs tasks, sends it
  Deferred deferred_;

  std::string rest_;  ///< of frames that the socket has not accepted
  std::size_t rest_begin_ = 0;
  BufferBudget::Share rest_share_;
  std::string* filled_ = nullptr;  ///< while the library writes frames
  bool is_output_watched_ = false;
  std::int64_t rest_since_ = 0;
  std::uint64_t rest_sent_ = 0;
  std::int64_t sent_at_ = 0;  ///< when the socket last accepted something
  std::uint64_t transferred_ = 0;
  std::int64_t buffered_since_ = 0;  ///< much is in memory; 0: little
  std::uint64_t buffered_from_ = 0;  ///< the value of `transferred_` then

  std::int64_t idle_until_;
  std::int64_t head_since_ = 0;  ///< the beginning of a head that is not complete; 0: none
  std::size_t continuations_ = 0;
  std::int64_t stop_noted_at_ = 0;
  Ending ending_ = Ending::no;
  std::int64_t ending_at_ = 0;  ///< when it begins, once it is announced
  EventBudget resets_;
  EventBudget frames_;
  bool peer_has_closed_ = false;
  bool is_over_ = false;     ///< no more is received
  bool has_failed_ = false;  ///< the connection has ended, or is about to
};

}  // namespace fw::http
