// Configuration of an application (reference: Other configuration keys used; defaults as in
// not-shown). JSON layers use the reference's camelCase names.
#pragma once

#include <fairway/docs_access.hpp>
#include <fairway/duration.hpp>
#include <fairway/json.hpp>
#include <fairway/logger.hpp>
#include <fairway/response.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fw {

struct ResponseLogConfig {
  bool unknown_errors = true;
  bool http5xx = true;
  bool http4xx = false;
};

struct ResponseConfig {
  bool wrap = true;
  bool hide_internal_errors = true;
  ResponseLogConfig log_errors = {};
};

/// What becomes of a request whose id is not valid (1 to 512 characters, no control characters).
enum class InvalidRequestId {
  error,    ///< a 500 and an error in the log, as for other failures
  replace,  ///< a generated id takes its place
};

struct RequestIdConfig {
  bool enabled = true;
  std::string header = "x-request-id";
  std::string response_header = "x-request-id";
  InvalidRequestId on_invalid = InvalidRequestId::error;  ///< of one that a client sent
  std::function<std::string()> generate = {};             ///< UUID version 4 when empty
};

struct RequestContextConfig {
  bool enabled = true;
};

struct BodyParserConfig {
  bool enabled = true;
  ByteSize max_body_size = "1mb";
  /// Values of a JSON body: objects, arrays, their members and items; 413 past it.
  int max_values = 50'000;
  int max_form_fields = 1'000;  ///< of a urlencoded body; 400 past it
};

struct AccessLogConfig {
  bool enabled = true;
  LogLevel level = LogLevel::info;  ///< info or debug
  std::vector<std::string> skip_paths = {};
  std::vector<std::string> skip_path_prefixes = {};
  std::int64_t slow_threshold = 0;  ///< milliseconds; 0 is off
  bool warn_on4xx = false;
  bool log_response_size = false;
};

enum class PrettyColor { automatic, always, never };

struct LoggerConfig {
  LogLevel level = LogLevel::info;
  bool pretty = false;  ///< true outside production
  PrettyColor pretty_color = PrettyColor::automatic;
  std::vector<std::string> redact_keys = {};
  std::vector<std::string> redact_paths = {};
  std::string redact_value = "[Redacted]";
  std::string file = {};  ///< path to append to; standard output when empty
};

/// An entry of the whitelist of middlewares that routes may refer to.
struct MiddlewareConfig {
  std::string name = {};
  Json options = {};
};

struct OpenApiDocsAccessConfig {
  DocsAccessResolver resolver = {};  ///< empty: every operation is as its route declares
};

struct OpenApiDocsConfig {
  OpenApiDocsAccessConfig access = {};
};

struct OpenApiLicenseConfig {
  std::string name = {};
  std::string url = {};
  std::string identifier = {};  ///< of SPDX; OpenAPI 3.1 only
};

struct OpenApiContactConfig {
  std::string name = {};
  std::string url = {};
  std::string email = {};
};

/// `info` of the OpenAPI document. Empty members are left out.
struct OpenApiInfoConfig {
  std::string title = {};
  std::string version = {};
  std::string summary = {};  ///< OpenAPI 3.1 only
  std::string description = {};
  std::string terms_of_service = {};
  OpenApiLicenseConfig license = {};
  OpenApiContactConfig contact = {};
};

struct OpenApiServerConfig {
  std::string url = {};
  std::string description = {};
};

/// The route compiler reads `info`, `servers`, `guard_security_map` and `security_schemes` from the
/// layer that it is given (`--app-config`, by default config/default.json); what another layer or
/// the code says instead is applied to the document that is served.
struct OpenApiConfig {
  bool enabled = false;
  std::string json_path = "/openapi.json";
  std::string docs_path = "/docs";
  OpenApiInfoConfig info = {};
  std::vector<OpenApiServerConfig> servers = {};  ///< "/" when empty
  std::map<std::string, std::string> guard_security_map = {};
  /// Security Scheme Objects by name; other schemes are HTTP bearer schemes.
  Json security_schemes = Json::object();
  OpenApiDocsConfig docs = {};  ///< set in code: a layer cannot hold a function
};

/// Messages in several languages: docs/i18n.md.
struct LocaleConfig {
  std::string default_language = "en-US";   ///< `locale.default`
  std::vector<std::string> supported = {};  ///< languages that have a file when empty
  std::string directory = "locales";
};

struct ShutdownConfig {
  std::int64_t timeout = 10'000;  ///< milliseconds that running requests may take to finish
};

/// What serves HTTP (docs/server.md compares them).
enum class HttpEngine {
  automatic,  ///< epoll where the library has it
  epoll,      ///< few threads for many connections; Linux
  httplib,    ///< cpp-httplib, a thread for each connection; everywhere
};

