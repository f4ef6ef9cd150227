// One operation of the client or of the proxy: its attempts, with redirects, retries and log lines.
#pragma once

#include <fairway/fetch.hpp>
#include <fairway/logger.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/call_signal.hpp"
#include "client/fetch_exchange.hpp"
#include "client/request_body.hpp"
#include "client/transfer.hpp"
#include "client/url.hpp"

namespace fw::detail {

struct Operation {
  std::string_view caller;    ///< "app.fetch"
  std::string_view log_type;  ///< "outbound"
  std::string method;
  std::string url;  ///< unchanged from the caller
  FetchHeaders headers = {};
  RequestBody body = {};
  std::int64_t timeout = 0;  ///< milliseconds
  int retry = 0;
  RetryDelay retry_delay = 1000;
  Redirect redirect = Redirect::follow;
  bool limits_body = false;       ///< whether `timeout` includes the body
  bool sends_body_first = false;  ///< a streamed body is sent before the response is returned
  std::optional<std::uint64_t> max_size = {};
  std::uint64_t max_text = 0;  ///< maximum number of bytes that are collected as text
  std::stop_token signal = {};
  outbound::Url target = {};  ///< the parsed `url`, set by `check`

  /// Throws OptionError for invalid options.
  void check();
};

class OutboundCall {
 public:
  /// `operation` must have been checked.
  OutboundCall(Operation operation, std::shared_ptr<outbound::Transport> transport, Logger logger);

  /// Throws FetchError, OptionError, and the exceptions of the source of the body.
  FetchResponse run();
  int attempt() const { return attempt_; }

 private:
  struct Hop;

  std::unique_ptr<FetchExchange> try_once();
  std::unique_ptr<FetchExchange> send(Hop& hop, outbound::Deadline deadline);
  bool may_retry() const;
  void pause();
  CallName name() const;
  void log_response(int status, std::int64_t milliseconds) const;
  void log_failure(const FetchError& error, std::int64_t milliseconds) const;

  Operation operation_;
  const std::shared_ptr<outbound::Transport> transport_;
  const Logger logger_;
  const std::shared_ptr<CallSignal> signal_;
  const bool streams_body_;  ///< a streamed body can be sent only once
  int attempt_ = 0;
};

/// Check the effective options. Throw OptionError.
std::int64_t checked_timeout(std::int64_t milliseconds);
int checked_retry(int retry);
std::int64_t checked_delay(std::int64_t milliseconds);
const RetryDelay& checked_delay(const RetryDelay& delay);

}  // namespace fw::detail
