// Options of the outbound client and of its proxy, for calls, targets and the configuration
// (docs/fetch.md, docs/proxy.md).
#pragma once

#include <fairway/json_type.hpp>
#include <fairway/text.hpp>
#include <fairway/units.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fw {

class Request;

/// Header fields of an outbound request or of its response, in order; names match in any case.
class FetchHeaders {
 public:
  using Entry = std::pair<std::string, std::string>;  ///< a name and a value

  FetchHeaders() = default;  ///< empty
  /// `{{"x-team", "shop"}, {"accept-language", "en"}}`; for a repeated name, the last value is
  /// used.
  FetchHeaders(std::initializer_list<std::pair<Text, Text>> entries);
  /// Fields as they were received; names may repeat.
  explicit FetchHeaders(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  /// The value; values of repeated fields are joined with ", ".
  std::optional<std::string> get(std::string_view name) const;
  /// The values of all Set-Cookie fields, separately.
  std::vector<std::string> get_set_cookie() const;
  /// Whether there is a field of this name.
  bool has(std::string_view name) const;
  /// Replaces all fields of the name.
  void set(std::string_view name, std::string_view value);
  /// Adds a field and keeps others of the same name.
  void append(std::string_view name, std::string_view value);
  /// Removes all fields of the name.
  void erase(std::string_view name);
  /// Sets every field of `other`.
  void merge(const FetchHeaders& other);

  /// @{
  /// The fields, in order.
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  /// @}

 private:
  std::vector<Entry> entries_;
};

/// The delay before the next attempt: milliseconds, a std::chrono duration, or a function of the
/// number of the failed attempt (1, 2, …) that returns one of these. From 0 to 2147483647 ms.
class RetryDelay {
 public:
  /// Returns the delay after the attempt of this number.
  using Function = std::function<Milliseconds(int)>;

  /// @{
  /// The same delay after every attempt.
  RetryDelay(Milliseconds delay) : delay_(delay) {}
  template <class T>
    requires std::is_constructible_v<Milliseconds, T>
  RetryDelay(T delay) : delay_(delay) {}
  /// @}
  /// A delay for each attempt.
  template <class F>
    requires std::is_invocable_v<F&, int> &&
             std::is_constructible_v<Milliseconds, std::invoke_result_t<F&, int>>
  RetryDelay(F function)
      : function_([function = std::move(function)](int attempt) mutable {
          return Milliseconds(function(attempt));
        }) {}

  /// False for a function.
  bool is_fixed() const { return !function_; }
  /// The delay in milliseconds. The result of a function is not checked here.
  std::int64_t after(int attempt) const {
    return is_fixed() ? delay_.count() : function_(attempt).count();
  }
  /// The fixed delay in milliseconds, or the default if it is a function.
  std::int64_t fixed() const { return delay_.count(); }

 private:
  Milliseconds delay_ = 1000;
  Function function_;
};

struct FetchProxyOptions;
struct FetchProxyTarget;

/// The argument of a function that returns injected headers.
struct FetchProxyHeaderContext {
  Request& req;                      ///< the inbound request
  const FetchProxyTarget* target;    ///< null for a call with `url`
  const FetchProxyOptions& options;  ///< of this call
};

/// Headers that the proxy adds: a map of names to strings, numbers, booleans or null (which is
/// ignored), or a function that returns such a map for each request:
///
///   .inject_headers = {{"x-team", "shop"}, {"x-retries", 2}}
///   .inject_headers = [](const fw::FetchProxyHeaderContext& c) {
///     return fw::Json{{"x-request-id", c.req.request_id()}};
///   }
class FetchProxyHeaders {
 public:
  /// Returns an object of names and values for a request.
  using Function = std::function<Json(const FetchProxyHeaderContext&)>;

  FetchProxyHeaders() = default;  ///< none
  /// @{
  /// The same headers for every request.
  FetchProxyHeaders(std::initializer_list<std::pair<Text, Json>> entries);
  explicit FetchProxyHeaders(Json object) : values_(std::move(object)) {}
  /// @}
  /// Headers for each request.
  template <class F>
    requires std::is_invocable_r_v<Json, F&, const FetchProxyHeaderContext&>
  FetchProxyHeaders(F function) : function_(std::move(function)) {}

  /// False for a map.
  bool is_function() const { return static_cast<bool>(function_); }
  /// The map; empty for a function.
  const Json& values() const { return values_; }
  /// The headers of one request. Rethrows exceptions of the function.
  Json make(const FetchProxyHeaderContext& context) const;

 private:
  Json values_ = detail::json_object();
  Function function_;
};

/// A named upstream: an entry of `fetch.proxy` in the configuration.
struct FetchProxyTarget {
  std::string name = {};  ///< unique; required
  /// `baseURL`: absolute, http or https; required. `http://unix:/run/app.sock:/path` is a server on
  /// a unix socket.
  std::string base_url = {};
  FetchHeaders headers = {};  ///< sent with every request
  /// Headers of the request that are forwarded, in addition to the headers of the call.
  std::vector<std::string> forward_headers = {};
  /// Added to every request; the call's replace them.
  FetchProxyHeaders default_inject_headers = {};
  /// Whether `Authorization` is forwarded if `forward_headers` contains "authorization".
  bool allow_authorization_forward = false;
  std::optional<Milliseconds> timeout = {};    ///< of each attempt, including the body
  std::optional<int> retry = {};               ///< attempts after the first
  std::optional<RetryDelay> retry_delay = {};  ///< between two attempts
  /// Whether X-Forwarded-For, -Proto and -Host tell the upstream about the client. What the request
  /// says in these headers is only used if `trustProxy` trusts its sender.
  bool x_forwarded = false;
};

/// TLS of outbound connections. Certificates and host names are always verified.
struct FetchTlsConfig {
  std::string ca_file = {};           ///< PEM; empty: the system's certificates
  std::string certificate_file = {};  ///< PEM: the client certificate
  std::string key_file = {};          ///< PEM: the key of `certificate_file`
};

/// HTTP/2 of outbound calls; docs/fetch.md.
struct FetchHttp2Config {
  /// Whether https upstreams may choose HTTP/2. By default, if libcurl has it; otherwise, true is a
  /// startup error.
  std::optional<bool> enabled = std::nullopt;
};

/// Defaults of all outbound calls: `fetch` (docs/configuration.md).
struct FetchConfig {
  std::int64_t timeout = 10'000;  ///< milliseconds
  int retry = 0;                  ///< attempts after the first
  RetryDelay retry_delay = 1000;  ///< between two attempts: 1 second
  /// Headers of the inbound request that calls propagate; the proxy does not.
  std::vector<std::string> propagate_headers = {};
  /// Whether calls send `traceparent` (W3C Trace Context), which continues the trace of the inbound
  /// request or starts a new one; the proxy does not.
  bool trace_context = false;
  std::vector<FetchProxyTarget> proxy = {};  ///< named upstreams
  ByteSize max_size = "64mb";                ///< of a body that `text` or `json` reads
  FetchTlsConfig tls = {};                   ///< certificates
  std::int64_t idle_timeout = 30'000;        ///< milliseconds between two parts of a body
  std::int64_t total_timeout = 0;  ///< milliseconds for a call with its retries and body; 0: none
  /// The name of this gateway in the `Via` header of forwarded requests, by which it notices that a
  /// request comes back. Instances of one service should share it; by default, each has its own.
  std::string via = {};
  FetchHttp2Config http2 = {};  ///< HTTP/2
};

}  // namespace fw