/// The HTTP front: where it listens and what it grants a client (docs/server.md has the whole
/// table). Numbers of connections and workers are those of one process.
struct ServerConfig {
  HttpEngine engine = HttpEngine::automatic;
  std::string unix_socket = {};             ///< path to listen on instead of host and port
  std::string unix_socket_mode = "0660";    ///< who may connect to it, in octal
  int backlog = 4'096;                      ///< connections that may wait to be accepted
  bool reuse_port = false;                  ///< several processes may listen on one port
  std::int64_t keep_alive_timeout = 5'000;  ///< milliseconds without a next request
  std::int64_t headers_timeout = 60'000;    ///< milliseconds until a head is complete
  std::int64_t request_timeout = 300'000;   ///< milliseconds until a body is complete
  std::int64_t send_timeout = 30'000;       ///< milliseconds in which a client takes no byte
  /// Bytes a second that a client must send of a body, or take of a response, on the average; 0
  /// leaves it to the other limits.
  ByteSize min_data_rate = "240b";
  ByteSize max_header_size = "16kb";
  int max_header_count = 100;
  int max_query_parameters = 1'000;     ///< 400 past it, when the query is read
  int max_cookies = 256;                ///< 400 past it, when cookies are read
  int max_requests_per_connection = 0;  ///< 0: no limit
  int max_connections = 10'000;
  int max_connections_per_address = 0;  ///< 0: no limit; of IPv6 addresses, /64 networks count
  /// Memory, over all connections, for bodies that are received or handled and for responses that
  /// clients take slowly.
  ByteSize max_buffered_bytes = "128mb";
  int min_workers = 0;    ///< threads kept free of waiting handlers; 0 ("auto"): one a processor
  int max_workers = 256;  ///< threads in all, when handlers wait
  std::int64_t worker_idle_timeout = 10'000;  ///< milliseconds until idle threads above min end
  /// Milliseconds between two times that an idle server gives free memory back to the system; 0:
  /// never.
  std::int64_t trim_interval = 10'000;
};

/// Several processes behind one port, kept alive by the first, which runs no requests itself. They
/// are started as the program itself was: `main` runs in each of them.
struct ClusterConfig {
  bool enabled = false;
  int workers = 0;           ///< processes; 0 ("auto"): one for each processor
  bool auto_restart = true;  ///< of processes that end by themselves
  int max_restarts = 5;      ///< of one worker in `restart_window`; one more ends the cluster
  std::int64_t restart_window = 60'000;     ///< milliseconds
  std::int64_t restart_delay = 1'000;       ///< milliseconds before the first restart; it doubles
  std::int64_t max_restart_delay = 30'000;  ///< milliseconds
  std::int64_t start_timeout = 60'000;      ///< milliseconds until a worker must be ready
};

/// How requests are matched with routes.
struct RouterConfig {
  /// Static segments of paths match in the case of the declaration only. Without it `/Admin`
  /// reaches the route `/admin`: rules of a proxy for a path must then ignore case, too.
  bool case_sensitive = false;
};

/// Whose X-Forwarded-For and X-Forwarded-Proto are believed: those of nobody (`false`), of anybody
/// (`true`), of so many proxies in a row, counted from the connection, or of proxies in networks.
///
///   config.trust_proxy = 1;
///   config.trust_proxy = fw::TrustProxy({"10.0.0.0/8", "::1", "unix"});
class TrustProxy {
 public:
  enum class Mode { none, all, hops, networks };

  TrustProxy() = default;
  template <std::same_as<bool> T>  // only bool: a string literal would convert to it
  TrustProxy(T all) : mode_(all ? Mode::all : Mode::none) {}
  /// 0 is the same as false.
  TrustProxy(int hops) : mode_(hops == 0 ? Mode::none : Mode::hops), hops_(hops) {}
  /// Addresses or networks in CIDR notation, IPv4 or IPv6; "unix" for clients of a unix socket. One
  /// that is none keeps the application from starting.
  TrustProxy(std::vector<std::string> networks)
      : mode_(Mode::networks), networks_(std::move(networks)) {}

  Mode mode() const { return mode_; }
  int hops() const { return hops_; }
  const std::vector<std::string>& networks() const { return networks_; }

 private:
  Mode mode_ = Mode::none;
  int hops_ = 0;
  std::vector<std::string> networks_;
};

/// What a store is made of (docs/stores.md).
enum class StoreType {
  standard,  ///< "default": the store of the application, which is in memory unless `store` says
             ///< else
  memory,    ///< of each process
  redis,
};

/// Where state that outlives a request is kept: `store`, for all features, and a member of that
/// name in the configuration of each feature, for that one.
struct StoreConfig {
  StoreType type = StoreType::standard;
  int max_entries = 100'000;                   ///< memory
  ByteSize max_memory = "64mb";                ///< memory
  std::string url = "redis://127.0.0.1:6379";  ///< redis: see RedisStoreOptions
  std::string key_prefix = "fw:";              ///< redis
  std::int64_t timeout = 1'000;                ///< redis: milliseconds
  int connections = 2;                         ///< redis: of each process
  std::string ca_file = {};                    ///< redis: path of a PEM file, for TLS
};

