// Configuration of an application (docs/configuration.md). JSON layers use camelCase names.
#pragma once

#include <fairway/cookie_options.hpp>
#include <fairway/docs_access.hpp>
#include <fairway/fetch_options.hpp>
#include <fairway/json_type.hpp>
#include <fairway/logger.hpp>
#include <fairway/protection_config.hpp>
#include <fairway/static_files.hpp>
#include <fairway/units.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw {

/// Which errors are written to the log before their response is sent.
struct ResponseLogConfig {
  bool unknown_errors = true;  ///< exceptions that are not fw::HttpError
  bool http5xx = true;         ///< fw::HttpError from 500 on
  bool http4xx = false;        ///< fw::HttpError below 500
};

/// `response`: the form of JSON responses and of errors (docs/responses.md, docs/errors.md).
struct ResponseConfig {
  bool wrap = true;  ///< whether JSON responses are in the envelope `{"code", "data", "requestId"}`
  /// Whether the response to an unexpected exception hides its message from the client.
  bool hide_internal_errors = true;
  ResponseLogConfig log_errors = {};  ///< `response.logErrors`
};

/// What happens to a request with an invalid id. A valid id has 1 to 512 characters and no control
/// characters.
enum class InvalidRequestId {
  error,    ///< the response is a 500, and the error is logged
  replace,  ///< a generated id replaces it
};

/// `requestId`: the id of a request, which its log lines and its response contain.
struct RequestIdConfig {
  bool enabled = true;                           ///< false: requests have no id
  std::string header = "x-request-id";           ///< request header with an id of the client
  std::string response_header = "x-request-id";  ///< response header that repeats the id
  InvalidRequestId on_invalid = InvalidRequestId::error;  ///< for ids sent by clients
  std::function<std::string()> generate = {};             ///< UUID version 4 when empty
};

/// `requestContext`: the request that a thread handles.
struct RequestContextConfig {
  /// Whether log lines and outbound calls of a handler have the id of its request.
  bool enabled = true;
  /// Whether log lines of an authenticated request have `user`: its user id, or else its subject.
  bool log_user = false;
};

/// `bodyParser`: JSON and urlencoded request bodies. A route can have its own values in
/// `.body_parser`.
struct BodyParserConfig {
  bool enabled = true;             ///< false: `req.body()` is null
  ByteSize max_body_size = "1mb";  ///< of any request body; 413 above it
  /// Maximum number of values in a JSON body: objects, arrays, their members and items; 413 above
  /// it.
  int max_values = 50'000;
  int max_form_fields = 1'000;  ///< in a urlencoded body; 400 above it
};

/// `accessLog`: a log line for each request that completes without an exception.
struct AccessLogConfig {
  bool enabled = true;              ///< false: no lines
  LogLevel level = LogLevel::info;  ///< info or debug
  /// Paths whose requests have no line, without the query; compared exactly.
  std::vector<std::string> skip_paths = {};
  /// The same for all paths that begin with one of these.
  std::vector<std::string> skip_path_prefixes = {};
  std::int64_t slow_threshold = 0;  ///< milliseconds; 0 is off
  bool warn_on4xx = false;          ///< whether lines with status 400 to 499 are warnings
  bool log_response_size = false;   ///< whether lines have the size of the body
  /// Whether all responses of the application have a line: errors that are thrown, and errors of
  /// rate limits, bodies and CORS, too.
  bool errors = false;
};

/// Whether lines for people have colors; `automatic`: on a terminal, unless NO_COLOR is set.
enum class PrettyColor { automatic, always, never };

/// `logger`: what is logged, in which form, and where.
struct LoggerConfig {
  LogLevel level = LogLevel::info;  ///< the least severe level that is logged
  /// Lines for people instead of JSON. `load_config` sets it to true outside production.
  bool pretty = false;
  PrettyColor pretty_color = PrettyColor::automatic;  ///< only with `pretty`
  /// Names of members, in any case and at any depth, whose values are replaced by `redact_value`.
  std::vector<std::string> redact_keys = {};
  /// Paths of values that are replaced: "user.email", "items.*.price", "items.0".
  std::vector<std::string> redact_paths = {};
  std::string redact_value = "[Redacted]";  ///< logged instead of the values
  std::string file = {};                    ///< path to append to; standard output when empty
};

/// An entry in the list of middlewares that routes may refer to.
struct MiddlewareConfig {
  std::string name = {};  ///< of its file in `src/middlewares`, without extension
  Json options = {};      ///< for its factory, unless the route has options
};

