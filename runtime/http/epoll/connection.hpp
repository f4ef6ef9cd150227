// One client connection: from which request it reads, whose response it sends, and what it waits
// for.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/adapter.hpp"
#include "http/buffer_budget.hpp"
#include "http/connection_budget.hpp"
#include "http/epoll/body_decoder.hpp"
#include "http/epoll/connection_lease.hpp"
#include "http/epoll/disconnect_watch.hpp"
#include "http/epoll/head_scanner.hpp"
#include "http/epoll/input_buffer.hpp"
#include "http/epoll/output_queue.hpp"
#include "http/epoll/pending_request.hpp"
#include "http/epoll/poller.hpp"
#include "http/epoll/sweep_state.hpp"
#include "http/socket.hpp"

namespace fw::http {

/// What connections of one adapter have in common. Outlives the adapter while there are
/// transactions.
struct ConnectionContext {
  explicit ConnectionContext(AdapterOptions adapter_options)
      : options(std::move(adapter_options)),
        budget(options.max_connections, options.max_connections_per_address),
        buffers(options.max_buffered_bytes) {}

  const AdapterOptions options;
  ConnectionBudget budget;
  BufferBudget buffers;
  Poller poller;
  std::atomic<bool> stopping{false};
  std::atomic<bool> closed{false};  ///< no worker looks at connections any more
};

/// Belongs to one thread at a time, as connection_lease.hpp describes. Only the functions in the
/// second group may be called by others.
class Connection {
 public:
  /// What follows a response.
  enum class After {
    next_request,
    drain_body,  ///< take the rest of a small body that was not read, then the next request
    linger,      ///< close, but first let the client finish sending, so that it sees the response
    close,
  };

  enum class Progress { waiting, head_complete, body_received, error, closed };

  Connection(std::shared_ptr<ConnectionContext> context, std::uint64_t id, AcceptedSocket socket,
             ConnectionBudget::Admission admission);

  /// Goes on as far as it can without waiting, up to the next complete request head or to the end
  /// of the body that is awaited.
  Progress advance(RequestError& error);

  /// The bytes of the complete head.
  std::string_view head() const;
  /// Drops the head; the deadline is lifted until the response is complete.
  void begin_exchange();
  /// Has the body received before the request is handled.
  void await_body(std::unique_ptr<PendingRequest> request);
  /// The request whose body was awaited.
  std::unique_ptr<PendingRequest> take_pending() { return std::move(pending_); }
  /// When the next bytes of a body must have arrived, by `coarse_now`, if `received` bytes have
  /// arrived since the time `since`.
  std::int64_t body_deadline(std::int64_t since, std::uint64_t received) const;
  /// Whether this exchange is the last that one connection may have.
  bool has_reached_limit() const;
  /// The response has been sent, apart from what is queued.
  void end_exchange(After after, std::optional<BodyDecoder> rest_of_body = std::nullopt);

  /// Received and not used yet.
  std::string_view input() const { return input_.bytes(); }
  void consume_input(std::size_t size) { input_.consume(size); }
  /// Appends to `input` what the socket has.
  IoStatus receive_input() { return input_.receive(fd(), disconnect_.peer_closed()); }

  /// Sends all at once, without waiting. False, and nothing sent, if there is no room.
  bool send_at_once(std::string_view bytes);
  /// Sends without waiting; what the socket does not take is sent once it does. Aborts when there
  /// is no memory for that.
  void send_or_queue(std::string_view first, std::string_view second);
  /// What follows, once the exchange has ended, as the client takes it.
  void queue_stream(std::unique_ptr<ResponseStream> stream) {
    output_.set_stream(std::move(stream));
  }
  /// Resets the connection: no client takes that for the end of a body.
  void abort();
  /// Ends the connection at once, when nothing else can be done with it.
  void close();
  /// Drops what waits in memory: a body gets an error response, the client of a response is cut
  /// off. False when there is nothing.
  bool shed();

  /// The events so far, before the owner does what they ask for.
  std::uint32_t look();
  /// Gives the connection back unless there were events since `look` returned `events`.
  bool release(std::uint32_t events) { return lease_.release(events); }
  /// Gives the connection back and has some worker go on with it. May run what a stream has for its
  /// end.
  void post();

  // From any thread:

  std::uint64_t id() const { return id_; }
  int fd() const { return socket_.get(); }
  const std::string& remote_address() const { return remote_address_; }
  const ConnectionContext& context() const { return *context_; }
  BufferBudget& buffers() const { return context_->buffers; }
  std::optional<TransferMeter::Reading> transfer(std::int64_t now) const {
    return transfer_.read(now);
  }

  /// Notes an event. True if the connection was free: it is the caller's now.
  bool acquire() { return lease_.acquire(); }
  /// Has a worker look at the connection.
  void wake() noexcept { context_->poller.post(id_); }
  /// Wakes the connection if what it waits for has not arrived in time.
  void wake_if_expired(std::int64_t now);
  /// Notes that the client has closed its side, or that the connection broke.
  void note_disconnect(bool broken);
  /// Takes what is to be called on disconnect; null removes it. False, and nothing taken, if that
  /// has happened already.
  bool watch_disconnect(std::function<void()>& callback) {
    return disconnect_.set_callback(callback);
  }
  /// Ends both directions at once, which also wakes a thread that waits for the socket. No client
  /// takes that for the end of a body.
  void force_close();

 private:
  enum class Phase { reading_head, awaiting_body, rejecting, sending, draining, lingering, closed };

  Progress read_head(RequestError& error);
  Progress wait_for_head(RequestError& error);
  Progress receive_body(RequestError& error);
  void make_room_for_body(std::size_t size);
  bool send_response();
  IoStatus flush_output();
  bool send_next_part();
  bool drain_body();
  bool linger();
  void finish_exchange(After after);
  void enter(After after);
  bool notes_stop();

  const std::shared_ptr<ConnectionContext> context_;
  const std::uint64_t id_;
  const ConnectionBudget::Admission admission_;
  const FileDescriptor socket_;
  const std::string remote_address_;

  ConnectionLease lease_;
  InputBuffer input_;
  OutputQueue output_;
  Deadline deadline_;
  TransferMeter transfer_;
  DisconnectWatch disconnect_;

  Phase phase_ = Phase::reading_head;
  After after_sending_ = After::next_request;
  std::size_t requests_ = 0;  ///< begun so far
  bool stop_is_noted_ = false;
  HeadScanner scanner_;
  bool head_has_begun_ = false;
  std::unique_ptr<PendingRequest> pending_;
  std::optional<BodyDecoder> rest_of_body_;
};

}  // namespace fw::http
