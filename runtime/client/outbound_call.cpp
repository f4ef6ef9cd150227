#include "client/outbound_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/ascii.hpp"
#include "base/connection_fields.hpp"
#include "base/loggable_url.hpp"
#include "base/methods.hpp"
#include "http/field_lines.hpp"

namespace fw::detail {
namespace {

// The rules for redirects (WHATWG Fetch, HTTP-redirect fetch).

constexpr int kMaxRedirects = 20;

constexpr bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Whether the request that follows is a GET without a body.
constexpr bool becomes_get(int status, std::string_view method) {
  if (status == 303) return method != "GET" && method != "HEAD";
  return (status == 301 || status == 302) && method == "POST";
}

/// Removes the headers that describe a body.
void remove_body_headers(FetchHeaders& headers) {
  for (const std::string_view name :
       {"content-type", "content-encoding", "content-language", "content-location"}) {
    headers.erase(name);
  }
}

/// Removes the headers that must only be sent to the original origin.
void remove_credentials(FetchHeaders& headers) {
  for (const std::string_view name : {"authorization", "proxy-authorization", "cookie", "host"}) {
    headers.erase(name);
  }
}

using Clock = client::Clock;

constexpr std::int64_t kMaxMilliseconds = std::numeric_limits<std::int32_t>::max();
constexpr std::array<std::string_view, 5> kRepeatable = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"};
constexpr std::array<std::string_view, 3> kForbiddenMethods = {"CONNECT", "TRACE", "TRACK"};
/// Fields that the transport sets, beside the ones that only HTTP/1.1 has.
constexpr std::array<std::string_view, 2> kReservedHeaders = {"content-length", "expect"};

std::int64_t milliseconds_in(Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

/// The label of an error in metrics.
std::string_view name_of_error(const FetchError& error) {
  const auto is = [&]<class Type>(std::type_identity<Type>) {
    return dynamic_cast<const Type*>(&error) != nullptr;
  };
  if (is(std::type_identity<TimeoutError>())) return "timeout";
  if (is(std::type_identity<TlsError>())) return "tls";
  if (is(std::type_identity<NetworkError>())) return "network";
  if (is(std::type_identity<AbortError>())) return "abort";
  if (is(std::type_identity<AddressError>())) return "address";
  if (is(std::type_identity<RedirectError>())) return "redirect";
  return "body";
}

/// Others do not belong in names of spans.
bool is_known_method(std::string_view method) { return base::find_method(method) == method; }

bool has_repeatable_method(const OutboundCallOptions& options) {
  return std::find(kRepeatable.begin(), kRepeatable.end(), options.method) != kRepeatable.end();
}

http::Fields wire_fields(const FetchHeaders& headers) {
  http::Fields fields;
  for (const auto& [name, value] : headers) {
    fields.add(base::lower_case(name), base::trim_ows(value));
  }
  if (!headers.has("user-agent")) fields.add("user-agent", "fairway");
  return fields;
}

void check_header(std::string_view name, std::string_view value) {
  if (!base::is_token(name)) {
    throw OptionError(fmt::format("headers: '{}' is not a valid header name", name));
  }
  if (!http::is_field_value(value)) {
    throw OptionError(fmt::format("headers: the value of '{}' contains control characters", name));
  }
  if (base::is_http1_field(name) ||
      std::ranges::any_of(kReservedHeaders, [&](std::string_view reserved) {
        return base::equal_ignoring_case(name, reserved);
      })) {
    throw OptionError(fmt::format("headers: '{}' must not be set: the HTTP client sets it", name));
  }
}

client::Url parsed_url(const std::string& text, const std::string& unix_socket) {
  try {
    client::Url url = client::parse_url(text);
    if (!unix_socket.empty()) client::use_unix_socket(url, unix_socket);
    return url;
  } catch (const std::invalid_argument& error) {
    throw OptionError(fmt::format("url: {}", error.what()));
  }
}

}  // namespace

std::int64_t checked_timeout(std::int64_t milliseconds, std::string_view name) {
  if (milliseconds < 1 || milliseconds > kMaxMilliseconds) {
    throw OptionError(fmt::format("{}: expected from 1 to {} milliseconds, not {}", name,
                                  kMaxMilliseconds, milliseconds));
  }
  return milliseconds;
}

int checked_retry(int retry) {
  if (retry < 0) throw OptionError(fmt::format("retry: expected 0 or more, not {}", retry));
  return retry;
}

std::int64_t checked_delay(std::int64_t milliseconds) {
  if (milliseconds < 0 || milliseconds > kMaxMilliseconds) {
    throw OptionError(fmt::format("retryDelay: expected from 0 to {} milliseconds, not {}",
                                  kMaxMilliseconds, milliseconds));
  }
  return milliseconds;
}

const RetryDelay& checked_delay(const RetryDelay& delay) {
  if (delay.is_fixed()) checked_delay(delay.fixed());
  return delay;
}

void OutboundCallOptions::continue_trace() {
  const SpanPosition* const current = current_span();
  if (current == nullptr) return;
  traceparent = traceparent_of(*current);
  headers.set("traceparent", traceparent);
  const std::string& state = current->trace->tracestate();
  if (state.empty()) {
    headers.erase("tracestate");
  } else {
    headers.set("tracestate", state);
  }
}

void OutboundCallOptions::check() {
  try {
    target = parsed_url(url, unix_socket);
  } catch (const std::runtime_error& error) {  // libcurl cannot be loaded
    CallName{caller, method, url, timeout}.throw_failure({.message = error.what()});
  }
  if (only_public_addresses && !unix_socket.empty()) {
    throw OptionError("addresses: public_only does not permit a unix socket");
  }
  if (!base::is_token(method) || std::find(kForbiddenMethods.begin(), kForbiddenMethods.end(),
                                           method) != kForbiddenMethods.end()) {
    throw OptionError(fmt::format("method: '{}' cannot be sent", method));
  }
  if ((method == "GET" || method == "HEAD") && !body.is_empty()) {
    throw OptionError(fmt::format("body: a {} request cannot have a body", method));
  }
  for (const auto& [name, value] : headers) check_header(name, value);
}

/// The request of an attempt, possibly modified by redirects.
struct OutboundCall::Hop {
  std::string method;
  client::Url url;
  FetchHeaders headers;
  std::shared_ptr<const std::string> bytes;
  std::optional<Readable> source;
  bool streams = false;  ///< stays true after the source was read
};

OutboundCall::OutboundCall(OutboundCallOptions options,
                           std::shared_ptr<client::OutboundTransport> transport, Logger logger,
                           OutboundMetrics* metrics)
    : options_(std::move(options)),
      transport_(std::move(transport)),
      logger_(std::move(logger)),
      metrics_(metrics),
      signal_(std::make_shared<CallSignal>(options_.signal)),
      streams_body_(options_.body.source.has_value()),
      total_deadline_(options_.total_timeout == 0
                          ? client::Deadline()
                          : Clock::now() + std::chrono::milliseconds(options_.total_timeout)),
      most_attempts_(options_.retry) {}

CallName OutboundCall::name() const {
  return {options_.caller, options_.method, options_.url, options_.timeout, attempt_};
}

FetchResponse OutboundCall::run() {
  if (signal_->is_requested()) name().throw_abort(*signal_);
  for (;; ++attempt_) {
    const auto start = Clock::now();
    ActiveSpan span(is_known_method(options_.method) ? options_.method : "HTTP", SpanKind::client);
    if (span.is_recorded()) describe_attempt(span);
    try {
      auto exchange = try_once(span);
      if (!options_.limits_body) exchange->lift_deadline();
      exchange->send_body();
      report_response(exchange->status(), start);
      if (span.is_recorded()) {
        span.set("http.response.status_code", std::int64_t{exchange->status()});
        span.set("network.protocol.version", exchange->http_version());
        if (exchange->status() >= 400) span.fail(std::to_string(exchange->status()));
      }
      span.end();
      if (exchange->status() < 500 || !may_retry()) {
        exchange->limit_body(options_.max_size.value_or(~std::uint64_t{}), options_.max_text);
        exchange->warn_if_cut_off(logger_, options_.log_type, options_.cut_off_requests);
        return FetchResponse(std::move(exchange));
      }
    } catch (const StaleConnectionError& error) {
      report_failure(error, start);
      span.fail(name_of_error(error));
      needs_new_connection_ = true;
      if (has_repeated_ || !is_repeatable()) throw;
      has_repeated_ = true;
      most_attempts_ = std::max(most_attempts_, attempt_ + 1);
      continue;  // at once
    } catch (const RefusedRequestError& error) {
      report_failure(error, start);
      span.fail(name_of_error(error));
      needs_http_1_ = needs_http_1_ || error.needs_http_1();
      if (!std::exchange(has_been_refused_, true) && is_repeatable_if_refused()) {
        most_attempts_ = std::max(most_attempts_, attempt_ + 1);
        continue;  // at once; libcurl does not use the connection for it
      }
      if (!may_retry()) throw;
    } catch (const NetworkError& error) {
      report_failure(error, start);
      span.fail(name_of_error(error));
      needs_new_connection_ = true;
      if (!may_retry()) throw;
    } catch (const FetchError& error) {
      report_failure(error, start);
      span.fail(name_of_error(error));
      throw;
    }
    span.end();
    pause();
  }
}

/// The semantic conventions of HTTP clients.
void OutboundCall::describe_attempt(ActiveSpan& span) const {
  const bool is_known = is_known_method(options_.method);
  span.set("http.request.method", is_known ? options_.method : "_OTHER");
  if (!is_known) span.set("http.request.method_original", options_.method);
  span.set("url.full", base::loggable_url(options_.url));
  const std::string_view origin = options_.target.origin;
  const std::string_view host = origin.substr(std::min(origin.size(), origin.find("://") + 3));
  const auto colon = host.rfind(':');
  if (!options_.target.unix_socket.empty()) {
    span.set("server.address", options_.target.unix_socket);
  } else if (colon != std::string_view::npos) {
    std::string_view address = host.substr(0, colon);
    if (address.starts_with('[') && address.ends_with(']')) {  // of IPv6
      address = address.substr(1, address.size() - 2);
    }
    span.set("server.address", address);
    std::int64_t port = 0;
    std::from_chars(host.data() + colon + 1, host.data() + host.size(), port);
    span.set("server.port", port);
  }
  if (attempt_ > 0) span.set("http.request.resend_count", std::int64_t{attempt_});
}

/// Whether sending the request twice is the same as sending it once.
bool OutboundCall::is_repeatable() const {
  return has_repeatable_method(options_) && !streams_body_;
}

/// Whether no part of the attempt has been processed, or may be processed twice.
bool OutboundCall::is_repeatable_if_refused() const {
  return !streams_body_ && (!has_followed_ || has_repeatable_method(options_));
}

void OutboundCall::pause() {
  const std::int64_t delay = checked_delay(options_.retry_delay.after(attempt_ + 1));
  const auto end = Clock::now() + std::chrono::milliseconds(delay);
  const auto until = total_deadline_ ? std::min(end, *total_deadline_) : end;
  if (!signal_->sleep_until(until)) name().throw_abort(*signal_);
  if (until < end) {
    name().throw_timeout(fmt::format("the call has taken more than {}ms", options_.total_timeout));
  }
}

std::unique_ptr<FetchExchange> OutboundCall::try_once(const ActiveSpan& span) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(options_.timeout);
  Hop hop{.method = options_.method,
          .url = options_.target,
          .headers = options_.headers,
          .bytes = options_.body.bytes,
          .source = std::exchange(options_.body.source, std::nullopt),
          .streams = streams_body_};
  if (span.is_recorded() && !options_.traceparent.empty() &&
      hop.headers.get("traceparent") == options_.traceparent) {
    hop.headers.set("traceparent", span.traceparent());
  }
  for (int followed = 0;; ++followed) {
    auto exchange = send(hop, deadline);
    const int status = exchange->status();
    const auto location = exchange->headers().get("location");
    if (!is_redirect(status) || !location || options_.redirect == Redirect::manual) {
      return exchange;
    }
    const auto reject = [&](const std::string& why) {
      throw RedirectError(fmt::format("{} failed: {}", name().text(), why), options_.method,
                          options_.url, attempt_);
    };
    if (options_.redirect == Redirect::error) {
      reject(fmt::format("the response redirects to {}", base::loggable_url(*location)));
    }
    if (followed == kMaxRedirects) reject(fmt::format("more than {} redirects", kMaxRedirects));
    client::Url next;
    try {
      next = client::resolve_url(hop.url, *location);
    } catch (const std::invalid_argument& error) {
      reject(fmt::format("the redirect cannot be followed: {}", error.what()));
    }
    if (becomes_get(status, hop.method)) {
      hop.method = "GET";
      hop.bytes.reset();
      hop.streams = false;
      remove_body_headers(hop.headers);
    } else if (hop.streams) {
      reject("the redirect requires the body again, but it was streamed");
    }
    if (next.origin != hop.url.origin) {
      remove_credentials(hop.headers);
      for (const std::string& name : options_.propagated) hop.headers.erase(name);
    }
    hop.url = std::move(next);
    has_followed_ = true;
  }
}

std::unique_ptr<FetchExchange> OutboundCall::send(Hop& hop, Clock::time_point deadline) {
  client::OutboundRequest request{.method = hop.method,
                                  .url = hop.url,
                                  .fields = wire_fields(hop.headers),
                                  .body = hop.bytes,
                                  .streams_body = hop.streams,
                                  .body_size = hop.source ? hop.source->size() : std::nullopt,
                                  .needs_new_connection = needs_new_connection_,
                                  .only_public_addresses = options_.only_public_addresses,
                                  .needs_http_1 = needs_http_1_};
  const bool needs_length = hop.method == "POST" || hop.method == "PUT" || hop.method == "PATCH";
  if (needs_length && !hop.bytes && !hop.streams) {
    request.body = std::make_shared<const std::string>();
  }
  auto exchange = std::make_unique<FetchExchange>(
      name(), signal_, transport_, std::move(request), std::exchange(hop.source, std::nullopt),
      CallLimits{.attempt = deadline,
                 .total = total_deadline_,
                 .total_timeout = options_.total_timeout,
                 .idle = std::chrono::milliseconds(options_.idle_timeout),
                 .timer = options_.timer,
                 .buffers = options_.buffers});
  exchange->begin();
  return exchange;
}

OutboundMetrics::Attempt OutboundCall::attempt_in(Clock::duration duration) const {
  const std::string_view origin = options_.target.origin;
  return {.origin = options_.has_declared_server ? origin : std::string_view(),
          .method = options_.method,
          .duration = duration};
}

void OutboundCall::report_response(int status, Clock::time_point start) const {
  const auto duration = Clock::now() - start;
  if (metrics_ != nullptr) metrics_->count_response(attempt_in(duration), status);
  const std::int64_t milliseconds = milliseconds_in(duration);
  const LogLevel level = status >= 500   ? LogLevel::error
                         : status >= 300 ? LogLevel::warn
                                         : LogLevel::debug;
  if (!logger_.enabled(level)) return;
  logger_.log(level, fmt::format("{} {} {}ms", name().text(), status, milliseconds),
              Json{{"type", options_.log_type},
                   {"method", options_.method},
                   {"url", base::loggable_url(options_.url)},
                   {"status", status},
                   {"duration", milliseconds}});
}

void OutboundCall::report_failure(const FetchError& error, Clock::time_point start) const {
  const auto duration = Clock::now() - start;
  if (metrics_ != nullptr) metrics_->count_failure(attempt_in(duration), name_of_error(error));
  const std::int64_t milliseconds = milliseconds_in(duration);
  const bool is_wanted = dynamic_cast<const AbortError*>(&error) != nullptr;
  const LogLevel level = is_wanted ? LogLevel::debug : LogLevel::error;
  if (!logger_.enabled(level)) return;
  const std::string message = base::without_secrets_of(options_.url, error.what());
  logger_.log(level, message,
              Json{{"type", options_.log_type},
                   {"method", options_.method},
                   {"url", base::loggable_url(options_.url)},
                   {"error", message},
                   {"duration", milliseconds}});
}

}  // namespace fw::detail
