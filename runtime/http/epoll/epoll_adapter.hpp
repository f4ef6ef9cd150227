// The default adapter, see make_epoll_adapter.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "http/adapter.hpp"
#include "http/epoll/acceptor.hpp"
#include "http/epoll/connection_table.hpp"
#include "http/epoll/handshake_queue.hpp"
#include "http/epoll/http_transaction.hpp"
#include "http/epoll/sweeper.hpp"
#include "http/epoll/worker_pool.hpp"

namespace fw::http {

class EpollAdapter final : public Adapter, private StreamHost {
 public:
  EpollAdapter() = default;
  EpollAdapter(const EpollAdapter&) = delete;
  EpollAdapter& operator=(const EpollAdapter&) = delete;
  ~EpollAdapter() override;

  void start(AdapterOptions options, TransactionHandler handler, ErrorRenderer error) override;
  bool has_sockets() const override { return true; }
  std::uint16_t port() const override { return acceptor_ ? acceptor_->port() : std::uint16_t{0}; }
  std::optional<AdapterFigures> figures() const override;
  void wait_until_readable(int descriptor) override;
  bool stop(std::chrono::milliseconds grace) override;

 private:
  /// What a thread does for the requests of a connection.
  enum class Purpose {
    all,      ///< runs their handlers
    receive,  ///< the monitor, which must not wait: leaves them to workers
    reject,   ///< they have waited for a worker for too long
  };

  void run_handler(const std::shared_ptr<Transaction>& transaction) noexcept override;
  std::pair<ResponseHead, std::string> render(const RequestError& error) override {
    return render_error_(error.status, error.message);
  }
  void count_late() noexcept override { sweeper_->count_late(); }

  /// `is_monitor`: the thread must neither run handlers nor wait.
  void handle(const Poller::Event& event, bool is_monitor);
  void relieve();
  void admit(AcceptedSocket socket);
  /// Processes a connection that this worker owns until it waits, its turn is over, or another
  /// thread owns it. If it is late, its request is rejected.
  void run(const std::shared_ptr<Connection>& connection, Purpose purpose,
           std::int64_t posted_at = 0);
  /// One step of `run`; returns false if this worker no longer owns the connection.
  bool step(const std::shared_ptr<Connection>& connection, Purpose purpose);
  void run_messages(SocketPeer* peer) noexcept;
  void end(const Connection& connection);
  /// Handles the requests that a connection with HTTP/2 has received, or rejects them, after it was
  /// released. `event`: see `Http2Connection`.
  void run_tasks(Connection& connection, Purpose purpose, TaskEvent event) noexcept;
  /// Continues the handshake of TLS; returns false if the connection waits for its turn.
  bool shake_hands(const std::shared_ptr<Connection>& connection, std::uint32_t& events,
                   Connection::Progress& progress, RequestError& error);
  void admit_handshakes();
  void close_unfinished(std::uint64_t id);
  void erase(const Connection& connection);
  /// Returns false if this worker no longer owns the connection, or the next request can begin.
  bool begin_request(const std::shared_ptr<Connection>& connection);
  bool prepare(const std::shared_ptr<Connection>& connection, ReadyRequest&& request);
  bool run_request(const std::shared_ptr<Connection>& connection, ReadyRequest&& request);
  template <class SharedTransaction, class Abort>
  void call_handler(const SharedTransaction& transaction, const Abort& abort);
  void reject_late(Connection& connection, bool is_head);
  void send_error(Connection& connection, const RequestError& error, bool is_head = false);
  void sweep(std::size_t busy);
  bool is_finished();
  void close_everything();

  std::shared_ptr<ConnectionContext> context_;
  TransactionHandler handler_;
  ErrorRenderer render_error_;
  ConnectionTable connections_;
  std::optional<HandshakeQueue> handshakes_;  ///< only with TLS
  std::atomic<std::uint64_t> next_id_{Poller::kFirstConnection};

  std::optional<Acceptor> acceptor_;
  std::optional<Sweeper> sweeper_;

  std::mutex stop_mutex_;
  bool has_finished_ = false;  ///< `stop` has completed
  /// At the end of a stop, connections of which others were the owners.
  std::vector<std::shared_ptr<Connection>> cut_off_;
  std::optional<WorkerPool> pool_;  ///< last, because its workers use all other members
};

}  // namespace fw::http