struct RateLimitConfig {
  StoreConfig store = {};
};

/// The cache of responses (docs/caching.md): for routes with `cache`.
struct CacheConfig {
  bool enabled = true;           ///< false: no response is cached
  std::int64_t default_ttl = 0;  ///< milliseconds, for routes without `ttl`; 0: they cache nothing
  int max_entries = 10'000;      ///< memory
  ByteSize max_memory = "64mb";  ///< memory
  StoreConfig store = {};        ///< its bounds are those above
};

enum class CookieSecure {
  automatic,  ///< for clients that use https, as `trustProxy` says
  always,
  never,
};

/// Attributes of a cookie of the framework's.
struct CookieConfig {
  std::string path = "/";
  std::string domain = {};
  SameSite same_site = SameSite::lax;
  CookieSecure secure = CookieSecure::automatic;
  bool http_only = true;
  /// Seconds; 0: it ends with the browser; empty ("auto"): the session's `ttl`, and for the CSRF
  /// cookie 0.
  std::optional<std::int64_t> max_age = {};
  std::string priority = {};  ///< Low, Medium or High
  bool partitioned = false;
};

/// docs/sessions.md.
struct SessionConfig {
  bool enabled = false;         ///< for routes without the option `session`
  std::string name = "fw.sid";  ///< of the cookie
  std::int64_t ttl = 86'400;    ///< seconds without a save until a session is forgotten
  bool rolling = false;         ///< every request renews the session and its cookie
  bool auto_commit = true;      ///< false: `save()` does it
  int id_length = 32;           ///< random bytes of an id, 16 to 128
  CookieConfig cookie = {};
  StoreConfig store = {};
};

enum class CsrfMode {
  automatic,      ///< session for routes that have one, else signed_cookie
  session,        ///< the token belongs to the session
  signed_cookie,  ///< the token belongs to a cookie, signed with `secret`
};

/// Where requests may come from: `false` in a layer does not check it.
struct CsrfOriginConfig {
  bool enabled = false;
  /// "https://shop.example.com", besides the application's own.
  std::vector<std::string> trusted_origins = {};
};

/// Protection against forged requests of other sites: docs/csrf.md.
struct CsrfConfig {
  bool enabled = false;
  CsrfMode mode = CsrfMode::automatic;
  std::string secret = {};  ///< of the signed cookies; 32 bytes or more
  std::vector<std::string> methods = {"POST", "PUT", "PATCH", "DELETE"};
  std::vector<std::string> headers = {"x-csrf-token", "x-xsrf-token"};
  std::string body_field = "_csrf";
  std::string name = "fw.csrf";  ///< of the cookie
  CookieConfig cookie = {};
  bool fetch_metadata = true;  ///< refuse what the browser says is cross-site
  CsrfOriginConfig origin = {};
};

/// Every member has the reference's default.
struct Config {
  std::string environment = "production";  ///< production, development or test
  std::string host = "0.0.0.0";
  int port = 3000;
  TrustProxy trust_proxy = false;
  ResponseConfig response = {};
  RequestIdConfig request_id = {};
  RequestContextConfig request_context = {};
  BodyParserConfig body_parser = {};
  AccessLogConfig access_log = {};
  LoggerConfig logger = {};
  std::vector<MiddlewareConfig> middlewares = {};
  OpenApiConfig openapi = {};
  LocaleConfig locale = {};
  ShutdownConfig shutdown = {};
  ServerConfig server = {};
  RouterConfig router = {};
  ClusterConfig cluster = {};
  StoreConfig store = {};
  RateLimitConfig rate_limit = {};
  CacheConfig cache = {};
  SessionConfig session = {};
  CsrfConfig csrf = {};
  Json app = Json::object();  ///< the application's own settings, free in form
};

/// Defaults, then config/default.json, config/<profile>.json, config/local.json (below the
/// working directory), then the environment (FAIRWAY_ENV, FAIRWAY_CONFIG, PORT, HOST,
/// FAIRWAY_LOG_LEVEL, and FAIRWAY_APP_… for keys of `app`: FAIRWAY_APP_PAYMENT__API_KEY is
/// `app.payment.apiKey`, a string, or JSON where an earlier layer has another type), then flags
/// (--port, --host, --config). An error prints what, where and what
/// was expected on standard error and exits with status 1. --help prints the flags, --print-config
/// the configuration with the origin of each value and without secrets; both exit with status 0.
Config load_config(int argc, char** argv);

/// As `load_config`, for tests and embedding: `directory` holds the JSON layers. Throws
/// StartupError with all errors.
Config load_config_from(const std::string& directory,
                        const std::vector<std::string>& arguments = {});

/// Applies one JSON layer over `config`. `source` names it in messages. Throws StartupError with
/// every unknown key and wrong type: source, JSON pointer, expectation.
void apply_config_layer(Config& config, const Json& layer, const std::string& source);

}  // namespace fw
