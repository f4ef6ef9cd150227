namespace detail {

using Clock = std::chrono::steady_clock;

/// A limit of a caller may be as long as the type allows: the last time then.
inline Clock::time_point time_after(Clock::time_point begin, std::chrono::milliseconds duration) {
  const auto most = std::chrono::floor<std::chrono::milliseconds>(Clock::time_point::max() - begin);
  return duration < most ? begin + std::max(duration, std::chrono::milliseconds(0))
                         : Clock::time_point::max();
}
inline Clock::time_point time_after(std::chrono::milliseconds duration) {
  return time_after(Clock::now(), duration);
}

/// Blocks SIGPIPE, so that a write to a closed connection does not end the process.
class SigpipeBlock {
 public:
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;
#ifdef _WIN32
  SigpipeBlock() = default;
#else
  SigpipeBlock() : was_pending_(is_pending()) {
    sigset_t only = sigpipe();
    pthread_sigmask(SIG_BLOCK, &only, &before_);
  }
  ~SigpipeBlock() {
    if (!was_pending_ && is_pending()) {
      const sigset_t only = sigpipe();
      int taken = 0;
      sigwait(&only, &taken);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  static sigset_t sigpipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
  }
  static bool is_pending() {
    sigset_t set;
    sigpending(&set);
    return sigismember(&set, SIGPIPE) == 1;
  }

  bool was_pending_;
  sigset_t before_;
#endif
};

/// A connection to the service. It is opened by the first request and kept open.
class Connection {
 public:
  Connection(const BaseUrl& url, const ClientOptions& options) : http_(open(url, options.tls)) {
    http_->set_keep_alive(true);
    http_->set_follow_location(false);
    http_->set_tcp_nodelay(true);
    disable_path_encoding(*http_);
    http_->set_write_timeout(shortened(options.write_timeout));
#ifndef _WIN32
    http_->set_socket_options([this](socket_t socket) {
      const std::lock_guard lock(mutex_);
      forget_socket();
      socket_ = ::dup(socket);
    });
#endif
  }
  ~Connection() {
    http_.reset();
#ifndef _WIN32
    forget_socket();
#endif
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  httplib::Result exchange(const httplib::Request& request, std::chrono::milliseconds connect,
                           std::chrono::milliseconds read) {
    const SigpipeBlock block;
    http_->set_connection_timeout(shortened(connect));
    http_->set_read_timeout(shortened(read));
    return http_->send(request);
  }

  /// Ends the waits of `exchange` in another thread.
  void interrupt() {
#ifdef _WIN32
    http_->stop();
#else
    // Does not call stop(), which waits for a connection that is being opened.
    const std::lock_guard lock(mutex_);
    if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
#endif
  }

 private:
  static std::unique_ptr<httplib::ClientImpl> open(const BaseUrl& url, const TlsOptions& tls) {
    if (!url.secure) return std::make_unique<httplib::ClientImpl>(url.host, url.port);
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
    auto http = std::make_unique<httplib::SSLClient>(url.host, url.port, tls.certificate_file,
                                                     tls.key_file);
    if (!http->is_valid()) {
      throw TransportError(TransportError::Kind::tls, "the client certificate cannot be loaded");
    }
    if (!tls.ca_file.empty()) http->set_ca_cert_path(tls.ca_file);
    http->enable_server_certificate_verification(tls.verify);
    return http;
#else
    static_cast<void>(tls);
    throw std::invalid_argument("https needs CPPHTTPLIB_OPENSSL_SUPPORT to be defined");
#endif
  }

  // cpp-httplib has an int for its milliseconds.
  static std::chrono::milliseconds shortened(std::chrono::milliseconds timeout) {
    return std::min<std::chrono::milliseconds>(timeout, std::chrono::hours(24));
  }

  // Targets are already encoded. The name of the setting differs between versions of cpp-httplib.
  template <class Http>
  static void disable_path_encoding(Http& http) {
    if constexpr (requires { http.set_path_encode(false); }) {
      http.set_path_encode(false);
    } else {
      http.set_url_encode(false);
    }
  }

#ifndef _WIN32
  void forget_socket() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  std::mutex mutex_;
  int socket_ = -1;  ///< a duplicate, which stays valid when cpp-httplib closes its own descriptor
#endif
  std::unique_ptr<httplib::ClientImpl> http_;
};

/// A pool of idle connections. Thread-safe.
class ConnectionPool {
 public:
  ConnectionPool(const ClientOptions& options, BaseUrl url)
      : options_(options), url_(std::move(url)) {}

  std::unique_ptr<Connection> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto connection = std::move(idle_.back());
        idle_.pop_back();
        return connection;
      }
    }
    return std::make_unique<Connection>(url_, options_);
  }

  void give(std::unique_ptr<Connection> connection) {
    constexpr std::size_t kMaxIdle = 16;
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(connection));
  }

 private:
  const ClientOptions& options_;
  BaseUrl url_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace detail
