/// For https only, which needs cpp-httplib with CPPHTTPLIB_OPENSSL_SUPPORT.
struct TlsOptions {
  std::string ca_file = {};           ///< PEM; "" for the certificates of the system
  std::string certificate_file = {};  ///< PEM; the certificate of the client, or ""
  std::string key_file = {};          ///< PEM; the key of `certificate_file`
  bool verify = true;  ///< whether to verify the certificate and the host name of the service
};

/// Idempotent operations (GET, HEAD, PUT, DELETE, OPTIONS) are retried if the connection fails and
/// on 429, 502, 503 and 504. The delay doubles from `first_delay` up to `longest_delay`, minus a
/// random part of at most a half. A Retry-After takes precedence; a stream or a socket waits for
/// the longer one.
struct RetryOptions {
  int max_retries = 2;
  std::chrono::milliseconds first_delay{100};
  std::chrono::milliseconds longest_delay{2000};
  /// If Retry-After is longer, the response becomes an ApiError at once.
  std::chrono::milliseconds longest_retry_after{30000};
};

class CookieJar;

struct ClientOptions {
  /// "https://api.example.com", optionally with a port and a path prefix: "http://[::1]:3000/v1".
  std::string base_url = {};
  /// Sent with every request.
  Headers headers = {};
  /// The bearer token, or a function that returns it, which is called before each attempt on any
  /// thread. An empty string sends none.
  std::variant<std::monostate, std::string, std::function<std::string()>> token = {};
  /// Generates the X-Request-ID of calls without their own id; for "" the service chooses one.
  std::function<std::string()> request_id = {};
  /// The trace of the caller, which the service continues: the headers `traceparent` and
  /// `tracestate`. Called once for each call, on its thread. An application of Fairway has
  /// `fw::trace_headers` for it.
  std::function<Headers()> trace = {};
  std::chrono::milliseconds connect_timeout{5000};  ///< without the look-up of the host
  std::chrono::milliseconds read_timeout{30000};    ///< longest wait for data from the service
  std::chrono::milliseconds write_timeout{
      30000};  ///< longest time in which the service accepts no data
  /// Limit for a whole call with all its attempts and delays; no limit if empty.
  std::optional<std::chrono::milliseconds> timeout = {};
  RetryOptions retry = {};
  TlsOptions tls = {};
  /// Keeps the cookies of the service, for example of a session, and sends them; null for none.
  std::shared_ptr<CookieJar> cookies = {};
};

/// Options of one call.
struct CallOptions {
  std::stop_token stop = {};  ///< cancels the call, at any time and from any thread
  std::optional<std::chrono::milliseconds> timeout = {};  ///< instead of ClientOptions::timeout
  std::string request_id = {};                            ///< instead of ClientOptions::request_id
  Headers headers = {};              ///< take precedence over all other headers
  ResponseInfo* response = nullptr;  ///< set if the call succeeds
};

/// A file of a form.
struct FilePart {
  std::string content = {};
  std::string filename = {};
  std::string content_type = "application/octet-stream";
  friend bool operator==(const FilePart&, const FilePart&) = default;
};

/// A body that is not JSON.
struct RawBody {
  std::string content = {};
  std::string content_type = {};
  friend bool operator==(const RawBody&, const RawBody&) = default;
};
