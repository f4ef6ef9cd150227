// An open stream of events or lines: the queue between the application, which sends from any
// thread, and the connection, which takes what its client accepts. It outlives its exchange.
#pragma once

#include <fairway/config.hpp>
#include <fairway/events.hpp>
#include <fairway/route_options.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "exchange/cancellation.hpp"
#include "exchange/end_reports.hpp"
#include "exchange/outgoing_response.hpp"
#include "exchange/response_schemas.hpp"
#include "features/events/published_bytes.hpp"
#include "features/events/push_figures.hpp"
#include "features/events/send_queue.hpp"
#include "http/adapter.hpp"

namespace fw::detail {

/// Counts the open streams or sockets of a route by client. Thread-safe.
class StreamCounts {
 public:
  using Clients = std::unordered_map<std::string, std::size_t>;
  /// With its number of open streams.
  using Client = Clients::value_type;

  /// 0: no limit.
  explicit StreamCounts(std::size_t max) : max_(max) {}

  /// An open stream, which counts as long as this exists.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Ticket&& other) noexcept
        : counts_(std::exchange(other.counts_, nullptr)), client_(other.client_) {}
    Ticket& operator=(Ticket&& other) noexcept {
      std::swap(counts_, other.counts_);
      std::swap(client_, other.client_);
      return *this;
    }
    ~Ticket() {
      if (counts_ != nullptr) counts_->leave(*client_);
    }

   private:
    friend class StreamCounts;
    Ticket(StreamCounts& counts, Client& client) : counts_(&counts), client_(&client) {}

    StreamCounts* counts_ = nullptr;  ///< null: nothing counts
    Client* client_ = nullptr;
  };

  /// Counts nothing if there is no limit. Throws HttpError 429 if the client, a `client_group`, has
  /// as many as it may have.
  Ticket enter(const std::string& client);

 private:
  void leave(Client& client) noexcept;

  const std::size_t max_;
  std::mutex mutex_;
  Clients open_;
};

/// How the streams of a route are sent: `events` of its options.
struct StreamPolicy {
  StreamPolicy(std::string route_name, const EventOptions& options, const ServerConfig& server);

  std::string route;  ///< "GET /live", for messages
  QueuePolicy queue;
  std::optional<std::chrono::milliseconds> retry;
  std::chrono::milliseconds heartbeat;
  mutable StreamCounts counts;
  mutable PushFigures figures;
};

/// Thread-safe, except where it says otherwise.
class EventChannel final : public http::PushedBody, public OpenedChannel {
 public:
  /// The field that stops proxies from collecting events.
  static constexpr std::string_view kBuffering = "x-accel-buffering";

  /// The stream of a response; null for another one.
  static std::shared_ptr<EventChannel> of(const OutgoingResponse& response) {
    if (response.kind != OutgoingResponse::Kind::events) return nullptr;
    return std::static_pointer_cast<EventChannel>(response.opened);
  }

  /// Throws HttpError 429 if the client, a `client_group`, has too many.
  EventChannel(std::shared_ptr<const DeclaredStream> declared,
               std::shared_ptr<const StreamPolicy> policy, const std::string& client);
  EventChannel(const EventChannel&) = delete;
  EventChannel& operator=(const EventChannel&) = delete;

  // The application's side; see EventStream.

  /// `Data` is EncodableData or Json.
  template <class Data>
  bool send(std::string_view event, const Data& data, const EventFields& fields);
  template <class Data>
  void keep_last(std::string_view event, const Data& data, const EventFields& fields);
  /// Sends an event that others get as well. The arguments are the same for all of them.
  template <class Data>
  bool publish(std::string_view event, const Data& data, const EventFields& fields,
               PublishedBytes& published);
  void close();
  bool is_open() const;
  std::size_t pending() const;
  std::uint64_t dropped() const;
  void on_close(std::function<void(EndOfStream)> callback);

  // The exchange's side, before the response is sent:

  void refuse() noexcept override;
  std::span<const std::string_view> own_fields() const noexcept override {
    return {&kBuffering, 1};
  }
  /// Notifies the handlers of the request until the stream ends.
  void keep(std::shared_ptr<Cancellation> cancellation);
  /// Called once at the end with the number of bytes, unless the stream is refused.
  void add_report(EndReports<std::uint64_t>::Report report);

  // The connection's side:

  void begin(std::weak_ptr<http::BodyWaker> waker,
             std::shared_ptr<http::BufferBudget> buffers) noexcept override;
  std::optional<Part> take(std::span<char> buffer) noexcept override;
  bool may_wait() noexcept override;
  bool is_broken() const noexcept override { return is_broken_.load(std::memory_order_acquire); }
  std::string_view heartbeat() const noexcept override;
  std::chrono::milliseconds heartbeat_interval() const noexcept override {
    return policy_->heartbeat;
  }
  void stop() noexcept override;
  void end(bool is_complete) noexcept override;

 private:
  using Event = DeclaredStream::Event;

  enum class State : std::uint8_t {
    open,
    closing,  ///< what is in the queue is still sent
    ended
  };

  struct Item {
    std::string bytes;
    const Event* event;  ///< null: a part of the stream that is no event
  };

  const Event& declared(std::string_view event) const;
  std::string format(const Event& event, const EncodableData& data,
                     const EventFields& fields) const;
  std::string format(const Event& event, Json data, const EventFields& fields) const;
  std::string format_text(const Event& event, std::string_view json,
                          const EventFields& fields) const;
  [[noreturn]] void throw_violation(const Event& event, const FieldError& error) const;
  bool send(const Event& event, QueuedBytes bytes);
  void finish(EndOfStream reason) noexcept;

  // With the lock:
  [[nodiscard]] std::shared_ptr<http::BodyWaker> take_waker();
  void cut_off() noexcept;

  const std::shared_ptr<const DeclaredStream> declared_;
  const std::shared_ptr<const StreamPolicy> policy_;
  std::atomic<bool> is_broken_{false};  ///< the queue was full

  mutable std::mutex mutex_;  ///< guards the following members
  StreamCounts::Ticket ticket_;
  PushFigures::Open counted_;
  State state_ = State::open;
  bool has_begun_ = false;
  bool is_waiting_ = false;  ///< the connection must be woken
  std::optional<EndOfStream> reason_;
  SendQueue queue_;
  std::uint64_t sent_ = 0;            ///< bytes
  std::unique_ptr<const Item> last_;  ///< sent at a stop; null: none
  std::weak_ptr<http::BodyWaker> waker_;
  EndReports<EndOfStream> callbacks_;
  EndReports<std::uint64_t> reports_;
  std::shared_ptr<Cancellation> cancellation_;  ///< null: nobody is notified
};

}  // namespace fw::detail
