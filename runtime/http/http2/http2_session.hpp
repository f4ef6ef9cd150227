// HTTP/2 with libnghttp2.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <nghttp2/nghttp2.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/waiting_for_memory.hpp"
#include "http/epoll/connection.hpp"
#include "http/epoll/http2_connection.hpp"
#include "http/http2/closed_streams.hpp"
#include "http/http2/flood_bounds.hpp"
#include "http/http2/frame_output.hpp"
#include "http/http2/frame_scanner.hpp"
#include "http/http2/http2_stream.hpp"
#include "http/http2/session_deadlines.hpp"
#include "http/http2/session_ending.hpp"
#include "http/http2/session_memory.hpp"
#include "http/http2/stream_tasks.hpp"

struct nghttp2_session;

namespace fw::http {

class Http2Session;

/// The lock of a session and its streams. When it is released, it runs what must run without it:
/// callbacks of streams that have ended. A StreamLock leaves that to a worker, and so does any lock
/// of a thread that handles a request or receives for one.
class SessionLock {
 public:
  explicit SessionLock(Http2Session& session) : SessionLock(session, false) {}
  ~SessionLock() { release(); }
  SessionLock(const SessionLock&) = delete;
  SessionLock& operator=(const SessionLock&) = delete;

  void acquire() { lock_.lock(); }
  void release();
  /// For waiting.
  std::unique_lock<std::mutex>& mutex() { return lock_; }

 protected:
  SessionLock(Http2Session& session, bool is_of_application);

 private:
  void leave_to_worker();

  Http2Session& session_;
  std::unique_lock<std::mutex> lock_;
  const bool is_of_application_;
};

/// The lock of threads that respond, send and wake, whoever they are. They may have locks that the
/// callbacks of other requests need: of a topic, for example.
class StreamLock : public SessionLock {
 public:
  explicit StreamLock(Http2Session& session) : SessionLock(session, true) {}
};

/// The session of the library, its streams, and the output. See http2_connection.hpp for what its
/// threads do.
class Http2Session final : public Http2Connection {
 public:
  Http2Session(const std::shared_ptr<Connection>& connection, const ConnectionParts& parts,
               StreamHost& host);
  ~Http2Session() override;

  Progress advance() override;
  void run_tasks(TaskEvent event) override;
  void post_tasks() override;
  void reject_tasks(TaskEvent event) override;
  bool shed() override;
  void note_closed() noexcept override;
  void end() noexcept override;

  // For streams. Functions that take a lock must be called with it.

  const ConnectionContext& context() const { return connection_.context(); }
  Connection& connection() { return connection_; }
  /// Sends the head of a response, and its body, which is `body` or what `source` produces. Takes
  /// the source unless the stream has been closed.
  void send_response(SessionLock& lock, Http2Stream& stream, const ResponseHead& head,
                     std::optional<std::uint64_t> length, std::string_view body,
                     std::unique_ptr<ResponseStream>& source);
  void send_continue(SessionLock& lock, Http2Stream& stream);
  /// Lets the client send so many more bytes of a body, which have been read.
  void consume(SessionLock& lock, Http2Stream& stream, std::size_t size);
  /// Lets the client send more of a large body before the first bytes have been read.
  void enlarge_window(SessionLock& lock, Http2Stream& stream);
  void reset(SessionLock& lock, Http2Stream& stream, std::uint32_t error_code);
  /// Runs the handler, because the request has been prepared.
  void resume(SessionLock& lock, std::shared_ptr<Http2Stream> stream);
  /// The pushed body of a stream has something, or is broken.
  void wake(SessionLock& lock, Http2Stream& stream) noexcept;
  /// Receives instead of a worker, because all of them may wait for bodies. Without the lock.
  void receive_for_reader();

  // For tasks, with the lock unless another rule is given:

  /// Responds with an error. Without the lock.
  void reject(Http2Stream& stream, const RequestError& error);
  void leave_handler(Http2Stream& stream);
  void send_produced(SessionLock& lock, Http2Stream& stream, std::string_view bytes);
  /// Takes the bytes that a client has sent to a socket.
  std::string take_input(SessionLock& lock, Http2Stream& stream);
  /// The first `used` bytes of them have been read; `rest` follows.
  void note_input(SessionLock& lock, Http2Stream& stream, std::size_t used, std::string_view rest);
  void post_messages(SessionLock& lock, Http2Stream& stream);
  /// The client sends nothing more to a socket that it has not closed.
  void note_disconnect(SessionLock& lock, Http2Stream& stream);
  void release_if_done(Http2Stream& stream);
  void drop_source(Http2Stream& stream);
  void flush();

