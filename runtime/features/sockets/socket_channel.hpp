// An open socket: the queues between the application and the connection. It outlives its exchange.
#pragma once

#include <fairway/sockets.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "exchange/cancellation.hpp"
#include "exchange/current.hpp"
#include "exchange/end_reports.hpp"
#include "exchange/outgoing_response.hpp"
#include "features/events/published_bytes.hpp"
#include "features/events/send_queue.hpp"
#include "features/sockets/message_dispatcher.hpp"
#include "features/sockets/socket_policy.hpp"
#include "http/buffer_budget.hpp"
#include "http/socket_peer.hpp"
#include "http/websocket/frames.hpp"

namespace fw::detail {

/// Thread-safe, except where it says otherwise.
class SocketChannel final : public http::SocketPeer,
                            public OpenedChannel,
                            public std::enable_shared_from_this<SocketChannel> {
 public:
  /// Header fields.
  /// @{
  static constexpr std::string_view kAccept = "sec-websocket-accept";
  static constexpr std::string_view kProtocol = "sec-websocket-protocol";
  static constexpr std::string_view kExtensions = "sec-websocket-extensions";
  /// @}

  /// The socket of a response; null for another one.
  static std::shared_ptr<SocketChannel> of(const OutgoingResponse& response) {
    if (response.kind != OutgoingResponse::Kind::socket) return nullptr;
    return std::static_pointer_cast<SocketChannel>(response.opened);
  }

  /// What was agreed on with the client.
  struct Agreement {
    const std::string* protocol = nullptr;  ///< of the policy; null: none
    int deflate_window_bits = 0;            ///< of what is sent; 0: no compression
  };
  /// What was transferred, for the access log.
  struct Totals {
    CloseReason reason;
    std::uint64_t received = 0;  ///< messages
    std::uint64_t sent = 0;      ///< messages
    std::uint64_t bytes = 0;     ///< sent
  };

  /// Throws HttpError 429 if the client, a `client_group`, has too many.
  SocketChannel(std::shared_ptr<const SocketPolicy> policy, Agreement agreement,
                const std::string& client);
  ~SocketChannel() override = default;
  SocketChannel(const SocketChannel&) = delete;
  SocketChannel& operator=(const SocketChannel&) = delete;

  // The application's side; see Socket.

  bool send(std::string_view message, const EncodableData& data);
  bool send(std::string_view message, const Json& data);
  /// Sends a message that others get as well. The arguments are the same for all of them. `Data` is
  /// EncodableData or Json.
  template <class Data>
  bool publish(std::string_view message, const Data& data, PublishedBytes& published);
  bool send_raw(http::websocket::Opcode opcode, std::string_view content);
  void close(int code, std::string_view reason);
  MessageDispatcher& handlers() { return handlers_; }
  void on_close(std::function<void(const CloseReason&)> callback);
  bool is_open() const;
  std::size_t pending() const;
  std::uint64_t dropped() const;
  std::string protocol() const {
    return agreement_.protocol != nullptr ? *agreement_.protocol : std::string();
  }

  // The exchange's side, before the socket is opened:

  void refuse() noexcept override;
  std::span<const std::string_view> own_fields() const noexcept override { return kFields; }
  /// Notifies the handlers of the request until the socket has been closed.
  void keep(std::shared_ptr<Cancellation> cancellation);
  /// Handlers of messages run with this context.
  void set_context(RequestContext context);
  /// Called once at the end, unless the socket is refused.
  void add_report(EndReports<Totals>::Report report);

  // The connection's side:

  std::size_t max_message() const noexcept override { return policy_->max_message; }
  bool is_compressed() const noexcept override { return agreement_.deflate_window_bits != 0; }
  std::chrono::milliseconds heartbeat() const noexcept override { return policy_->heartbeat; }
  void begin(std::weak_ptr<http::SocketWaker> waker,
             std::shared_ptr<http::BufferBudget> budget) noexcept override;
  bool has_room() noexcept override;
  bool receive(std::string message, bool is_text) override;
  bool take(std::string& frames) override;
  bool may_wait() noexcept override;
  void discard() noexcept override;
  std::size_t waiting() const noexcept override;
  http::SocketClose closing() noexcept override;
  void stop() noexcept override;
  void end(int code, std::string_view reason, bool by_client) noexcept override;
  void run(bool drops_messages) noexcept override;

 private:
  using Sent = DeclaredMessages::Sent;

  static constexpr std::string_view kFields[] = {kAccept, kProtocol, kExtensions};

  struct Message {
    std::string content;
    bool is_text;
  };

  const Sent& declared_to_send(std::string_view message) const;
  std::string text_of(const Sent& message, Json data) const;
  std::string text_of(const Sent& message, const EncodableData& data) const;
  [[noreturn]] void throw_violation(const Sent& message, const FieldError& error) const;
  std::string frame_of(http::websocket::Opcode opcode, std::string_view content) const;
  bool send_frame(QueuedBytes frame, const void* key);
  void request_close(int code, std::string_view reason) noexcept;
  void notify(const std::shared_ptr<http::SocketWaker>& waker) const noexcept;

  std::optional<Message> take_message(bool drops_messages, bool& must_wait);
  /// Whether the application has closed the socket: what the client has sent is not handled then.
  bool is_closed_here() const;
  void handle(Message message) noexcept;
  void reject(const MessageDispatcher::Rejection& rejection);
  void finish() noexcept;

  // With the lock:
  bool append(QueuedBytes frame, const void* key);
  void set_close(int code, std::string_view reason);
  bool close_too_slow();
  bool count_memory(std::size_t more = 0) noexcept;
  [[nodiscard]] std::shared_ptr<http::SocketWaker> take_waker();
  bool is_full() const;

  const std::shared_ptr<const SocketPolicy> policy_;
  const Agreement agreement_;
  RequestContext context_;                 ///< constant after `begin`; used if `has_context_`
  std::atomic<std::thread::id> runner_{};  ///< the thread that runs handlers
  mutable std::mutex mutex_;               ///< guards the following members
  MessageDispatcher handlers_;             ///< takes the lock itself
  StreamCounts::Ticket ticket_;
  PushFigures::Open counted_;
  bool has_context_ = false;  ///< likewise constant
  bool has_begun_ = false;
  bool is_waiting_ = false;   ///< the connection must be woken when there is something to send
  bool is_too_slow_ = false;  ///< the queue was full meanwhile
  bool wants_room_ = false;   ///< the connection must be woken when there is room to receive
  bool is_running_ = false;   ///< a thread runs handlers
  bool has_ended_ = false;
  bool is_lost_ = false;       ///< its messages were discarded, and it is about to end
  bool has_finished_ = false;  ///< the callbacks of the end have been taken
  int close_code_ = 0;         ///< of the close that the application has asked for; 0: none
  SendQueue queue_;
  std::list<Message> received_;
  std::size_t received_bytes_ = 0;
  http::BufferBudget::OwningShare share_;  ///< of both queues, from the begin to the end
  Totals totals_;  ///< with the reason once it has ended; until then, the text of that close
  std::weak_ptr<http::SocketWaker> waker_;
  EndReports<CloseReason> callbacks_;
  EndReports<Totals> reports_;
  std::shared_ptr<Cancellation> cancellation_;  ///< null: nobody is notified
};

}  // namespace fw::detail
