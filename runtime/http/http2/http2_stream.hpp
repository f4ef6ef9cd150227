// A stream of HTTP/2: one request and its response.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "http/adapter.hpp"
#include "http/buffer_budget.hpp"
#include "http/epoll/turn.hpp"
#include "http/framing.hpp"
#include "http/http2/http2_fields.hpp"
#include "http/http2/http2_socket.hpp"
#include "http/http2/send_progress.hpp"
#include "http/response_stream.hpp"

namespace fw::http {

class Connection;
class Http2Session;
class SessionLock;

/// The mutex of the session guards the members, except where another rule is given.
class Http2Stream final : public Transaction,
                          public WaitingRequest,
                          public BodyWaker,
                          public std::enable_shared_from_this<Http2Stream> {
 public:
  Http2Stream(Http2Session& session, std::shared_ptr<Connection> connection, std::int32_t id);

  const RequestHead& head() const override { return head_; }
  BodyStatus read_body(std::uint64_t limit, std::string& body) override;
  BodyPart read_body_part(std::uint64_t limit, std::span<char> buffer,
                          std::chrono::steady_clock::time_point until) override;
  bool respond(const ResponseHead& head, std::string_view body) override;
  bool respond_stream(const ResponseHead& head, std::optional<std::uint64_t> length,
                      BodyProducer produce, StreamEnd ended) override;
  bool respond_file(const ResponseHead& head, FilePart part, StreamEnd ended) override;
  bool respond_pushed(const ResponseHead& head, std::shared_ptr<PushedBody> body) override;
  bool pushes_without_thread() const override { return true; }
  bool can_open_socket() const override { return head_.opens_socket; }
  bool respond_socket(const ResponseHead& head, std::shared_ptr<SocketPeer> peer) override;
  bool has_response() const override { return has_response_.load(std::memory_order_acquire); }
  void on_disconnect(DisconnectCallback callback) override;
  bool begin_wait(std::size_t others) override;
  void end_wait() override;
  std::string_view http_version() const override { return "2"; }
  RequestPlan* plan() const override { return plan_.get(); }

  void resume() noexcept override;
  void wake() noexcept override;
  /// Lets a worker run handlers of messages. Without the lock.
  void post_messages() noexcept;
  /// Calls the disconnect callback, because the client has ended a socket without closing it.
  /// Without the lock.
  void note_disconnect();

 private:
  friend class Http2Session;
  friend class SessionDeadlines;
  friend class SessionMemory;
  friend class StreamTasks;
  friend struct SessionCallbacks;

  /// Where the request is on its way to its handler.
  enum class Phase {
    head,           ///< being received
    awaiting_body,  ///< received before the request is handled
    settling,       ///< the owner of the connection decides what follows
    preparing,      ///< for `RequestPlan::prepare`
    queued,         ///< a task of the connection
    handled,        ///< the handler has begun
  };

  /// The rest of a response that waits for the client.
  struct Output {
    explicit Output(BufferBudget& budget) : share(budget) {}

    std::string_view bytes() const { return std::string_view(content).substr(begin); }
    /// Bytes that count as buffered memory.
    std::size_t waiting() const {
      const PushedBody* const pushed = source ? source->pushed() : nullptr;
      return share.size() + (pushed != nullptr ? pushed->waiting() : 0);
    }

    BufferBudget::Share share;
    std::string content;
    std::size_t begin = 0;
    bool is_last = false;                    ///< nothing follows this content
    std::unique_ptr<ResponseStream> source;  ///< produces more
    bool is_producing = false;               ///< a worker uses the source, or is to use it
    std::int64_t requested_at = 0;           ///< when it was to be used, by `coarse_now`
    bool is_woken = false;                   ///< meanwhile, the source has got something
    bool needs_heartbeat = false;
    bool is_deferred = false;  ///< the library asks for more only after it was resumed
    SendProgress progress;
    ProductionTime production_time;
    std::uint64_t sent = 0;     ///< bytes
    bool shares_turns = false;  ///< with responses of equal urgency, because it is large
  };

  bool claim() { return !has_response_.exchange(true, std::memory_order_acq_rel); }
  template <class MakeStream>
  bool respond_with(const ResponseHead& head, std::optional<std::uint64_t> length,
                    const StreamEnd& ended, const MakeStream& make_stream);
  std::optional<BodyStatus> wait_for_content(SessionLock& lock, std::uint64_t limit,
                                             std::chrono::steady_clock::time_point until);
  std::optional<BodyStatus> end_of_body(std::uint64_t limit) const;
  bool has_content() const { return body_.size() > body_begin_; }
  void make_room(std::size_t size);
  void drop_content(SessionLock& lock, std::size_t size);
  [[nodiscard]] DisconnectCallback end_watch();

  Http2Session& session_;
  const std::shared_ptr<Connection> connection_;  ///< it owns the session
  const std::int32_t id_;

  // Set while the head is received, and constant afterwards:
  RequestHead head_;
  Framing framing_;
  RequestFieldReader fields_;

  // Used by whoever owns the request on its way to its handler:
  std::unique_ptr<RequestPlan> plan_;
  std::uint64_t awaited_limit_ = 0;
  std::int64_t awaited_since_ = 0;

  Phase phase_ = Phase::head;
  std::size_t head_memory_ = 0;            ///< bytes that the session counts
  bool is_beginning_preparation_ = false;  ///< `RequestPlan::prepare` has not returned yet
  bool is_prepared_ = false;               ///< `resume` was called before that
  bool is_closed_ = false;                 ///< the session no longer knows the stream
  bool is_canceled_ = false;  ///< closed by the client, or with the connection, before its end
  bool is_reset_ = false;     ///< closed by this side
  bool is_reset_by_client_ = false;
  bool is_released_ = false;  ///< no longer counted by the session
  std::int64_t queued_at_ = 0;

  // The body:
  std::string body_;
  std::size_t body_begin_ = 0;  ///< bytes before have been read
  BufferBudget::Share body_share_;
  BufferBudget::Share read_share_;  ///< of a body that the handler reads as a whole
  std::uint64_t received_ = 0;      ///< bytes
  bool has_ended_ = false;
  bool discards_body_ = false;
  bool consumes_body_ = false;  ///< the window grows when bytes arrive, not when they are read
  bool has_large_window_ = false;
  bool awaits_continue_ = false;
  std::int64_t body_progress_at_ = 0;  ///< when the last bytes of an awaited body have arrived
  std::optional<BodyStatus> failure_;  ///< of the body
  std::condition_variable body_changed_;
  std::int64_t waited_ = 0;  ///< milliseconds that the reader has spent; used by the reader only

  // The response:
  std::atomic<bool> has_response_{false};
  bool has_sent_end_ = false;
  std::int64_t ended_at_ = 0;  ///< when the response has ended before the request
  Output output_;
  bool has_messages_task_ = false;       ///< of a socket
  int message_runs_ = 0;                 ///< workers that handle messages
  std::shared_ptr<Http2Socket> socket_;  ///< also the source of the output; null: it is none
  std::optional<std::string> priority_;  ///< that the client has sent after its request
  bool is_in_handler_ = false;
  std::thread::id worker_;  ///< of the handler
  bool watch_has_ended_ = false;
  bool keeps_callback_ = false;  ///< no other disconnect callback can be set
  DisconnectCallback disconnect_callback_;
};

/// By their numbers.
using Http2Streams = std::unordered_map<std::int32_t, std::shared_ptr<Http2Stream>>;

}  // namespace fw::http
