// One client connection: its socket, unread input, unsent output, and its state.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/adapter.hpp"
#include "http/body_decoder.hpp"
#include "http/buffer_budget.hpp"
#include "http/connection_budget.hpp"
#include "http/epoll/callback_threads.hpp"
#include "http/epoll/connection_lease.hpp"
#include "http/epoll/disconnect_watch.hpp"
#include "http/epoll/http2_connection.hpp"
#include "http/epoll/input_buffer.hpp"
#include "http/epoll/poller.hpp"
#include "http/epoll/sweep_state.hpp"
#include "http/epoll/turn.hpp"
#include "http/epoll/worker_count.hpp"
#include "http/http1/head_scanner.hpp"
#include "http/http1/output_queue.hpp"
#include "http/http1/pending_request.hpp"
#include "http/socket.hpp"
#include "http/transport.hpp"
#include "http/websocket/socket_session.hpp"

namespace fw::http {

/// State shared by the connections of one adapter. Transactions that outlive the adapter
/// keep this state alive.
struct ConnectionContext {
  explicit ConnectionContext(AdapterOptions adapter_options)
      : options(std::move(adapter_options)),
        budget(options.max_connections, options.max_connections_per_address),
        shared_buffers(options.buffers
                           ? options.buffers
                           : std::make_shared<BufferBudget>(options.max_buffered_bytes)),
        buffers(*shared_buffers),
        poller(options.queue_timeout),
        waiting_handlers(options.max_workers) {}

  const AdapterOptions options;
  ConnectionBudget budget;
  const std::shared_ptr<BufferBudget> shared_buffers;
  BufferBudget& buffers;
  Poller poller;
  ReplacedWorkers waiting_handlers;
  CallbackThreads callbacks;
  std::atomic<bool> stopping{false};
  std::atomic<bool> closed{false};  ///< workers no longer process connections
  /// Connections that were closed because of a flood, by its kind.
  std::array<std::atomic<std::uint64_t>, kFloods> floods{};
  /// How often a client could not be accepted, and the last error; not reported yet.
  std::atomic<std::size_t> failed_accepts{0};
  std::atomic<int> accept_error{0};

  void note_failed_accept(int error) noexcept {
    accept_error.store(error);
    failed_accepts.fetch_add(1);
  }
  FloodCounts flood_counts() const noexcept {
    FloodCounts counts{};
    for (std::size_t i = 0; i < kFloods; ++i) counts[i] = floods[i].load(std::memory_order_relaxed);
    return counts;
  }
};

/// Owned by one thread or one transaction at a time, as connection_lease.hpp describes. Only the
/// functions after "From any thread" may be called by others.
class Connection : public WaitingRequest, public BodyWaker, public SocketWaker {
 public:
  /// What to do after a response.
  enum class NextAction {
    next_request,
    drain_body,  ///< discard the rest of a small unread body, then read the next request
    linger,      ///< keep reading before closing, so that the client receives the response
    close,
  };

  enum class Progress {
    waiting,
    head_complete,
    body_received,
    prepared,
    turn_over,  ///< there is more to do after other connections: see `yield`
    streams,    ///< of HTTP/2: it waits, and there may be tasks
    streams_turn_over,
    error,
    closed,
  };

  Connection(std::shared_ptr<ConnectionContext> context, std::uint64_t id, AcceptedSocket socket,
             ConnectionBudget::Admission admission);

  /// While the server is stopping: time for the rest of a head, and maximum pause in a body.
  static constexpr std::chrono::milliseconds kStopPause{1000};

  /// Called by a worker that begins to handle the connection, because of an event that was posted
  /// at this time; 0: it was not.
  void begin_turn(std::int64_t posted_at) {
    turn_.begin(std::exchange(has_left_queue_, false));
    posted_at_ = posted_at;
  }
  /// How long the next request has waited for this turn.
  std::chrono::milliseconds take_wait() {
    const std::int64_t since = std::exchange(posted_at_, 0);
    return std::chrono::milliseconds(since != 0 ? coarse_now() - since : 0);
  }
  /// Makes as much progress as possible, up to the next complete request head, the end of the
  /// awaited body or preparation, or the end of the turn. Does not wait for the client; the source
  /// of a streamed response may block.
  Progress advance(RequestError& error);