/// `openapi.docs.access`: who sees which operation (docs/viewer.md).
struct OpenApiDocsAccessConfig {
  DocsAccessResolver resolver = {};  ///< empty: the declarations of the routes decide
};

/// `openapi.docs`: settings of the documentation page and the served document.
struct OpenApiDocsConfig {
  OpenApiDocsAccessConfig access = {};  ///< decides which operations a client sees
};

/// `openapi.info.license`: the licence of the API.
struct OpenApiLicenseConfig {
  std::string name = {};        ///< as in "MIT"
  std::string url = {};         ///< of the text; not together with `identifier`
  std::string identifier = {};  ///< SPDX identifier; OpenAPI 3.1 only
};

/// `openapi.info.contact`: who maintains the API.
struct OpenApiContactConfig {
  std::string name = {};   ///< a person or an organization
  std::string url = {};    ///< of a page with contact information
  std::string email = {};  ///< an address
};

/// `info` of the OpenAPI document. Empty members leave the values of the build unchanged.
struct OpenApiInfoConfig {
  std::string title = {};             ///< of the API
  std::string version = {};           ///< of the API, not of OpenAPI
  std::string summary = {};           ///< OpenAPI 3.1 only
  std::string description = {};       ///< Markdown allowed
  std::string terms_of_service = {};  ///< URL
  OpenApiLicenseConfig license = {};  ///< of the API
  OpenApiContactConfig contact = {};  ///< who maintains the API
};

/// One entry of `openapi.servers`.
struct OpenApiServerConfig {
  std::string url = {};          ///< absolute, or relative to the document
  std::string description = {};  ///< Markdown allowed
};

/// Names of security schemes, at least one.
class AuthSchemes {
 public:
  /// One scheme.
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  AuthSchemes(const T& name) : names_{std::string(std::string_view(name))} {}
  /// Alternatives.
  AuthSchemes(std::vector<std::string> names) : names_(std::move(names)) {}

  /// In the order of the document.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// The route compiler reads `info`, `servers` and the members about security from one layer
/// (`--app-config`, by default config/default.json). Values from other layers or from code are
/// applied to the served document.
struct OpenApiConfig {
  bool enabled = false;                           ///< whether the document and its page are served
  std::string json_path = "/openapi.json";        ///< path of the document
  std::string docs_path = "/docs";                ///< path of the page
  OpenApiInfoConfig info = {};                    ///< replaces the values of the build
  std::vector<OpenApiServerConfig> servers = {};  ///< empty: the build's, by default "/"
  /// Security scheme by middleware, for routes with this middleware that declare neither
  /// `docs.security` nor `auth`.
  std::map<std::string, std::string> guard_security_map = {};
  /// The scheme of routes with `auth` that name none, or several, any of which suffices;
  /// "sessionCookie" is the cookie of the session.
  AuthSchemes auth_scheme = "bearerAuth";
  /// Security Scheme Objects by name; other schemes are HTTP bearer schemes.
  Json security_schemes = detail::json_object();
  OpenApiDocsConfig docs = {};  ///< set in code: a layer cannot contain a function
};

/// Messages in several languages (docs/i18n.md).
struct LocaleConfig {
  std::string default_language = "en-US";   ///< `locale.default`
  std::vector<std::string> supported = {};  ///< empty: all languages that have a file
  std::string directory = "locales";        ///< of the locale files, below the working directory
};

/// `shutdown`: how the application stops.
struct ShutdownConfig {
  std::int64_t timeout = 10'000;  ///< milliseconds that running requests may take to finish
};

/// The HTTP engine (docs/server.md compares the engines).
enum class HttpEngine {
  automatic,  ///< epoll where it is available
  epoll,      ///< few threads for many connections; Linux only
  httplib,    ///< cpp-httplib, a thread for each connection; all systems
};

/// The PEM files of a certificate.
struct TlsCertificateConfig {
  std::string certificate = {};  ///< path: the certificate, then its chain
  std::string key = {};          ///< path, without a passphrase
};

/// Certificates of clients; docs/tls.md. They are asked for if `ca` is set.
struct TlsClientCertificatesConfig {
  std::string ca = {};            ///< path of a PEM file: the authorities that issue them
  std::string mode = "optional";  ///< or "required": no connection without one

