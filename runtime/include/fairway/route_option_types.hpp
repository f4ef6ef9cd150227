// The types of which the options of a route consist: see <fairway/route_options.hpp>.
#pragma once

#include <fairway/json_fwd.hpp>
#include <fairway/json_literal.hpp>
#include <fairway/responses.hpp>
#include <fairway/route_auth.hpp>
#include <fairway/schema.hpp>
#include <fairway/socket_messages.hpp>
#include <fairway/text.hpp>
#include <fairway/units.hpp>

#include <chrono>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fw {

class Request;

/// A reference to a middleware by its file name, with options for a middleware factory.
class MiddlewareRef {
 public:
  /// @{
  /// Without options: the options of the configuration apply.
  template <detail::Character C>
  MiddlewareRef(const C* middleware) : name_(middleware) {}
  template <detail::StringLike T>
  MiddlewareRef(const T& middleware) : name_(middleware) {}
  /// @}
  /// @{
  /// With options, which replace the options of the configuration.
  MiddlewareRef(Text middleware, Json options);
  template <detail::WorseMatch = void>
  MiddlewareRef(Text middleware, const detail::JsonLiteral& options)
      : name_(std::move(middleware)) {
    set_options(options.tree());
  }
  /// @}
  /// @{
  /// Copies and moves.
  MiddlewareRef(const MiddlewareRef& other);
  MiddlewareRef(MiddlewareRef&& other) noexcept;
  MiddlewareRef& operator=(const MiddlewareRef& other);
  MiddlewareRef& operator=(MiddlewareRef&& other) noexcept;
  /// @}
  ~MiddlewareRef();

  /// Of the file in `src/middlewares`, without extension.
  const std::string& name() const { return name_.str(); }
  /// Null: none.
  const Json& options() const;

 private:
  void set_options(const Json& options);

  Text name_;
  detail::Constant<Json> options_;  ///< nothing: none
};

/// `middlewares` of a route: references that run in this order, before the handler.
class MiddlewareRefs {
 public:
  MiddlewareRefs() = default;
  /// `{"stopwatch", {"require-header", {{"name", "x-team"}}}}`
  MiddlewareRefs(std::initializer_list<MiddlewareRef> refs) : refs_(refs) {}
  /// @{
  /// The references, in their order.
  bool empty() const { return refs_.empty(); }
  const MiddlewareRef* begin() const { return refs_.begin(); }
  const MiddlewareRef* end() const { return refs_.end(); }
  /// @}

 private:
  detail::List<MiddlewareRef> refs_;
};

/// The key of a cached response: a string, or a function of the request. An empty key skips the
/// cache.
class CacheKey {
 public:
  using Function = std::function<std::string(Request&)>;  ///< returns the key of a request
  CacheKey() = default;                                   ///< not declared: method and target
  /// @{
  /// The same key for all requests, or one for each request.
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  CacheKey(const T& text) : CacheKey(Fixed{text}) {}
  template <class F>
    requires std::is_invocable_r_v<std::string, F&, Request&>
  CacheKey(F function) : CacheKey(Computed{std::move(function)}) {}
  /// @}
  /// std::monostate: not declared.
  const std::variant<std::monostate, Text, Function>& get() const;

 private:
  struct Fixed {
    Text text;
  };
  struct Computed {
    Function function;
  };
  explicit CacheKey(Fixed fixed);
  explicit CacheKey(Computed computed);

  detail::Constant<std::variant<std::monostate, Text, Function>> key_;  ///< nothing: not declared
};

/// `query` of `RouteCacheOptions`: the names of the query parameters that are part of the key.
/// Declared as soon as it is written, even as `{}`: then none is.
class CacheQuery {
 public:
  CacheQuery() : declared_(true) {}  ///< `{}`: none
  /// `{"page", "sort"}`
  CacheQuery(std::initializer_list<Text> names) : declared_(true), names_(names) {}
  CacheQuery(TextList names) : declared_(true), names_(std::move(names)) {}  ///< from a list
  CacheQuery(std::nullopt_t) {}  ///< not declared: all parameters

