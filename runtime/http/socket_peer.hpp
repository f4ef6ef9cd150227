// The interface between a connection that has become a socket, and the application.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/buffer_budget.hpp"

namespace fw::http {

/// What a peer may ask of its connection. Thread-safe.
class SocketWaker {
 public:
  virtual ~SocketWaker() = default;
  /// Lets a worker look at the peer: there is something to take or to close, or room to receive.
  virtual void wake_socket() noexcept = 0;
  /// Sends what there is to take on the calling thread, without waiting, if no other thread uses
  /// the connection; that one does otherwise.
  virtual void flush_socket() noexcept = 0;
  /// Lets a worker call `run`.
  virtual void post_messages() noexcept = 0;
};

/// The close that the application has asked for.
struct SocketClose {
  int code = 0;  ///< 0: none
  std::string reason = {};
};

/// The application's side of a socket. Its queues are bounded. The functions until `end` are called
/// by the owner of the connection.
class SocketPeer {
 public:
  virtual ~SocketPeer() = default;

  /// The largest message of the client.
  virtual std::size_t max_message() const noexcept = 0;
  /// Whether permessage-deflate was agreed on.
  virtual bool is_compressed() const noexcept = 0;
  /// After which silence the client gets a ping; after the same time without a response, it is
  /// gone.
  virtual std::chrono::milliseconds heartbeat() const noexcept = 0;

  /// Called once, before anything else. What waits in the queues counts for the budget.
  virtual void begin(std::weak_ptr<SocketWaker> waker,
                     std::shared_ptr<BufferBudget> budget) noexcept = 0;

  /// Whether another message may be received. If not, the waker is called when it may.
  virtual bool has_room() noexcept = 0;
  /// Returns false if the budget does not allow it. May throw std::bad_alloc.
  [[nodiscard]] virtual bool receive(std::string message, bool is_text) = 0;

  /// Appends the next frames, about 16 KB at most unless a single one is larger. The client has
  /// accepted everything before. Returns false if there was none; the waker is then called when
  /// there is one, or `closing` has changed.
  virtual bool take(std::string& frames) = 0;
  /// The client accepts nothing more at the moment. Returns false if it has read so slowly that it
  /// must be disconnected; if that happens later, the waker is called.
  [[nodiscard]] virtual bool may_wait() noexcept = 0;
  /// Frees what waits for the client, which gets nothing more.
  virtual void discard() noexcept = 0;
  /// Memory of what waits for the client. The waker is called when much begins to wait.
  virtual std::size_t waiting() const noexcept = 0;
  /// What is to be sent after everything that `take` returns.
  virtual SocketClose closing() noexcept = 0;
  /// The server stops: the socket should close. May be called repeatedly.
  virtual void stop() noexcept = 0;
  /// The socket has ended, with the code and reason of the side that closed first. Later calls have
  /// no effect.
  virtual void end(int code, std::string_view reason, bool by_client) noexcept = 0;

  /// Runs the handlers of received messages, unless another thread does, and after the last one
  /// what the application does at the end. Up to a limit, after which `post_messages` is called.
  /// `drops_messages`: only the end. On any worker, which need not own the connection.
  virtual void run(bool drops_messages) noexcept = 0;
};

}  // namespace fw::http