  bool is_enabled() const { return !ca.empty(); }  ///< the server asks for them
};

/// TLS in the server; docs/tls.md. It is on if `certificate` or `key` is set.
struct TlsConfig {
  std::string certificate = {};  ///< for clients that name no host, or one that is not in `hosts`
  std::string key = {};          ///< of this certificate
  /// By host name, or "*.example.com".
  std::map<std::string, TlsCertificateConfig> hosts = {};
  TlsClientCertificatesConfig client_certificates = {};  ///< whether clients show certificates
  std::string min_version = "1.2";                       ///< or "1.3"
  std::int64_t handshake_timeout = 10'000;               ///< milliseconds
  /// A port for cleartext that redirects to HTTPS; 0: none.
  int redirect_from = 0;

  bool is_enabled() const { return !certificate.empty() || !key.empty(); }  ///< serves HTTPS
};

/// HTTP/2 in the server; docs/http2.md.
struct Http2Config {
  /// Whether clients with TLS may choose HTTP/2. By default, in builds that have it.
  std::optional<bool> enabled = std::nullopt;
  bool cleartext = false;            ///< also without TLS, to clients that know it in advance
  int max_concurrent_streams = 128;  ///< requests of one connection at a time
};

/// The HTTP server: where it listens, and its limits (docs/server.md describes each). Numbers of
/// connections and workers apply to each process.
struct ServerConfig {
  HttpEngine engine = HttpEngine::automatic;  ///< a startup error if it is not available
  std::string unix_socket = {};               ///< path to listen on instead of host and port
  std::string unix_socket_mode = "0660";      ///< permissions of the socket file, in octal
  int backlog = 4'096;                        ///< connections that may wait to be accepted
  bool reuse_port = false;                    ///< several processes may listen on one port
  std::int64_t keep_alive_timeout = 5'000;    ///< milliseconds to wait for the next request
  std::int64_t headers_timeout = 60'000;      ///< milliseconds until a head is complete
  std::int64_t request_timeout = 300'000;     ///< milliseconds until a body is complete
  std::int64_t send_timeout = 30'000;         ///< milliseconds without progress in a response
  /// Milliseconds until a silent event stream gets a comment, and a silent socket a ping.
  std::int64_t heartbeat = 15'000;
  /// Bytes per second at which a client must send a body or receive a response, on average; 0: no
  /// limit.
  ByteSize min_data_rate = "240b";
  ByteSize max_header_size = "16kb";    ///< of a request line and its headers; 431 above it
  int max_header_count = 100;           ///< headers of a request; 431 above it
  int max_query_parameters = 1'000;     ///< 400 above it, when the query is read
  int max_cookies = 256;                ///< 400 above it, when cookies are read
  int max_requests_per_connection = 0;  ///< 0: no limit
  int max_connections = 10'000;         ///< open at a time; 503 above it
  int max_connections_per_address = 0;  ///< 0: no limit; an IPv6 /64 network counts as one
  /// Event streams of a route that one address may have open, unless the route sets
  /// `events.max_per_address`; 429 above it. 0: no limit.
  int max_streams_per_address = 100;
  /// Memory, over all connections, for request bodies and for responses that clients have not read
  /// yet.
  ByteSize max_buffered_bytes = "128mb";
  /// Threads for handlers that compute; 0 ("auto"): one per processor, but at least 2.
  int min_workers = 0;
  int max_workers = 256;  ///< maximum number of threads, while handlers wait
  /// Milliseconds that a request waits for a free thread, or until its handler may read a body that
  /// is still arriving; 503 then. 0: no limit.
  std::int64_t queue_timeout = 10'000;
  /// Milliseconds after which an idle thread above `min_workers` exits.
  std::int64_t worker_idle_timeout = 10'000;
  /// Interval in milliseconds at which an idle server returns free memory to the system; 0: never.
  std::int64_t trim_interval = 10'000;
  TlsConfig tls = {};      ///< HTTPS
  Http2Config http2 = {};  ///< HTTP/2
};

/// Several worker processes that serve one port. The first process supervises them and handles no
/// requests itself. Workers are started like the program itself: `main` runs in each of them.
struct ClusterConfig {
  bool enabled = false;      ///< false: one process
  int workers = 0;           ///< processes; 0 ("auto"): one for each processor
  bool auto_restart = true;  ///< of workers that exit unexpectedly
  /// Of one worker in `restart_window`. Further restarts have `max_restart_delay`; if no other
  /// worker is ready, one more exit ends the cluster.
  int max_restarts = 5;
  std::int64_t restart_window = 60'000;  ///< milliseconds
  std::int64_t restart_delay = 1'000;  ///< milliseconds before the first restart; doubles each time
  std::int64_t max_restart_delay = 30'000;  ///< milliseconds
  std::int64_t start_timeout = 60'000;      ///< milliseconds within which a worker must be ready
};

/// How requests are matched to routes.
struct RouterConfig {
  /// Whether static path segments are case-sensitive. If they are not, `/Admin` reaches the route
  /// `/admin`, and path rules of a proxy must ignore case, too.
  bool case_sensitive = false;
};

/// Which X-Forwarded-For and X-Forwarded-Proto fields are trusted: none (`false`), all (`true`),
/// fields of a number of proxies counted from the connection, or of proxies in some networks.
///
///   config.trust_proxy = 1;
///   config.trust_proxy = fw::TrustProxy({"10.0.0.0/8", "::1", "unix"});
class TrustProxy {
 public:
  /// Which of the forms was given.
  enum class Mode { none, all, hops, networks };