  /// The bytes of the complete head.
  std::string_view head() const;
  /// Speaks HTTP/2 from now on, if the head is its preface and the client may use it here.
  bool begin_http2(const std::shared_ptr<Connection>& self, StreamHost& host);
  /// Whether the client has chosen HTTP/2 in the handshake of TLS.
  bool has_agreed_on_http2() const { return transport_.has_agreed_on_http2(); }
  /// Whether the head is a request of neither HTTP/1.1 nor HTTP/2, where both are spoken. A client
  /// of HTTP/2 would not understand a response.
  bool begins_with_neither() const;
  /// Rejects the connection when its first bytes show in which protocol the client understands the
  /// error; before its first event.
  void reject_early(const RequestError& error);
  /// Discards the head, and clears its deadline.
  void begin_request();
  /// Receives the body before the request is handled.
  void await_body(std::unique_ptr<PendingRequest> request);
  /// The request whose body was awaited.
  std::unique_ptr<PendingRequest> take_pending() { return std::move(pending_); }
  /// Must be called before `RequestPlan::prepare`.
  void begin_preparation() { is_prepared_.store(false, std::memory_order_relaxed); }
  /// Waits for `resume` before the request is handled.
  void await_preparation(std::unique_ptr<ReadyRequest> request);
  /// The request that was prepared.
  std::unique_ptr<ReadyRequest> take_prepared() { return std::move(preparing_); }
  /// The time, on the clock of `coarse_now`, by which more of the body must arrive, if `received`
  /// bytes have arrived since `since`.
  std::int64_t body_deadline(std::int64_t since, std::uint64_t received) const;
  /// Whether the handshake of TLS is not complete, so that `advance` may compute for long.
  bool is_in_handshake() const { return !is_established_; }
  /// Whether the server has computed a part of it. A client that sends no more may complete it
  /// then, and have sent its request already. Thread-safe.
  bool has_begun_handshake() const { return has_begun_handshake_.load(); }
  void note_handshake() { has_begun_handshake_.store(true); }
  bool has_lost_client() const { return disconnect_.peer_closed(); }
  bool is_broken() const { return disconnect_.broken(); }
  /// Whether `advance` may wait for the source of a stream, or run handlers of a socket.
  bool has_stream() const { return output_.has_stream() || socket_; }
  /// Whether this is the last request allowed on this connection.
  bool has_reached_limit() const;
  /// Ends the exchange after the response was sent or queued.
  void end_exchange(NextAction after, std::optional<BodyDecoder> rest_of_body = std::nullopt);

  /// Input that has not been consumed.
  std::string_view input() const { return input_.bytes(); }
  void consume_input(std::size_t size) {
    turn_.note_input(size);
    input_.consume(size);
  }
  /// Appends the available bytes of the socket to `input`.
  IoStatus receive_input() { return receive_at_most(InputBuffer::kReceiveSize); }

  /// Sends all bytes without blocking. Returns false if the connection is closed, or if the socket
  /// buffer has no room for all of them; the connection is then reset if a part has been sent.
  bool send_at_once(std::string_view bytes);
  /// Sends without blocking. Unless all is sent, the rest must follow, or the connection be reset
  /// if `must_send_rest`.
  IoStatus send_some(std::string_view bytes, std::size_t& sent);
  bool must_send_rest(std::size_t sent) const { return sent > 0 || transport_.has_begun_to_send(); }
  /// Sends without blocking and queues the rest. Resets the connection if there is no memory for
  /// the queue.
  void send_or_queue(std::string_view first, std::string_view second);
  /// Queues a stream, which is sent after the exchange has ended, as fast as the client receives
  /// it.
  void queue_stream(std::unique_ptr<ResponseStream> stream) {
    output_.set_stream(std::move(stream));
  }
  /// Becomes a socket after what has been sent and queued.
  void begin_socket(std::shared_ptr<SocketPeer> peer);
  /// Null until `begin_socket`; the same from then on, as long as the connection.
  SocketPeer* socket() const { return socket_ ? &socket_->session.peer() : nullptr; }
  /// Resets the connection, so that a client cannot mistake this for the end of a body.
  void abort();
  /// Closes the connection at once.
  void close();
  /// Frees buffered memory: rejects the request whose body is being received, or the message of a
  /// socket, or cuts off the response. Returns false if nothing is buffered.
  bool shed();

  /// Returns the number of events since the connection was last free. The owner calls it before it
  /// handles them.
  std::uint32_t read_events();
  /// Releases the connection unless there were events since `read_events` returned `events`.
  bool release(std::uint32_t events) { return lease_.release(events); }
  /// Releases the connection to any worker. May run the callbacks at the end of a stream or a
  /// socket.
  void post();
  /// Passes the connection on to the worker that takes it from the end of the queue of ready
  /// connections.
  void yield();
  /// Called by that worker.
  void leave_queue() {
    is_queued_.store(false);
    has_left_queue_ = true;
  }
  /// Whether no worker has taken it yet.
  bool is_queued() const { return is_queued_.load(); }

  // From any thread:

  std::uint64_t id() const { return id_; }
  int fd() const { return transport_.fd(); }
  bool is_secure() const { return transport_.is_secure(); }
  std::shared_ptr<const ClientCertificate> client_certificate() const {
    return transport_.client_certificate();
  }
  /// Whether the client sends a request in cleartext where TLS is expected.
  bool is_cleartext_for_tls() const { return transport_.is_cleartext_for_tls(); }
  const std::string& remote_address() const { return remote_address_; }
  const ConnectionContext& context() const { return *context_; }
  BufferBudget& buffers() const { return context_->buffers; }
  /// The same, for an owner that may outlive the adapter.
  const std::shared_ptr<BufferBudget>& shared_buffers() const { return context_->shared_buffers; }
  /// Whether the adapter has ended, likewise.
  std::shared_ptr<const std::atomic<bool>> shared_closed() const {
    return {context_, &context_->closed};
  }
  std::optional<TransferMeter::Reading> transfer(std::int64_t now) const {
    return transfer_.read(now);
  }

