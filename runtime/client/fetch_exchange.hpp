// The state of a FetchResponse, whose body may still be arriving.
#pragma once

#include <fairway/fetch.hpp>
#include <fairway/logger.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/deadline_timer.hpp"
#include "base/throttle.hpp"
#include "client/call_signal.hpp"
#include "client/content_decoder.hpp"
#include "client/transfer.hpp"
#include "http/buffer_budget.hpp"

namespace fw::detail {

/// How much of a body is read at once.
inline constexpr std::size_t kBodyPart = std::size_t{16} * 1024;

/// The description of a call in errors and log lines.
struct CallName {
  std::string_view caller;  ///< "app.fetch"
  std::string method;
  std::string url;
  std::int64_t timeout = 0;  ///< milliseconds
  int attempt = 0;

  std::string text() const;  ///< "[app.fetch] GET https://…", without the values of the query
  [[noreturn]] void throw_timeout(std::string_view why) const;
  [[noreturn]] void throw_abort(const CallSignal& signal) const;
  [[noreturn]] void throw_failure(const client::OutboundFailure& failure) const;
  [[noreturn]] void throw_body_error(std::string_view why) const;
};

/// A NetworkError after which the request may be repeated at once: a connection that was used
/// before has ended without a byte of a response, most often because the server closed it while it
/// was idle.
class StaleConnectionError : public NetworkError {
 public:
  using NetworkError::NetworkError;
};

/// A NetworkError after which any request may be repeated at once: the upstream says that it has
/// not processed it. Over HTTP/2 only.
class RefusedRequestError : public NetworkError {
 public:
  RefusedRequestError(const std::string& message, std::string method, std::string url, int attempt,
                      bool needs_http_1)
      : NetworkError(message, std::move(method), std::move(url), attempt),
        needs_http_1_(needs_http_1) {}
  /// Whether it has to be sent by HTTP/1.1.
  bool needs_http_1() const { return needs_http_1_; }

 private:
  bool needs_http_1_;
};

/// Until when a call may wait.
struct CallLimits {
  client::Deadline attempt;                ///< of the head, or of the whole attempt; or none
  client::Deadline total;                  ///< of all attempts and the body; or none
  std::int64_t total_timeout = 0;          ///< milliseconds, for errors
  std::chrono::milliseconds idle{30'000};  ///< between two parts of the body
  /// Ends waits of bodies that are passed on.
  std::shared_ptr<base::DeadlineTimer> timer = {};
  /// Counts what is kept of bodies that are passed on; null: nothing does.
  std::shared_ptr<http::BufferBudget> buffers = {};
};

class FetchExchange {
 public:
  /// `signal` is of the call, and outlives this.
  FetchExchange(CallName name, std::shared_ptr<CallSignal> signal,
                std::shared_ptr<client::OutboundTransport> transport,
                client::OutboundRequest request, std::optional<Readable> source, CallLimits limits);
  ~FetchExchange();
  FetchExchange(const FetchExchange&) = delete;
  FetchExchange& operator=(const FetchExchange&) = delete;

  /// Sends the request, and waits until the head of the response has arrived.
  void begin();
  /// Waits until the body of the request has been sent, unless the upstream does not want it, or
  /// its response has to be read first.
  void send_body();

  /// Whether there may be more of a streamed body to send.
  bool is_sending() const { return source_ && !has_sent_body_ && !transfer_->is_complete(); }

  int status() const { return transfer_->status(); }
  std::string_view http_version() const { return transfer_->http_version(); }
  const FetchHeaders& headers() const { return headers_; }
  const std::string& url() const { return transfer_->request().url.text; }
  int attempt() const { return name_.attempt; }