  TrustProxy() = default;  ///< trusts none
  /// Trusts all clients (`true`) or none (`false`).
  template <std::same_as<bool> T>  // only bool: a string literal would convert to it
  TrustProxy(T all) : mode_(all ? Mode::all : Mode::none) {}
  /// 0 is the same as false.
  TrustProxy(int hops) : mode_(hops == 0 ? Mode::none : Mode::hops), hops_(hops) {}
  /// Addresses or networks in CIDR notation, IPv4 or IPv6; "unix" for clients of a unix socket. A
  /// malformed entry is a startup error.
  TrustProxy(std::vector<std::string> networks)
      : mode_(Mode::networks), networks_(std::move(networks)) {}

  /// @{
  /// What was given, for the server.
  Mode mode() const { return mode_; }
  int hops() const { return hops_; }
  const std::vector<std::string>& networks() const { return networks_; }
  /// @}

 private:
  Mode mode_ = Mode::none;
  int hops_ = 0;
  std::vector<std::string> networks_;
};

/// The kind of a store (docs/stores.md).
enum class StoreType {
  standard,  ///< "default": the store of the application, which is in memory unless `store` sets
             ///< another type
  memory,    ///< of each process
  redis,
};

/// A store for state that outlives a request: `store` for all features, and the member `store` of a
/// feature for that feature only.
struct StoreConfig {
  StoreType type = StoreType::standard;        ///< where the values are kept
  int max_entries = 100'000;                   ///< memory
  ByteSize max_memory = "64mb";                ///< memory
  std::string url = "redis://127.0.0.1:6379";  ///< redis: see RedisStoreOptions
  std::string key_prefix = "fw:";              ///< redis
  std::int64_t timeout = 1'000;                ///< redis: milliseconds
  int connections = 2;                         ///< redis: of each process
  std::string ca_file = {};                    ///< redis: path of a PEM file, for TLS
};

/// What happens to requests while a store fails; `deny`: they get 503.
enum class StoreErrorPolicy { allow, deny };

/// `rateLimit`: how many requests a client may send in a sliding window. A route can adjust it with
/// `.override_.rate_limit`, and then has its own window.
struct RateLimitConfig {
  bool enabled = false;                       ///< false: no route is limited
  int max = 100;                              ///< requests of a client in a window; 429 above it
  int window = 60;                            ///< seconds
  std::string message = "Too Many Requests";  ///< of the 429: text or a key of the locale files
  RateLimitKey key_by = {};                   ///< how clients are identified
  StoreErrorPolicy on_store_error = StoreErrorPolicy::allow;  ///< deny: 503
  StoreConfig store = {};                                     ///< where requests are counted
};

/// Entity tags of JSON responses to GET, and the conditional requests that use them
/// (docs/cache.md).
enum class EntityTags {
  off,
  weak,
  strong,  ///< weak for responses in the envelope, which contains the request id
};

/// The response cache (docs/cache.md), for routes with the option `cache`.
struct CacheConfig {
  bool enabled = true;           ///< false: no response is cached
  std::int64_t default_ttl = 0;  ///< milliseconds, for routes without `ttl`; 0: they cache nothing
  int max_entries = 10'000;      ///< in memory; of each route in a shared store
  ByteSize max_memory = "64mb";  ///< memory
  /// How long a request waits for the response to another one, in milliseconds; then 503.
  std::int64_t wait_timeout = 30'000;
  StoreConfig store = {};  ///< limited by the members above
};

/// Compression of response bodies (docs/compression.md). A route opts in or out with the option
/// `compression`.
struct CompressionConfig {
  bool enabled = false;  ///< for routes without the option `compression`
  /// Codings in order of preference, for clients that prefer none. Those that Fairway was built
  /// without are skipped.
  std::vector<std::string> encodings = {"zstd", "br", "gzip"};
  ByteSize min_size = "1kb";  ///< of bodies that are compressed
  /// Media types that are compressed. Types that end in +json or +xml count as application/json and
  /// application/xml.
  std::vector<std::string> mime_types = {"text/*",
                                         "application/json",
                                         "application/x-ndjson",
                                         "application/xml",
                                         "application/javascript",
                                         "application/yaml",
                                         "application/wasm",
                                         "font/otf",
                                         "font/ttf",
                                         "image/bmp"};
  int gzip_level = 6;    ///< 1 to 9
  int brotli_level = 4;  ///< 0 to 11
  int zstd_level = 3;    ///< 1 to 19
};

/// When a cookie has the attribute Secure.
enum class CookieSecure {
  automatic,  ///< for clients that use HTTPS, as determined with `trustProxy`
  always,
  never,
};

/// Attributes of a cookie that the framework sets.
struct CookieConfig {
  std::string path = "/";                         ///< requests below it send the cookie
  std::string domain = {};                        ///< empty: the host only, without subdomains
  SameSite same_site = SameSite::lax;             ///< `unset` omits the attribute
  CookieSecure secure = CookieSecure::automatic;  ///< `never` is for tests without HTTPS
  bool http_only = true;                          ///< hides the cookie from scripts
  /// Seconds; 0: until the browser is closed; empty ("auto"): the session's `ttl`, or 0 for the
  /// CSRF cookie.
  std::optional<std::int64_t> max_age = {};
  std::string priority = {};  ///< Low, Medium or High
  bool partitioned = false;   ///< a separate cookie for each embedding site
};

/// Sessions (docs/session.md).
struct SessionConfig {
  bool enabled = false;         ///< for routes without the option `session`
  std::string name = "fw.sid";  ///< of the cookie
  std::int64_t ttl = 86'400;    ///< seconds from the last save until a session expires
  bool rolling = false;         ///< every request renews the session and its cookie
  bool auto_commit = true;      ///< false: only `save()` saves changes
  int id_length = 32;           ///< random bytes of an id, 16 to 128
  CookieConfig cookie = {};     ///< attributes of the cookie with the id
  StoreConfig store = {};       ///< where the values are kept
  /// Seconds until a session expires that no request has used since the one that created it; at
  /// most `ttl`. A session with a new id (`regenerate`) has its full `ttl`.
  std::int64_t new_ttl = 1'800;
};

/// What a CSRF token is tied to.
enum class CsrfMode {
  automatic,      ///< session for routes that have one, else signed_cookie
  session,        ///< the token belongs to the session
  signed_cookie,  ///< the token belongs to a cookie, signed with `secret`
};

/// Check of the origin of requests; `false` in a layer disables it.
struct CsrfOriginConfig {
  bool enabled = false;  ///< whether the `Origin` or `Referer` of a request is checked
  /// Trusted besides the application's own origin, for example "https://shop.example.com".
  std::vector<std::string> trusted_origins = {};
};

/// Protection against cross-site request forgery (docs/csrf.md).
struct CsrfConfig {
  bool enabled = false;                 ///< false: no request needs a token
  CsrfMode mode = CsrfMode::automatic;  ///< what a token is tied to
  std::string secret = {};              ///< signs the cookies; 32 bytes or more
  /// Requests that need a token.
  std::vector<std::string> methods = {"POST", "PUT", "PATCH", "DELETE"};
  /// Request headers that may contain it.
  std::vector<std::string> headers = {"x-csrf-token", "x-xsrf-token"};
  /// Member of a JSON or urlencoded body that may contain the token.
  std::string body_field = "_csrf";
  std::string name = "fw.csrf";  ///< of the cookie
  CookieConfig cookie = {};      ///< attributes of the cookie
  bool fetch_metadata = true;    ///< rejects requests that the browser marks as cross-site
  CsrfOriginConfig origin = {};  ///< an additional check of the origin
};

/// A listener of its own for those who operate the application: health and metrics
/// (docs/metrics.md). It exists, and something is measured, only if `port` or `socket` is set.
struct AdminConfig {
  int port = 0;                    ///< to listen on; 0: none
  std::string host = "127.0.0.1";  ///< address to listen on
  std::string socket = {};         ///< path of a unix socket to listen on instead of a port
  /// Clients must send it as `Authorization: Bearer …`; 32 characters or more. Empty: they need
  /// not, which is possible for a loopback address and for a unix socket only.
  std::string token = {};

