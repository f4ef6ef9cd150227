// Options of a route (reference: RouteOptions). Aggregates, written with designated initialisers.
#pragma once

#include <fairway/auth.hpp>
#include <fairway/docs.hpp>
#include <fairway/json.hpp>
#include <fairway/responses.hpp>
#include <fairway/schema.hpp>
#include <fairway/text.hpp>
#include <fairway/units.hpp>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace fw {

class Request;

/// A reference to a middleware by its file name, with options for a middleware factory.
class MiddlewareRef {
 public:
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  MiddlewareRef(const T& middleware) : name_(std::string_view(middleware)) {}
  MiddlewareRef(Text middleware, Json options)
      : name_(middleware.str()), options_(std::move(options)) {}

  const std::string& name() const { return name_; }
  const Json& options() const { return options_; }

 private:
  std::string name_;
  Json options_;
};

class MiddlewareRefs {
 public:
  MiddlewareRefs() = default;
  MiddlewareRefs(std::initializer_list<MiddlewareRef> refs) : refs_(refs) {}
  bool empty() const { return refs_.empty(); }
  auto begin() const { return refs_.begin(); }
  auto end() const { return refs_.end(); }

 private:
  std::vector<MiddlewareRef> refs_;
};

/// The key of a cached response: a string, or a function of the request. An empty key skips the
/// cache.
class CacheKey {
 public:
  using Function = std::function<std::string(Request&)>;
  CacheKey() = default;
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  CacheKey(const T& text) : key_(Text(text)) {}
  template <class F>
    requires std::is_invocable_r_v<std::string, F&, Request&>
  CacheKey(F function) : key_(Function(std::move(function))) {}
  const std::variant<std::monostate, Text, Function>& get() const { return key_; }

 private:
  std::variant<std::monostate, Text, Function> key_;
};

/// `RouteCacheOptions`: server-side response caching.
struct RouteCacheOptions {
  std::optional<Milliseconds> ttl = {};  ///< missing or 0: the global default; negative disables
  TextList methods = {};                 ///< GET and HEAD when empty
  TextList headers = {};                 ///< request headers that are part of the key
  CacheKey key = {};
  std::function<std::string(Request&)> partition_key = {};
  std::function<bool(Request&)> condition = {};
  TextList tags = {};
  /// How long after its time to live a response may still be sent while the handler runs again.
  std::optional<Milliseconds> stale_while_revalidate = {};
  bool cache_control = true;
  bool allow_authorization_cache = false;
  bool allow_cookie_cache = false;
};

/// `cache` of a route: `false`, a time to live, or options.
class Cache {
 public:
  Cache() = default;  ///< not declared
  template <std::same_as<bool> B>
  Cache(B enabled) : declared_(true) {
    if (enabled) throw std::invalid_argument("cache: write a time to live instead of true");
  }
  Cache(Milliseconds ttl) : declared_(true), options_(RouteCacheOptions{.ttl = ttl}) {
    if (ttl.count() == 0) options_.reset();
  }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Cache(T milliseconds) : Cache(Milliseconds(milliseconds)) {}
  template <class Rep, class Period>
  Cache(std::chrono::duration<Rep, Period> ttl) : Cache(Milliseconds(ttl)) {}
  Cache(RouteCacheOptions options) : declared_(true), options_(std::move(options)) {}

  bool declared() const { return declared_; }
  /// Null if caching is not declared for the route, or is disabled.
  const std::optional<RouteCacheOptions>& options() const { return options_; }

 private:
  bool declared_ = false;
  std::optional<RouteCacheOptions> options_;
};

/// Rules of one file field of a multipart form.
struct FileRules {
  Text description = {};
  bool required = false;
};

/// A named file field: `{"avatar", "Picture"}` or `{"avatar", {.required = true}}`.
class FileField {
 public:
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  FileField(Text field, const T& description) : name(std::move(field)), rules{Text(description)} {}
  FileField(Text field, FileRules field_rules)
      : name(std::move(field)), rules(std::move(field_rules)) {}

  Text name;
  FileRules rules;
};

struct Multipart {
  std::optional<bool> enabled = {};
  std::vector<FileField> files = {};
  std::optional<int> max_files = {};
  ByteSize max_file_size = {};
  TextList allowed_mime_types = {};
};

struct SessionOptions {
  std::optional<bool> rolling = {};
  std::optional<bool> auto_commit = {};
};

