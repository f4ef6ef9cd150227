// HTTP/2 on a connection of the epoll engine (RFC 9113): the boundary to the library.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "http/adapter.hpp"
#include "http/epoll/event_batch.hpp"

namespace fw::http {

class Connection;
class Deadline;
class InputBuffer;
class TransferMeter;
class Transport;

/// What the streams of a connection use of the adapter. Only called by its workers and its monitor.
class StreamHost {
 public:
  virtual ~StreamHost() = default;
  /// Runs the handler. It may not have responded.
  virtual void run_handler(const std::shared_ptr<Transaction>& transaction) noexcept = 0;
  /// A response of the adapter. Throws std::bad_alloc.
  virtual std::pair<ResponseHead, std::string> render(const RequestError& error) = 0;
  /// A request that has waited for a worker for too long was rejected.
  virtual void count_late() noexcept = 0;
};

/// The state of a connection that HTTP/2 uses, and its owner changes.
struct ConnectionParts {
  Connection& connection;
  Transport& transport;
  InputBuffer& input;
  Deadline& deadline;
  TransferMeter& transfer;
};

/// The streams of a connection are requests that are handled in parallel: the connection is owned
/// by the worker that receives, which releases it before the handlers run. They are tasks of the
/// connection, which any worker takes; so is producing the next part of a response. Whoever
/// responds also sends, but without waiting. A mutex guards what they share.
class Http2Connection {
 public:
  enum class Progress {
    waiting,
    turn_over,
    ended,  ///< everything was sent, and no more is to be received
  };

  virtual ~Http2Connection() = default;

  /// Called by the owner of the connection: receives and sends what is possible without waiting.
  virtual Progress advance() = 0;
  /// Runs the requests that have been received, up to a limit, after which a task event is posted.
  /// `event`: the one that it is called for.
  virtual void run_tasks(TaskEvent event) = 0;
  /// Leaves them to workers.
  virtual void post_tasks() = 0;
  /// Rejects these requests, because they have waited for a worker for too long, without waiting.
  /// With an event: those that themselves have waited for so long.
  virtual void reject_tasks(TaskEvent event) = 0;
  /// Frees buffered memory, like `Connection::shed`.
  virtual bool shed() = 0;

  // From any thread:

  /// Records that nothing more is received: the connection has failed.
  virtual void note_closed() noexcept = 0;
  /// Ends all streams, because the connection has ended.
  virtual void end() noexcept = 0;
};

/// Null in builds without FAIRWAY_HTTP2; the configuration rejects `server.http2` before.
std::unique_ptr<Http2Connection> make_http2_connection(
    const std::shared_ptr<Connection>& connection, const ConnectionParts& parts, StreamHost& host);

}  // namespace fw::http
