// Options of the outbound client and of its proxy, as calls, targets and the configuration give
// them (reference: Outbound client types).
#pragma once

#include <fairway/duration.hpp>
#include <fairway/json.hpp>
#include <fairway/text.hpp>

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
  using Entry = std::pair<std::string, std::string>;

  FetchHeaders() = default;
  /// `{{"x-team", "shop"}, {"accept-language", "en"}}`; the last of repeated names counts.
  FetchHeaders(std::initializer_list<std::pair<Text, Text>> entries);
  explicit FetchHeaders(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  /// The value; values of repeated fields are joined with ", ".
  std::optional<std::string> get(std::string_view name) const;
  /// The values of all Set-Cookie fields, each by itself.
  std::vector<std::string> get_set_cookie() const;
  bool has(std::string_view name) const;
  /// Replaces all fields of the name.
  void set(std::string_view name, std::string_view value);
  /// Adds a field beside others of its name.
  void append(std::string_view name, std::string_view value);
  void erase(std::string_view name);
  /// Sets every field of `other`.
  void merge(const FetchHeaders& other);

  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

/// The pause before the next attempt: milliseconds, a std::chrono duration, or a function of the
/// attempt that has failed (1, 2, …) which returns one of these. From 0 to 2147483647 ms.
class RetryDelay {
 public:
  using Function = std::function<Milliseconds(int)>;

  RetryDelay(Milliseconds delay) : delay_(delay) {}
  template <class T>
    requires std::is_constructible_v<Milliseconds, T>
  RetryDelay(T delay) : delay_(delay) {}
  template <class F>
    requires std::is_invocable_v<F&, int> &&
             std::is_constructible_v<Milliseconds, std::invoke_result_t<F&, int>>
  RetryDelay(F function)
      : function_([function = std::move(function)](int attempt) mutable {
          return Milliseconds(function(attempt));
        }) {}

  bool is_fixed() const { return !function_; }
  /// Milliseconds; what the function returns is not checked here.
  std::int64_t after(int attempt) const {
    return is_fixed() ? delay_.count() : function_(attempt).count();
  }
  /// The fixed delay, in milliseconds; the default where it is a function.
  std::int64_t fixed() const { return delay_.count(); }

 private:
  Milliseconds delay_ = 1000;
  Function function_;
};

struct FetchProxyOptions;
struct FetchProxyTarget;

/// What a function of injected headers may look at.
struct FetchProxyHeaderContext {
  Request& req;
  const FetchProxyTarget* target;  ///< null for a call with `url`
  const FetchProxyOptions& options;
};

/// Headers that the proxy adds by itself: a map of names to texts, numbers, booleans or null (which
/// is ignored), or a function that makes one for each request:
///
///   .inject_headers = {{"x-team", "shop"}, {"x-retries", 2}}
///   .inject_headers = [](const fw::FetchProxyHeaderContext& c) {
///     return fw::Json{{"x-request-id", c.req.request_id()}};
///   }
class FetchProxyHeaders {
 public:
  using Function = std::function<Json(const FetchProxyHeaderContext&)>;

  FetchProxyHeaders() = default;
  FetchProxyHeaders(std::initializer_list<std::pair<Text, Json>> entries) {
    for (const auto& [name, value] : entries) values_[name.str()] = value;
  }
  explicit FetchProxyHeaders(Json object) : values_(std::move(object)) {}
  template <class F>
    requires std::is_invocable_r_v<Json, F&, const FetchProxyHeaderContext&>
  FetchProxyHeaders(F function) : function_(std::move(function)) {}

  bool is_function() const { return static_cast<bool>(function_); }
  const Json& values() const { return values_; }
  Json make(const FetchProxyHeaderContext& context) const {
    return function_ ? function_(context) : values_;
  }

 private:
  Json values_ = Json::object();
  Function function_;
};

/// One call of the proxy. What is not set comes from the target, then from the configuration.
struct FetchProxyOptions {
  std::string path = {};    ///< below the target's base URL; required for a named target
  std::string url = {};     ///< absolute; required for a call without a target
  std::string method = {};  ///< the request's when empty
  /// Merged over the query of the URL and of the request; null removes a key.
  std::map<std::string, Json> query = {};
  std::optional<std::string> body = {};  ///< the request's when not set; GET and HEAD send none
  /// Bytes of the request's body: 413 past it. The route's own limit holds, too.
  ByteSize max_body_size = {};
  FetchHeaders headers = {};
  std::vector<std::string> forward_headers = {};  ///< added to the target's
  FetchProxyHeaders inject_headers = {};
  /// With "authorization" in `forward_headers` the client's credentials are sent on.
  bool allow_authorization_forward = false;
  std::optional<Milliseconds> timeout = {};  ///< of an attempt, the body included
  std::optional<int> retry = {};
  std::optional<RetryDelay> retry_delay = {};
};

/// A named upstream: an entry of `fetch.proxy` in the configuration.
struct FetchProxyTarget {
  std::string name = {};
  std::string base_url = {};
  FetchHeaders headers = {};
  std::vector<std::string> forward_headers = {};
  FetchProxyHeaders default_inject_headers = {};
  bool allow_authorization_forward = false;
  std::optional<Milliseconds> timeout = {};
  std::optional<int> retry = {};
  std::optional<RetryDelay> retry_delay = {};
};

/// TLS of outbound connections. Certificates and host names are always verified.
struct FetchTlsConfig {
  std::string ca_file = {};           ///< PEM; the system's certificates when empty
  std::string certificate_file = {};  ///< PEM: what the client identifies itself with
  std::string key_file = {};          ///< PEM: the key of `certificate_file`
};

/// Defaults of all outbound calls (reference: config.fetch).
struct FetchConfig {
  std::int64_t timeout = 10'000;  ///< milliseconds
  int retry = 0;                  ///< attempts after the first
  RetryDelay retry_delay = 1000;
  /// Headers of the inbound request that ordinary calls pass on.
  std::vector<std::string> propagate_headers = {};
  /// Ordinary calls carry `traceparent` (W3C Trace Context): of the inbound request's trace, or of
  /// one that begins there.
  bool trace_context = false;
  std::vector<FetchProxyTarget> proxy = {};
  ByteSize max_size = "64mb";  ///< of a response that `text` or `json` collects
  FetchTlsConfig tls = {};
};

}  // namespace fw