  bool is_enabled() const { return port != 0 || !socket.empty(); }  ///< whether it exists
};

/// The endpoint at which agents find the routes with `.mcp = true` as tools (docs/mcp-endpoint.md).
/// It exists only if there is such a route.
struct McpConfig {
  bool enabled = true;        ///< `false`: it does not exist
  std::string path = "/mcp";  ///< of the endpoint
  /// Origins whose pages may use it, such as "https://app.example"; others get 403.
  std::vector<std::string> origins = {};
  ByteSize max_response_size = "1mb";  ///< of the body that a tool responds with
};

/// How batches of spans are written: both are OTLP over HTTP.
enum class TraceEncoding { json, protobuf };

/// Traces of requests, which are sent to a collector by OTLP over HTTP (docs/tracing.md). They
/// exist only if `endpoint` is set.
struct TracingConfig {
  /// URL of the collector, "http://127.0.0.1:4318"; `/v1/traces` is added to its path.
  std::string endpoint = {};
  TraceEncoding encoding = TraceEncoding::json;  ///< of the batches
  /// Header fields for the collector, such as a key. Their values are in no output of the
  /// configuration.
  std::map<std::string, std::string> headers = {};
  /// `service.name`. Empty: "unknown_service:" and the name of the program.
  std::string service_name = {};
  /// The share of traces that is sent, from 0 to 1. A request that continues a trace is sent if the
  /// caller's part is.
  double ratio = 1;
  /// Whether requests with a status from 500 on are sent even if their traces are not.
  bool errors = true;
  /// Requests that take longer than so many milliseconds are sent likewise; 0: none.
  std::int64_t slow_threshold = 0;
  /// Whether lines that are logged for a request are events of its span.
  bool logs = false;
  int queue_size = 2'048;                ///< spans that may wait to be sent; others are dropped
  std::int64_t export_interval = 5'000;  ///< milliseconds after which waiting spans are sent

