/// For https only, which needs cpp-httplib with CPPHTTPLIB_OPENSSL_SUPPORT.
struct TlsOptions {
  std::string ca_file = {};           ///< PEM; "": the certificates of the system
  std::string certificate_file = {};  ///< PEM; the client's own certificate, "": none
  std::string key_file = {};          ///< PEM; of `certificate_file`
  bool verify = true;                 ///< of the service's certificate and host name
};

/// Operations that may be repeated (GET, HEAD, PUT, DELETE, OPTIONS) are tried again when the
/// connection fails and on 429, 502, 503 and 504. The wait doubles from `first_delay` up to
/// `longest_delay`, less a random part of at most a half; a Retry-After takes precedence.
struct RetryOptions {
  int max_retries = 2;
  std::chrono::milliseconds first_delay{100};
  std::chrono::milliseconds longest_delay{2000};
  /// A longer Retry-After is not waited for: the response becomes an ApiError at once.
  std::chrono::milliseconds longest_retry_after{30000};
};

struct ClientOptions {
  /// "https://api.example.com", with port and path prefix where needed: "http://[::1]:3000/v1".
  std::string base_url = {};
  /// Sent with every request.
  Headers headers = {};
  /// The bearer token, or a function that is asked for it before each attempt, from any thread;
  /// an empty string sends none.
  std::variant<std::monostate, std::string, std::function<std::string()>> token = {};
  /// Makes the id that a call sends as X-Request-ID unless it has its own; "": the service chooses.
  std::function<std::string()> request_id = {};
  std::chrono::milliseconds connect_timeout{5000};
  std::chrono::milliseconds read_timeout{30000};   ///< longest silence of the service
  std::chrono::milliseconds write_timeout{30000};  ///< longest time that it takes nothing
  /// Of a whole call, with all its attempts and waits; none: without limit.
  std::optional<std::chrono::milliseconds> timeout = {};
  RetryOptions retry = {};
  TlsOptions tls = {};
};

/// For one call.
struct CallOptions {
  std::stop_token stop = {};  ///< cancels the call, at any time and from any thread
  std::optional<std::chrono::milliseconds> timeout = {};  ///< instead of ClientOptions::timeout
  std::string request_id = {};                            ///< instead of ClientOptions::request_id
  Headers headers = {};                                   ///< win over all other headers
  ResponseInfo* response = nullptr;                       ///< filled when the call succeeds
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