  /// Null if they are not declared.
  const TextList* names() const { return declared_ ? &names_ : nullptr; }

 private:
  bool declared_ = false;
  TextList names_;
};

/// `RouteCacheOptions`: server-side response caching.
struct RouteCacheOptions {
  std::optional<Milliseconds> ttl = {};  ///< missing or 0: the global default; negative disables
  TextList methods = {};                 ///< GET and HEAD when empty
  TextList headers = {};                 ///< request headers that are part of the key
  /// Query parameters that are part of the key; `{}`: none. Default: all. The response must not
  /// depend on others.
  CacheQuery query = std::nullopt;
  CacheKey key = {};  ///< default: method and target
  /// Separates entries, for example by tenant; requests with credentials need one.
  std::function<std::string(Request&)> partition_key = {};
  /// False: the request is not cached. Runs before the handler.
  std::function<bool(Request&)> condition = {};
  TextList tags = {};  ///< for `ResponseCache::invalidate`
  /// How long after its time to live a response may still be sent while the handler runs again.
  std::optional<Milliseconds> stale_while_revalidate = {};
  /// Whether responses have `Cache-Control` with a `max-age`, unless the handler sets that header:
  /// `public`, or `private` if they depend on who asks.
  bool cache_control = true;
  /// Whether requests with credentials are cached without a partition: their responses must be the
  /// same for all users.
  bool allow_authorization_cache = false;
  /// Whether responses to requests with cookies are stored: they must be the same for all users.
  bool allow_cookie_cache = false;
  /// Whether responses that depend on who asks are `public`, too: responses of a partition, to
  /// authorized requests, and of routes with `auth`. Shared caches in front of the application may
  /// then give them to others, unless `Vary` or the URL tells them apart.
  bool allow_shared_caches = false;
};

/// `cache` of a route: `false`, a time to live, or options.
class Cache {
 public:
  Cache() = default;  ///< not declared
  /// `false` disables the cache; `true` throws std::invalid_argument.
  template <std::same_as<bool> B>
  Cache(B enabled) : declared_(true) {
    if (enabled) throw std::invalid_argument("cache: write a time to live instead of true");
  }
  /// @{
  /// A time to live; 0 disables the cache.
  Cache(Milliseconds ttl);
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Cache(T milliseconds) : Cache(Milliseconds(milliseconds)) {}
  template <class Rep, class Period>
  Cache(std::chrono::duration<Rep, Period> ttl) : Cache(Milliseconds(ttl)) {}
  /// @}
  /// With options.
  Cache(RouteCacheOptions options);

  /// Whether the route has the option, even as `false`.
  bool declared() const { return declared_; }
  /// Null if caching is not declared for the route, or is disabled.
  const RouteCacheOptions* options() const { return options_.get(); }

 private:
  bool declared_ = false;
  detail::Constant<RouteCacheOptions> options_;
};

/// Rules of one file field of a multipart form.
struct FileRules {
  Text description = {};  ///< for the OpenAPI document
  /// Every request must have the file: 400 without it, and 415 for a body that is not a form.
  bool required = false;
};

/// A named file field: `{"avatar", "Picture"}` or `{"avatar", {.required = true}}`.
class FileField {
 public:
  /// @{
  /// With a description for the OpenAPI document.
  template <detail::Character C>
  FileField(Text field, const C* description) : name(std::move(field)), rules{description} {}
  template <detail::StringLike T>
  FileField(Text field, const T& description) : name(std::move(field)), rules{description} {}
  /// @}
  /// With rules.
  FileField(Text field, FileRules field_rules)
      : name(std::move(field)), rules(std::move(field_rules)) {}

  Text name;        ///< of the field in the form
  FileRules rules;  ///< what the file must satisfy
};

using FileFields = detail::List<FileField>;  ///< `{{"avatar", "Picture"}}`