  bool is_enabled() const { return !endpoint.empty(); }  ///< whether there are traces
};

/// All settings of an application, with their defaults.
struct Config {
  std::string environment = "production";  ///< production, development or test
  std::string host = "0.0.0.0";            ///< address to listen on
  int port = 3000;                         ///< to listen on; 0: any free one
  TrustProxy trust_proxy = false;          ///< whose X-Forwarded- fields are used
  /// @{
  /// The settings of one feature each; see their types.
  ResponseConfig response = {};
  CorsConfig cors = {};
  SecurityHeadersConfig security_headers = {};
  MultipartConfig multipart = {};
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
  FetchConfig fetch = {};
  AdminConfig admin = {};
  McpConfig mcp = {};
  TracingConfig tracing = {};
  /// @}
  EntityTags etag = EntityTags::off;            ///< of JSON responses to GET and of pages
  CompressionConfig compression = {};           ///< of response bodies
  std::vector<StaticConfig> static_files = {};  ///< `static`
  /// Whether generated structs are read and written without JSON trees where possible. The results
  /// are the same without it; turn it off to find out whether it causes a problem.
  bool typed_path = true;
  Json app = detail::json_object();  ///< the application's own settings, in any form
};

/// Reads the configuration. Later layers override earlier ones: the defaults; config/default.json,
/// config/<profile>.json and config/local.json below the working directory; the environment
/// (FAIRWAY_ENV, FAIRWAY_CONFIG, PORT, HOST, FAIRWAY_LOG_LEVEL, and FAIRWAY_APP_… for keys of
/// `app`); flags (--port, --host, --config). FAIRWAY_APP_PAYMENT__API_KEY sets `app.payment.apiKey`
/// to a string, or to a parsed JSON value if an earlier layer has a value of another type. An error
/// is printed on standard error with its source, JSON pointer and expected type, and the program
/// exits with status 1. --help prints the flags, and --print-config prints the configuration with
/// the origin of each value and without secrets; both exit with status 0.
Config load_config(int argc, char** argv);

/// Like `load_config`, for tests and embedding: `directory` contains the JSON layers. Throws
/// StartupError with all errors.
Config load_config_from(const std::string& directory,
                        const std::vector<std::string>& arguments = {});

/// Applies one JSON layer over `config`. `source` names it in messages. Throws StartupError with
/// every unknown key and wrong type, each with source, JSON pointer and expected type.
void apply_config_layer(Config& config, const Json& layer, const std::string& source);

}  // namespace fw