 private:
  friend class SessionDeadlines;
  friend class SessionLock;
  friend struct SessionCallbacks;

  struct LibraryDelete {
    void operator()(nghttp2_session* library) const;
  };

  /// What must be done without the lock.
  struct Deferred {
    std::vector<DisconnectCallback> callbacks;  ///< to call
    std::vector<DisconnectCallback> unused;     ///< to destroy
    std::vector<std::unique_ptr<ResponseStream>> sources;
    std::vector<std::shared_ptr<Http2Stream>> streams;
    bool aborts = false;

    bool is_empty() const {
      return callbacks.empty() && unused.empty() && sources.empty() && streams.empty() && !aborts;
    }
    void call(DisconnectCallback callback) noexcept { add(callbacks, callback); }
    void destroy(DisconnectCallback callback) noexcept { add(unused, callback); }
    void destroy(std::unique_ptr<ResponseStream> source) noexcept { add(sources, source); }
    void destroy(std::shared_ptr<Http2Stream> stream) noexcept { add(streams, stream); }

   private:
    /// Waits for memory if necessary, because a lost callback may leave a request without its end.
    template <class Item>
    static void add(std::vector<Item>& items, Item& item) noexcept {
      base::wait_for_memory([&] { items.push_back(std::move(item)); });
    }
  };

  /// Runs on another thread what it is given, which can be done without memory.
  struct Handover {
    std::shared_ptr<Deferred> deferred;
    DisconnectCallback call;
  };
  static std::optional<Handover> prepare_handover() noexcept;

  // Used by the owner of the connection, without the lock:
  void settle_all();
  void settle(const std::shared_ptr<Http2Stream>& stream);
  bool must_await_body(Http2Stream& stream);

  // With the lock:
  void receive_frames(std::string_view bytes);
  void drop_head(Http2Stream& stream);
  void submit_reset(Http2Stream& stream, std::uint32_t error_code);
  void terminate_for(std::optional<std::uint32_t> error_code);
  void end_for_flood(Flood kind);
  void count_useless_frame();
  void count_reset();
  bool has_ended() const;
  void flush_or_defer();
  void note_blocked();
  void fail();
  void cancel_incomplete(SessionLock& lock);
  void close_stream(Http2Stream& stream, bool is_canceled);
  void defer_disconnect(Http2Stream& stream);
  void end_body(Http2Stream& stream, std::optional<BodyStatus> failure);
  void wake_for_input(Http2Stream& stream);
  void discard_body(Http2Stream& stream);

  // With the lock, called by the library:
  void begin_stream(std::int32_t id);
  void finish_head(Http2Stream& stream, bool has_ended);
  void add_data(Http2Stream& stream, std::string_view data);
  void note_end_sent(Http2Stream& stream);

  Connection& connection_;
  const std::weak_ptr<Connection> shared_connection_;
  const ConnectionParts parts_;
  StreamHost& host_;

  std::mutex mutex_;  ///< guards the following members, and the streams
  const std::unique_ptr<nghttp2_session, LibraryDelete> library_;
  nghttp2_session* const session_;
  Http2Streams streams_;
  FrameScanner frames_;
  ClosedStreams closed_;
  std::size_t requests_ = 0;  ///< so far
  std::size_t active_ = 0;    ///< streams that are open, or were canceled and are still handled
  std::vector<std::shared_ptr<Http2Stream>> arrived_;  ///< to be settled by the owner
  StreamTasks tasks_;
  FrameOutput output_;
  bool watches_output_ = false;
  std::vector<std::int32_t> pushing_;  ///< streams that have got a part of a pushed body
  FloodBounds bounds_;
  SessionEnding ending_;
  SessionMemory memory_;
  SessionDeadlines deadlines_;
  Deferred deferred_;

  bool has_settings_ = false;        ///< of the client
  bool has_new_priorities_ = false;  ///< the library follows RFC 9218, not RFC 7540
  bool peer_has_closed_ = false;
  bool is_end_noted_ = false;  ///< the owner has been woken for it
  bool has_failed_ = false;    ///< the connection has ended, or is about to
};

// session_callbacks.cpp: What libnghttp2 calls for the frames of a connection.

/// The functions of an Http2Session, which the library must get as its user data.
const nghttp2_session_callbacks* session_callbacks();

/// The body of the response of a stream.
nghttp2_data_provider output_of(Http2Stream& stream);

}  // namespace fw::http