/// `session` of a route: `false` opts out, `true` opts in, options override the configuration.
class SessionSwitch {
 public:
  SessionSwitch() = default;  ///< not declared
  template <std::same_as<bool> B>
  SessionSwitch(B enabled) : enabled_(enabled) {}
  SessionSwitch(SessionOptions options) : enabled_(true), options_(options) {}

  std::optional<bool> enabled() const { return enabled_; }
  const SessionOptions& options() const { return options_; }

 private:
  std::optional<bool> enabled_;
  SessionOptions options_;
};

/// `bodyParser` of a route. Declared as soon as it is written, even as `{}`.
struct BodyParser {
  std::optional<bool> enabled = {};
  ByteSize max_body_size = {};
  /// The handler reads the body while it arrives: `Request::body_stream`. It is not parsed.
  bool stream = false;
  bool declared = true;
};

/// `csrf` and `securityHeaders`: can only be disabled.
class Skip {
 public:
  constexpr Skip() = default;  ///< not skipped
  template <std::same_as<bool> B>
  constexpr Skip(B value) : skipped_(true) {
    if (value) throw std::invalid_argument("this option can only be false");
  }
  constexpr bool skipped() const { return skipped_; }

 private:
  bool skipped_ = false;
};

struct RateLimitOptions {
  std::optional<int> max = {};
  std::optional<int> window = {};  ///< seconds
  Text key_by = {};
};

/// `override.rateLimit`: `false`, or values that adjust the enabled global limiter.
class RateLimitOverride {
 public:
  RateLimitOverride() = default;  ///< not declared
  template <std::same_as<bool> B>
  RateLimitOverride(B enabled) : declared_(true), enabled_(enabled) {}
  RateLimitOverride(RateLimitOptions options)
      : declared_(true), enabled_(true), options_(std::move(options)) {}

  bool declared() const { return declared_; }
  bool enabled() const { return enabled_; }
  const RateLimitOptions& options() const { return options_; }

 private:
  bool declared_ = false;
  bool enabled_ = false;
  RateLimitOptions options_;
};

/// `override.cors`: merged over the global CORS configuration.
struct CorsOverride {
  std::optional<bool> enabled = {};
  TextList origins = {};
  TextList methods = {};
  TextList headers = {};
  std::optional<bool> credentials = {};
  std::optional<int> max_age = {};  ///< seconds
};

struct Override {
  RateLimitOverride rate_limit = {};
  std::optional<Milliseconds> timeout = {};  ///< legacy; `RouteOptions::timeout` takes precedence
  ByteSize max_body_size = {};
  CorsOverride cors = {};
};

/// `timeout` of a route: a positive deadline, or `false`.
class Timeout {
 public:
  Timeout() = default;  ///< not declared
  template <std::same_as<bool> B>
  Timeout(B enabled) : declared_(true) {
    if (enabled) throw std::invalid_argument("timeout: write milliseconds instead of true");
  }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Timeout(T milliseconds) : declared_(true), deadline_(Milliseconds(milliseconds)) {}
  template <class Rep, class Period>
  Timeout(std::chrono::duration<Rep, Period> deadline) : declared_(true), deadline_(deadline) {}

  bool declared() const { return declared_; }
  const std::optional<Milliseconds>& deadline() const { return deadline_; }

 private:
  bool declared_ = false;
  std::optional<Milliseconds> deadline_;
};

/// `frontend` of a route: its pages and their freshness.
struct Frontend {
  Text page = {};
  /// The schema of the data that the handler passes to `res.render`. Other members are removed, and
  /// the compiler rejects other names in the pages. Without it, the schema of the response with
  /// status 200 has this meaning.
  DataSchema data = {};
  Text mode = {};  ///< "static" or "revalidate"
  Json static_params = {};
  std::optional<int> revalidate = {};  ///< seconds
  bool client_only = false;
  Text hydration = {};  ///< "none" removes the browser runtime
  Json seo = {};
};

/// All options of a route.
struct RouteOptions {
  Validate validate = {};
  Auth auth = {};
  Cache cache = {};
  MiddlewareRefs middlewares = {};
  Responses responses = {};
  Docs docs = {};
  Multipart multipart = {};
  SessionSwitch session = {};
  BodyParser body_parser = {.declared = false};
  Skip csrf = {};
  Override override_ = {};
  Timeout timeout = {};
  Skip security_headers = {};
  std::optional<bool> compression = {};  ///< opts out of compression, or in to it
  Frontend frontend = {};
};

}  // namespace fw
