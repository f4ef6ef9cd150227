// One client connection: its socket, what was received and not yet used, what is still to be sent,
// and what it waits for.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "http/adapter.hpp"
#include "http/buffer_budget.hpp"
#include "http/connection_budget.hpp"
#include "http/epoll/body_decoder.hpp"
#include "http/epoll/head_scanner.hpp"
#include "http/epoll/pending_request.hpp"
#include "http/epoll/poller.hpp"
#include "http/response_stream.hpp"
#include "http/socket.hpp"

namespace fw::http {

/// What connections of one adapter have in common. Outlives the adapter while a transaction that
/// somebody still holds needs it.
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
  std::atomic<bool> closed{false};  ///< nobody looks at connections any more
};

/// Belongs to one thread at a time: whoever `claim`s it, until `release` or `hand_over`. While a
/// request is handled it belongs to the transaction. Only the functions in the second group may be
/// called by others.
class Connection {
 public:
  /// What follows a response.
  enum class After {
    next_request,
    drain_body,  ///< take the rest of a small body that nobody read, then the next request
    linger,      ///< close, but first let the client finish sending, so that it sees the response
    close,
  };

  enum class Progress { waiting, head_complete, body_received, error, closed };

  Connection(std::shared_ptr<ConnectionContext> context, std::uint64_t id, AcceptedSocket socket,
             ConnectionBudget::Place place);

  /// Goes on as far as it can without waiting, up to the next complete request head or to the end
  /// of the body that is awaited.
  Progress advance(RequestError& error);

  /// The bytes of the complete head.
  std::string_view head() const;
  /// Drops the head; the deadline is lifted until the response is complete.
  void begin_exchange();
  /// Has the body received before the request goes on.
  void await_body(std::unique_ptr<PendingRequest> request);
  /// The request whose body was awaited.
  std::unique_ptr<PendingRequest> take_pending() { return std::move(pending_); }
  /// When the next bytes of a body must have come, by `coarse_now`, if so many have come since
  /// `since`.
  std::int64_t body_deadline(std::int64_t since, std::uint64_t received) const;
  /// Whether this exchange is the last that one connection may have.
  bool has_reached_limit() const;
  /// The response has been sent, apart from what `queue_output` was given.
  void end_exchange(After after, std::optional<BodyDecoder> rest_of_body = std::nullopt);

  /// Received and not used yet.
  std::string_view input() const { return std::string_view(input_).substr(input_begin_); }
  void consume_input(std::size_t size);
  /// Appends to `input` what the socket has.
  IoStatus receive_input();

  /// Sends all at once, without waiting. False, and nothing sent, if there is no room.
  bool send_at_once(std::string_view bytes);
  /// Sends without waiting; what the socket does not take is sent once it does. Aborts when there
  /// is no memory for that.
  void send_or_queue(std::string_view first, std::string_view second);
  /// What follows, once the exchange has ended, as the client takes it.
  void queue_stream(std::unique_ptr<ResponseStream> stream);
  /// Resets the connection: no client takes that for the end of a body.
  void abort();

  /// Gives the connection back and has some worker go on with it. May run what a stream has for its
  /// end.
  void hand_over();
  /// Ends the connection at once, when nothing else can be done with it.
  void close();
  /// Drops what waits in memory: a body is refused, the client of a response is cut off. False when
  /// there is nothing.
  bool shed();

  /// Gives the connection back unless there were events since `signals` was read.
  bool release(std::uint32_t signals);
  std::uint32_t signals();

  // From any thread:

  std::uint64_t id() const { return id_; }
  int fd() const { return socket_.get(); }
  const std::string& remote_address() const { return remote_address_; }
  const ConnectionContext& context() const { return *context_; }
  BufferBudget& buffers() const { return context_->buffers; }
  /// The bytes that wait in memory for the client, and how many of the transfer have come or gone
  /// each millisecond. Nothing if these are few, or the transfer has not lasted for a second.
  struct WaitingTransfer {
    std::size_t waiting;
    double pace;
  };
  std::optional<WaitingTransfer> waiting_transfer(std::int64_t now) const;

  /// Notes an event. True if the connection belonged to nobody: it is the caller's now.
  bool claim() { return signals_.fetch_add(1) == 0; }
  /// Notes that the client has closed its side, or that the connection broke.
  void note_disconnect(bool broken);
  /// Takes what is to be called on disconnect; null removes it. False, and nothing taken, if that
  /// has happened already.
  bool watch_disconnect(std::function<void()>& callback);
  /// Has a worker look at the connection.
  void kick() noexcept { context_->poller.post(id_); }
  /// Kicks the connection if what it waits for has not come in time.
  void kick_if_expired(std::int64_t now);
  /// Ends both directions at once, which also wakes whoever waits for the socket. No client takes
  /// that for the end of a body.
  void give_up();

 private:
  enum class Phase { reading_head, awaiting_body, refusing, sending, draining, lingering, closed };

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
  void note_transfer(std::size_t waiting, std::int64_t since, std::uint64_t transferred);
  void set_deadline(std::chrono::milliseconds timeout);
  void set_send_deadline();
  bool is_expired() const;

  const std::shared_ptr<ConnectionContext> context_;
  const std::uint64_t id_;
  const ConnectionBudget::Place place_;
  const FileDescriptor socket_;
  const std::string remote_address_;

  Phase phase_ = Phase::reading_head;
  std::size_t requests_ = 0;  ///< begun so far
  bool stop_is_noted_ = false;
  BufferBudget::Share input_share_;
  BufferBudget::Share output_share_;
  After after_sending_ = After::next_request;
  std::string input_;
  std::size_t input_begin_ = 0;
  HeadScanner scanner_;
  bool head_has_begun_ = false;
  bool may_have_input_ = true;  ///< false: the socket was found empty, its next bytes are an event
  std::string output_;
  std::size_t output_begin_ = 0;
  bool watches_output_ = false;
  std::int64_t output_since_ = 0;  ///< by `coarse_now`, without what it took to make the response
  std::uint64_t output_sent_ = 0;  ///< of this response
  std::unique_ptr<ResponseStream> stream_;
  std::atomic<bool> ends_with_stream_{false};  ///< the end of the connection is that of the stream
  std::optional<BodyDecoder> rest_of_body_;
  std::unique_ptr<PendingRequest> pending_;

  std::uint32_t seen_signals_ = 0;  ///< what `signals` returned last to the one who owns it
  std::atomic<std::uint32_t> signals_{
      0};  ///< events since nobody owned it; 0: it belongs to nobody
  std::atomic<std::int64_t> deadline_{0};  ///< by `coarse_now`; 0: none
  std::atomic<bool> expired_{false};
  std::atomic<std::size_t> waiting_{0};  ///< bytes in memory for the client
  std::atomic<std::int64_t> transfer_since_{0};
  std::atomic<std::uint64_t> transferred_{0};  ///< bytes since then
  std::atomic<bool> peer_closed_{false};
  std::atomic<bool> broken_{false};
  std::mutex mutex_;  ///< of `disconnect_callback_`
  std::function<void()> disconnect_callback_;
};

}  // namespace fw::http
