// One outbound call, of the client or of the proxy: its attempts, with redirects, retries and log
// lines.
#pragma once

#include <fairway/fetch.hpp>
#include <fairway/logger.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline_timer.hpp"
#include "base/throttle.hpp"
#include "client/call_signal.hpp"
#include "client/fetch_exchange.hpp"
#include "client/network/url.hpp"
#include "client/request_body.hpp"
#include "client/transfer.hpp"
#include "observe/active_span.hpp"
#include "observe/outbound_metrics.hpp"

namespace fw::detail {

/// One call of the client or the proxy: the request, and how it is sent.
struct OutboundCallOptions {
  std::string_view caller;    ///< "app.fetch"
  std::string_view log_type;  ///< "outbound"
  std::string method;
  std::string url;  ///< unchanged from the caller
  FetchHeaders headers = {};
  std::vector<std::string> propagated = {};  ///< names of `headers` that are for one origin only
  RequestBody body = {};
  std::int64_t timeout = 0;        ///< milliseconds
  std::int64_t idle_timeout = 0;   ///< milliseconds
  std::int64_t total_timeout = 0;  ///< milliseconds; 0: none
  int retry = 0;
  RetryDelay retry_delay = 1000;
  Redirect redirect = Redirect::follow;
  bool limits_body = false;  ///< whether `timeout` includes what follows the head of the response
  std::optional<std::uint64_t> max_size = {};
  std::uint64_t max_text = 0;  ///< maximum number of bytes that are collected as text
  std::stop_token signal = {};
  std::shared_ptr<base::DeadlineTimer> timer = {};   ///< see `CallLimits`
  std::shared_ptr<http::BufferBudget> buffers = {};  ///< likewise
  /// Limits the warnings about requests that are cut off; null: there are none.
  std::shared_ptr<base::Throttle> cut_off_requests = {};
  bool only_public_addresses = false;
  std::string unix_socket = {};      ///< to connect to instead of the host of `url`
  client::Url target = {};           ///< the parsed `url`, set by `check`
  bool has_declared_server = false;  ///< the server of `url` is not chosen by the call
  /// The traceparent that each attempt replaces by its own; empty: none does.
  std::string traceparent = {};

  /// Sets the trace of the current span, if there is one.
  void continue_trace();

  /// Throws OptionError for invalid options.
  void check();
};

class OutboundCall {
 public:
  /// `options` must have been checked. Nothing is measured if `metrics` is null.
  OutboundCall(OutboundCallOptions options, std::shared_ptr<client::OutboundTransport> transport,
               Logger logger, OutboundMetrics* metrics);

  /// Throws FetchError, OptionError, and the exceptions of the source of the body.
  FetchResponse run();
  int attempt() const { return attempt_; }

 private:
  struct Hop;

  std::unique_ptr<FetchExchange> try_once(const ActiveSpan& span);
  std::unique_ptr<FetchExchange> send(Hop& hop, client::Clock::time_point deadline);
  bool is_repeatable() const;
  bool is_repeatable_if_refused() const;
  bool may_retry() const { return attempt_ < most_attempts_ && is_repeatable(); }
  void pause();
  CallName name() const;
  void describe_attempt(ActiveSpan& span) const;
  void report_response(int status, client::Clock::time_point start) const;
  void report_failure(const FetchError& error, client::Clock::time_point start) const;
  OutboundMetrics::Attempt attempt_in(client::Clock::duration duration) const;

  OutboundCallOptions options_;
  const std::shared_ptr<client::OutboundTransport> transport_;
  const Logger logger_;
  OutboundMetrics* const metrics_;
  const std::shared_ptr<CallSignal> signal_;
  const bool streams_body_;  ///< a streamed body can be sent only once
  const client::Deadline total_deadline_;
  int most_attempts_;                  ///< after the first
  bool has_repeated_ = false;          ///< after a stale connection
  bool has_been_refused_ = false;      ///< and repeated after that
  bool has_followed_ = false;          ///< a redirect, in an attempt
  bool needs_http_1_ = false;          ///< because the upstream wants it
  bool needs_new_connection_ = false;  ///< because an idle one may be stale, too
  int attempt_ = 0;
};

/// Check the effective options. Throw OptionError.
std::int64_t checked_timeout(std::int64_t milliseconds, std::string_view name = "timeout");
int checked_retry(int retry);
std::int64_t checked_delay(std::int64_t milliseconds);
const RetryDelay& checked_delay(const RetryDelay& delay);

}  // namespace fw::detail