  /// Records an event. Returns true if the connection was free; the caller then owns it.
  bool acquire() { return lease_.acquire(); }
  /// The same at the end of a stop. Waits for a thread that is in `flush_socket`, because nobody
  /// would close the connection after it.
  bool acquire_after_flush();
  /// Wakes a worker for the connection.
  void wake() noexcept override { context_->poller.post(id_); }
  /// Wakes a worker for the tasks of HTTP/2.
  void post_task() noexcept { context_->poller.post_task(id_); }
  void post_slow_task() noexcept { context_->poller.post_slow_task(id_); }
  void wake_socket() noexcept override { wake(); }
  void flush_socket() noexcept override;
  void post_messages() noexcept override { post_task(); }
  /// Null until `begin_http2`.
  Http2Connection* http2() const { return active_http2_.load(std::memory_order_acquire); }
  /// Registers for room to send.
  void watch_output() { context_->poller.watch_output(fd(), id_); }
  void count_flood(Flood kind) noexcept {
    context_->floods[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
  }
  /// Runs callbacks of the application, for the monitor on another thread.
  CallbackThreads& callbacks() const { return context_->callbacks; }
  /// See `Transaction::begin_wait`.
  bool begin_handler_wait(std::size_t others) { return context_->waiting_handlers.add(others); }
  void end_handler_wait() { context_->waiting_handlers.remove(); }
  void resume() noexcept override {
    is_prepared_.store(true, std::memory_order_release);
    wake();
  }
  /// Wakes the connection if its deadline has expired.
  void wake_if_expired(std::int64_t now);
  /// Records that the client closed its side, or that the connection failed.
  void note_disconnect(bool broken);
  /// Swaps the disconnect callback with the given one, which may be empty. Returns false without
  /// doing it if the client has already disconnected.
  bool watch_disconnect(DisconnectCallback& callback) { return disconnect_.set_callback(callback); }
  /// Ends the connection so that a client cannot mistake this for the end of a body, and wakes
  /// threads that wait for the socket.
  void force_close();

 private:
  enum class Phase {
    rejecting_early,
    reading_head,
    awaiting_body,
    preparing,
    rejecting,
    sending,
    draining,
    lingering,
    http2,
    socket,
    closed,
  };

  struct ConnectedSocket {
    websocket::SocketSession session;
    BufferBudget::Share share;  ///< of the message that is arriving
  };

  bool may_begin_http2() const;
  std::optional<Progress> send_rejection(RequestError& error);
  IoStatus receive_at_most(std::size_t most);
  Progress read_head(RequestError& error);
  Progress wait_for_head(RequestError& error);
  Progress receive_body(RequestError& error);
  void make_room_for_body(std::size_t size);
  std::optional<Progress> send_response();
  IoStatus flush_output();
  void note_lost_output();
  bool send_next_part();
  bool push_next_part();
  bool drain_body();
  std::optional<Progress> advance_http2();
  std::optional<Progress> advance_socket();
  std::optional<Progress> end_socket(NextAction after);
  IoStatus send_socket();
  void flush_as_owner() noexcept;
  void wait_on_socket();
  bool reject_late_message();
  std::optional<Progress> linger();
  void finish_exchange(NextAction after);
  void transition_to(NextAction after);
  bool is_first_to_notice_stop();

  const std::shared_ptr<ConnectionContext> context_;
  const std::uint64_t id_;
  const ConnectionBudget::Admission admission_;
  Transport transport_;
  const std::string remote_address_;

  ConnectionLease lease_;
  InputBuffer input_;
  OutputQueue output_;
  Deadline deadline_;
  TransferMeter transfer_;
  DisconnectWatch disconnect_;

  Turn turn_;
  std::int64_t posted_at_ = 0;  ///< the event of the turn, until a request has begun in it
  Phase phase_ = Phase::reading_head;
  NextAction after_sending_ = NextAction::next_request;
  std::size_t requests_ = 0;  ///< number of requests so far
  bool stop_is_noted_ = false;
  ProductionTime production_time_;  ///< of the response
  bool has_probed_peer_ = false;    ///< sent a heartbeat because the client has closed its side
  HeadScanner scanner_;
  std::atomic<bool> has_begun_handshake_ = false;
  std::unique_ptr<RequestError> rejection_;
  bool is_established_ = false;  ///< the handshake of TLS is complete, and its deadline replaced
  bool head_has_begun_ = false;
  std::unique_ptr<PendingRequest> pending_;
  std::unique_ptr<ReadyRequest> preparing_;
  std::atomic<bool> is_prepared_{false};
  bool expects_resume_event_ = false;
  std::optional<BodyDecoder> rest_of_body_;
  std::unique_ptr<Http2Connection> http2_;
  std::atomic<Http2Connection*> active_http2_{nullptr};
  std::unique_ptr<ConnectedSocket> socket_;
  std::atomic<bool> is_queued_{false};
  bool has_left_queue_ = false;            ///< since the last turn
  std::atomic<std::uint32_t> flushes_{0};  ///< threads in `flush_socket`
};

}  // namespace fw::http