/// `multipart` of a route: uploads in forms (docs/uploads.md). Members that are not set have the
/// values of the configuration.
struct Multipart {
  std::optional<bool> enabled = {};  ///< whether forms are parsed
  /// The file fields, for the OpenAPI document and the check that required files are there.
  FileFields files = {};
  /// Whether the text fields of a form are the body, like the fields of an urlencoded form:
  /// `validate.body` checks them, and a CSRF token may be one of them.
  std::optional<bool> fields = {};
  std::optional<int> max_files = {};  ///< in a form; 413 above it
  ByteSize max_file_size = {};        ///< of each file; 413 above it
  TextList allowed_mime_types = {};   ///< "image/png", "image/*"; 415 for others
};

/// `session` of a route with options. Members that are not set have the values of the
/// configuration.
struct SessionOptions {
  std::optional<bool> rolling = {};      ///< whether the request renews the session and its cookie
  std::optional<bool> auto_commit = {};  ///< false: only `save()` saves changes
};

/// `session` of a route: `false` opts out, `true` opts in, options override the configuration.
class SessionSwitch {
 public:
  SessionSwitch() = default;  ///< not declared
  /// Opts in or out.
  template <std::same_as<bool> B>
  SessionSwitch(B enabled) : enabled_(enabled) {}
  /// Opts in, with options.
  SessionSwitch(SessionOptions options) : enabled_(true), options_(options) {}

  /// Not set: as configured.
  std::optional<bool> enabled() const { return enabled_; }
  /// Meaningful if sessions are enabled.
  const SessionOptions& options() const { return options_; }

 private:
  std::optional<bool> enabled_;
  SessionOptions options_;
};

/// `bodyParser` of a route. Declared as soon as it is written, even as `{}`.
struct BodyParser {
  std::optional<bool> enabled = {};  ///< not set: as configured
  ByteSize max_body_size = {};       ///< not set: as configured; 413 above it
  /// The handler reads the body while it arrives: `Request::body_stream`. It is not parsed.
  bool stream = false;
  bool declared = true;  ///< false: the route does not have the option
};

/// `csrf` and `securityHeaders`: can only be disabled.
class Skip {
 public:
  constexpr Skip() = default;  ///< not skipped
  /// `false`; `true` throws std::invalid_argument.
  template <std::same_as<bool> B>
  constexpr Skip(B value) : skipped_(true) {
    if (value) throw std::invalid_argument("this option can only be false");
  }
  /// Whether the option is `false`.
  constexpr bool skipped() const { return skipped_; }

 private:
  bool skipped_ = false;
};

/// `override.rateLimit` with values, which give the route a window of its own. Members that are not
/// set have the values of the configuration.
struct RateLimitOptions {
  std::optional<int> max = {};     ///< requests of a client in a window
  std::optional<int> window = {};  ///< seconds
  Text key_by = {};                ///< "ip" or "user"
};

/// `override.rateLimit`: `false`, or values that adjust the enabled global limiter.
class RateLimitOverride {
 public:
  RateLimitOverride() = default;  ///< not declared
  /// `false`: no limit for the route; `true`: a window of its own, with the values of the
  /// configuration.
  template <std::same_as<bool> B>
  RateLimitOverride(B enabled) : declared_(true), enabled_(enabled) {}
  /// With values.
  RateLimitOverride(RateLimitOptions options)
      : declared_(true), enabled_(true), options_(std::move(options)) {}

  /// Whether the route has the option, even as `false`.
  bool declared() const { return declared_; }
  /// False: the route is not limited.
  bool enabled() const { return enabled_; }
  /// Meaningful if the limit is enabled.
  const RateLimitOptions& options() const { return options_; }

 private:
  bool declared_ = false;
  bool enabled_ = false;
  RateLimitOptions options_;
};

/// `override.cors`: merged over the global CORS configuration.
struct CorsOverride {
  std::optional<bool> enabled = {};      ///< whether the route has CORS headers
  TextList origins = {};                 ///< empty: as configured
  TextList methods = {};                 ///< empty: as configured
  TextList headers = {};                 ///< empty: as configured
  std::optional<bool> credentials = {};  ///< whether pages may send cookies
  std::optional<int> max_age = {};       ///< seconds
};