  std::size_t read(std::span<char> buffer);
  /// The same, but returns nothing if nothing has arrived: see `watch` and `next_deadline`. Waits
  /// only for the source of a streamed request.
  std::optional<std::size_t> try_read(std::span<char> buffer);
  /// See `Transfer::watch`.
  void watch(std::weak_ptr<http::BodyWaker> waker, std::shared_ptr<http::BufferBudget> buffers);
  /// When `try_read`, which has returned nothing, will throw if nothing arrives.
  client::Clock::time_point next_deadline() const;
  const std::shared_ptr<base::DeadlineTimer>& timer() const { return limits_.timer; }
  const std::shared_ptr<http::BufferBudget>& buffers() const { return limits_.buffers; }
  /// The bytes that count as buffered memory: what has arrived, and the memory of the decoder.
  /// Thread-safe.
  std::size_t counted() const { return transfer_->counted() + counted_by_decoder_.load(); }
  /// Frees these bytes and ends the transfer; does not call the waker.
  void abandon();
  const std::string& text();
  /// Whether `text` has returned the body.
  bool has_text() const { return text_.has_value(); }
  Json json();
  /// The coding of the body that `read` removes; empty if there is none.
  const std::string& coding() const { return coding_; }
  /// Makes `read` return the bytes that the upstream sends. Must be called before it.
  void keep_coding() { coding_.clear(); }
  /// Whether the whole body has arrived, although it may not have been read.
  bool has_arrived() const { return transfer_->is_complete(); }
  /// Whether the response may have bytes of a body.
  bool has_body() const;
  /// The number of bytes that `read` returns, as the upstream has announced it; nothing if it has
  /// not.
  std::optional<std::uint64_t> length() const;
  /// The same of what has not been read.
  std::optional<std::uint64_t> remaining_length() const;
  /// Content-Length of the response, also of one to HEAD; nothing if it has none.
  std::optional<std::uint64_t> announced() const { return announced_; }
  void discard();
  /// Throws the NetworkError of a body that cannot be read any further.
  [[noreturn]] void fail_body(std::string why) const;
  /// Limits the decoded bytes of the body, and those that `text` collects.
  void limit_body(std::uint64_t max_body, std::uint64_t max_text) {
    max_body_ = max_body;
    max_text_ = max_text;
  }
  /// Removes the deadline of the attempt.
  void lift_deadline() { limits_.attempt.reset(); }
  /// From now on, logs a warning if the response is dropped before the body of the request has been
  /// sent, and the rest is not sent, as often as `throttle` lets it; never if it is null.
  void warn_if_cut_off(Logger logger, std::string_view log_type,
                       std::shared_ptr<base::Throttle> throttle) {
    logger_.emplace(std::move(logger));
    log_type_ = log_type;
    warnings_ = std::move(throttle);
  }

 private:
  enum class Mode : std::uint8_t { wait, try_only };

  std::optional<std::size_t> read(std::span<char> buffer, Mode mode);
  std::optional<std::size_t> read_encoded(std::span<char> buffer, Mode mode);
  std::optional<std::size_t> read_decoded(std::span<char> buffer, Mode mode);
  bool is_request_on_its_way() const;
  std::function<void(std::string_view)> cut_off_report() const noexcept;
  void feed();
  void count_decoder();
  /// `idle` is what has not happened for longer than the limit for pauses; empty: something else.
  [[noreturn]] void fail(client::Transfer::Outcome outcome, std::string_view idle = {}) const;

  const CallName name_;
  const std::shared_ptr<CallSignal> signal_;
  const std::shared_ptr<client::OutboundTransport> transport_;  ///< outlives the transfer
  const std::shared_ptr<client::Transfer> transfer_;
  std::optional<Readable> source_;
  std::uint64_t fed_ = 0;       ///< number of bytes of the source that were sent
  bool has_sent_body_ = false;  ///< the source has been read to its end
  bool has_head_ = false;
  std::optional<Logger> logger_;  ///< see `warn_if_cut_off`
  std::string_view log_type_;
  std::shared_ptr<base::Throttle> warnings_;
  CallLimits limits_;
  client::Deadline idle_until_;  ///< set while nothing arrives
  FetchHeaders headers_;
  std::optional<std::uint64_t> announced_;  ///< Content-Length
  std::string coding_;
  std::optional<ContentDecoder> decoder_;
  std::shared_ptr<http::BufferBudget> buffers_;
  std::optional<http::BufferBudget::Share> decoder_share_;  ///< empty unless the body is watched
  std::atomic<std::size_t> counted_by_decoder_{0};
  std::uint64_t max_body_ = ~std::uint64_t{};
  std::uint64_t max_text_ = ~std::uint64_t{};
  std::uint64_t read_ = 0;  ///< number of bytes that `read` has returned
  std::optional<std::string> text_;
};

}  // namespace fw::detail