/// `override` of a route: settings that replace the settings of the configuration.
struct Override {
  RateLimitOverride rate_limit = {};         ///< of `rateLimit`
  std::optional<Milliseconds> timeout = {};  ///< legacy; `RouteOptions::timeout` takes precedence
  ByteSize max_body_size = {};  ///< legacy; `BodyParser::max_body_size` takes precedence
  CorsOverride cors = {};       ///< of `cors`
};

/// `timeout` of a route: a positive deadline, or `false`.
class Timeout {
 public:
  Timeout() = default;  ///< not declared
  /// `false`: no deadline; `true` throws std::invalid_argument.
  template <std::same_as<bool> B>
  Timeout(B enabled) : declared_(true) {
    if (enabled) throw std::invalid_argument("timeout: write milliseconds instead of true");
  }
  /// @{
  /// A deadline, in milliseconds or as a duration.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Timeout(T milliseconds) : declared_(true), deadline_(Milliseconds(milliseconds)) {}
  template <class Rep, class Period>
  Timeout(std::chrono::duration<Rep, Period> deadline) : declared_(true), deadline_(deadline) {}
  /// @}

  /// Whether the route has the option, even as `false`.
  bool declared() const { return declared_; }
  /// Empty: none.
  const std::optional<Milliseconds>& deadline() const { return deadline_; }

 private:
  bool declared_ = false;
  std::optional<Milliseconds> deadline_;
};

/// `events` of a route: how its streams of events or lines are sent (docs/events.md). For routes
/// with `fw::events` or `fw::lines` in `responses`, or with such a result.
struct EventOptions {
  /// Bytes of events of a client that wait because it reads slowly. Default: "64kb".
  ByteSize queue = {};
  /// What happens beyond that: "close" ends the stream, which is the default; "drop_oldest" drops
  /// the oldest events that wait, and "coalesce" first replaces one with the same name.
  Text overflow = {};
  /// After how long a client connects again; sent when the stream begins. Not set: as the client
  /// chooses, in browsers a few seconds.
  std::optional<Milliseconds> retry = {};
  /// Streams of the route that one address may have open; 429 above it. Default:
  /// `server.maxStreamsPerAddress`.
  std::optional<int> max_per_address = {};
};

/// `socket` of a socket's route (docs/sockets.md).
struct SocketOptions {
  /// Bytes of a message of the client, decompressed; a larger one closes the socket with 1009.
  /// Default: "64kb".
  ByteSize max_message = {};
  /// Bytes of messages to a client that wait because it reads slowly. Default: "256kb".
  ByteSize queue = {};
  /// What happens beyond that: "close" closes the socket with 1008, which is the default;
  /// "drop_oldest" drops the oldest messages that wait, and "coalesce" first those with the same
  /// name.
  Text overflow = {};
  /// The subprotocols of which the server chooses the first that the client offers. A client that
  /// offers only others gets none.
  TextList protocols = {};
  /// The origins whose pages may open the socket, beside the server itself; "*": all. Browsers
  /// send the cookies of the user for any page.
  TextList origins = {};
  /// Whether a message that is not valid closes the socket with 1007. Otherwise, the client gets
  /// the message `error`.
  bool close_on_invalid = false;
  /// Sockets of the route that one address may have open; 429 above it. Default:
  /// `server.maxStreamsPerAddress`.
  std::optional<int> max_per_address = {};
};

/// `objective` of a route: what its responses must keep. It changes nothing about requests:
/// `fairway observe` writes alert rules from it (docs/metrics.md).
struct Objective {
  /// The time in which 99 of 100 requests must have their response: 5 ms to below 10 seconds.
  std::optional<Milliseconds> p99 = {};
  /// Percent of the requests that must get another response than 5xx: `99.9`.
  std::optional<double> availability = {};
};

}  // namespace fw

#ifndef FAIRWAY_WITHOUT_JSON
#include <fairway/auth.hpp>
#endif
