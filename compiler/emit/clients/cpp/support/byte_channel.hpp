namespace detail {

#ifdef _WIN32

class Waker {
 public:
  explicit Waker(const char*) {}
  void wake() const {}
};

/// Sockets need a system with POSIX.
class ByteChannel {
 public:
  using Check = std::function<void()>;
  ByteChannel(const BaseUrl&, const ClientOptions&, const Waker&, const char*, Clock::time_point,
              const Check&) {
    throw std::logic_error("the client has no sockets on this system");
  }
  std::ptrdiff_t read(std::span<char>) { return -1; }
  std::ptrdiff_t write(std::string_view) { return -1; }
  void wait(bool, bool, Clock::time_point) {}
};

#else

/// Ends the wait of another thread in `ByteChannel::wait`. Thread-safe.
class Waker {
 public:
  explicit Waker(const char* operation) {
    if (::pipe(ends_.data()) != 0) {
      throw TransportError(
          TransportError::Kind::connect,
          std::string(operation) + ": no connection (" + std::strerror(errno) + ")");
    }
    for (const int end : ends_) {
      ::fcntl(end, F_SETFD, FD_CLOEXEC);
      ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
  }
  ~Waker() {
    for (const int end : ends_) ::close(end);
  }
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  void wake() const {
    // A full pipe wakes, too.
    [[maybe_unused]] const auto written = ::write(ends_[1], "", 1);
  }
  int fd() const { return ends_[0]; }
  void drain() const {
    std::array<char, 64> bytes;
    while (::read(ends_[0], bytes.data(), bytes.size()) > 0) continue;
  }

 private:
  std::array<int, 2> ends_ = {};
};

/// A connection to the service whose functions do not wait for it, unlike `Connection`: so one
/// thread sends and receives at any time. TCP, with TLS for https.
class ByteChannel {
 public:
  /// Throws to end the attempt.
  using Check = std::function<void()>;

  /// Connects. Calls `check` after each wait, which must throw from `deadline` on.
  ByteChannel(const BaseUrl& url, const ClientOptions& options, const Waker& waker,
              const char* operation, Clock::time_point deadline, const Check& check)
      : waker_(waker), operation_(operation), base_url_(options.base_url) {
    try {
      const auto until = std::min(time_after(options.connect_timeout), deadline);
      connect(url, until, check);
      if (url.secure) begin_tls(url, options.tls, until, check);
    } catch (...) {
      close();
      throw;
    }
  }
  ~ByteChannel() { close(); }
  ByteChannel(const ByteChannel&) = delete;
  ByteChannel& operator=(const ByteChannel&) = delete;

  /// How many bytes were received; 0 if there are none at the moment, -1 at the end.
  std::ptrdiff_t read(std::span<char> buffer) {
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
    if (tls_) {
      return tls_result([&] { return SSL_read(tls_.get(), buffer.data(), clamped(buffer.size())); },
                        read_waits_for_);
    }
#endif
    const auto size = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (size > 0) return size;
    return size < 0 && would_block() ? 0 : -1;
  }

  /// How many bytes were accepted; 0 if there is no room at the moment, -1 at the end. The rest
  /// must be sent next.
  std::ptrdiff_t write(std::string_view bytes) {
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
    if (tls_) {
      return tls_result([&] { return SSL_write(tls_.get(), bytes.data(), clamped(bytes.size())); },
                        write_waits_for_);
    }
#endif
    const auto size = ::send(fd_, bytes.data(), bytes.size(), 0);
    if (size >= 0) return size;
    return would_block() ? 0 : -1;
  }

  /// Waits until the last `read` or `write` can continue, for the waker, or until the time.
  void wait(bool reads, bool writes, Clock::time_point until) {
    short events = 0;
    if (reads) events |= read_waits_for_;
    if (writes) events |= write_waits_for_;
    // What is left to read comes before the end, which poll would report again and again.
    const bool is_watched = reads || writes || !has_hung_up_;
    std::array<pollfd, 2> entries = {pollfd{waker_.fd(), POLLIN, 0},
                                     pollfd{is_watched ? fd_ : -1, events, 0}};
    constexpr auto kMaxWait = std::chrono::minutes(1);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        std::min<Clock::duration>(until - Clock::now(), kMaxWait));
    ::poll(entries.data(), entries.size(),
           static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (entries[0].revents != 0) waker_.drain();
    if ((entries[1].revents & (POLLERR | POLLHUP)) != 0) has_hung_up_ = true;
  }

 private:
  static bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

  void connect(const BaseUrl& url, Clock::time_point until, const Check& check) {
    addrinfo wish{};
    wish.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error =
        ::getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &wish, &found);
    check();
    if (error != 0) fail(TransportError::Kind::connect, "no connection", ::gai_strerror(error));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);
    int left = 0;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) ++left;
    int reason = 0;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next, --left) {
      // A part of the time for each one, so that the first one cannot use it up.
      const auto now = Clock::now();
      if (connect_to(*each, now + (until - now) / left, check, reason)) return;
      close();
    }
    if (reason == ETIMEDOUT) {
      fail(TransportError::Kind::timeout, "no connection in time", std::strerror(reason));
    }
    fail(TransportError::Kind::connect, "no connection", std::strerror(reason));
  }

  bool connect_to(const addrinfo& address, Clock::time_point until, const Check& check,
                  int& reason) {
    fd_ = ::socket(address.ai_family, address.ai_socktype, address.ai_protocol);
    if (fd_ < 0) {
      reason = errno;
      return false;
    }
    ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd_, F_SETFL, O_NONBLOCK);
    const int yes = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (::connect(fd_, address.ai_addr, address.ai_addrlen) == 0) return true;
    reason = errno;
    if (reason != EINPROGRESS) return false;
    while (true) {
      pollfd entry{fd_, POLLOUT, 0};
      if (::poll(&entry, 1, 0) > 0) break;
      check();
      if (Clock::now() >= until) {
        reason = ETIMEDOUT;
        return false;
      }
      wait(false, true, until);
    }
    socklen_t size = sizeof reason;
    ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &reason, &size);
    return reason == 0;
  }

  void close() noexcept {
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
    if (tls_ && has_handshake_) SSL_shutdown(tls_.get());
    tls_.reset();
#endif
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  [[noreturn]] void fail(TransportError::Kind kind, const std::string& text,
                         const std::string& reason) const {
    throw TransportError(
        kind, std::string(operation_) + ": " + text + " (" + base_url_ + ": " + reason + ")");
  }

#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
  struct Free {
    void operator()(SSL* tls) const { SSL_free(tls); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  static int clamped(std::size_t size) {
    return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
  }

  /// After a handshake that failed with `error`, which is of SSL_get_error. The service may be
  /// restarting if it has only ended the connection.
  [[noreturn]] void fail_handshake(int error) const {
    bool has_ended = error == SSL_ERROR_SYSCALL || error == SSL_ERROR_ZERO_RETURN;
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
    has_ended =
        has_ended || ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
#endif
    if (!has_ended) fail_tls();
    fail(TransportError::Kind::interrupted, "no secure connection",
         "the connection ended during the handshake");
  }

  [[noreturn]] void fail_tls() const {
    std::string reason = "the handshake failed";
    if (const auto error = ERR_peek_last_error(); error != 0) {
      if (const char* known = ERR_reason_error_string(error)) reason = known;
    }
    const long verified = tls_ ? SSL_get_verify_result(tls_.get()) : X509_V_OK;
    if (verified != X509_V_OK) reason = X509_verify_cert_error_string(verified);
    fail(TransportError::Kind::tls, "no secure connection", reason);
  }

  void begin_tls(const BaseUrl& url, const TlsOptions& options, Clock::time_point until,
                 const Check& check) {
    ERR_clear_error();
    const std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_client_method()));
    if (!context) fail_tls();
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    if (options.verify) {
      const bool has_roots =
          options.ca_file.empty()
              ? SSL_CTX_set_default_verify_paths(context.get()) == 1
              : SSL_CTX_load_verify_locations(context.get(), options.ca_file.c_str(), nullptr) == 1;
      if (!has_roots) fail_tls();
      SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    }
    if (!options.certificate_file.empty()) {
      const bool is_loaded = SSL_CTX_use_certificate_chain_file(
                                 context.get(), options.certificate_file.c_str()) == 1 &&
                             SSL_CTX_use_PrivateKey_file(context.get(), options.key_file.c_str(),
                                                         SSL_FILETYPE_PEM) == 1;
      if (!is_loaded) {
        throw TransportError(TransportError::Kind::tls, "the client certificate cannot be loaded");
      }
    }
    tls_.reset(SSL_new(context.get()));
    if (!tls_ || SSL_set_fd(tls_.get(), fd_) != 1) fail_tls();
    SSL_set_mode(tls_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    // An address is compared with the addresses of the certificate, and has no SNI.
    const bool is_address =
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_.get()), url.host.c_str()) == 1;
    if (!is_address) {
      SSL_set_tlsext_host_name(tls_.get(), url.host.c_str());
      if (SSL_set1_host(tls_.get(), url.host.c_str()) != 1) fail_tls();
    }
    while (true) {
      const auto result = tls_result([&] { return SSL_connect(tls_.get()); }, read_waits_for_);
      if (result > 0) break;
      if (result < 0) fail_handshake(tls_error_);
      check();
      if (Clock::now() >= until) {
        fail(TransportError::Kind::timeout, "no connection in time", "the handshake");
      }
      wait(true, false, until);
    }
    has_handshake_ = true;
    read_waits_for_ = POLLIN;
  }

  /// Reading may wait for room, and writing for data.
  template <class Operation>
  std::ptrdiff_t tls_result(const Operation& operation, short& waits_for) {
    ERR_clear_error();
    const int result = operation();
    if (result > 0) return result;
    tls_error_ = SSL_get_error(tls_.get(), result);
    switch (tls_error_) {
      case SSL_ERROR_WANT_READ:
        waits_for = POLLIN;
        return 0;
      case SSL_ERROR_WANT_WRITE:
        waits_for = POLLOUT;
        return 0;
      default:
        has_handshake_ = false;  // nothing may follow an error
        return -1;
    }
  }

  std::unique_ptr<SSL, Free> tls_;
  bool has_handshake_ = false;
  int tls_error_ = SSL_ERROR_NONE;  ///< of the last operation
#else
  [[noreturn]] void begin_tls(const BaseUrl&, const TlsOptions&, Clock::time_point, const Check&) {
    throw std::invalid_argument("https needs CPPHTTPLIB_OPENSSL_SUPPORT to be defined");
  }
#endif

  const Waker& waker_;
  const char* operation_;
  const std::string base_url_;
  int fd_ = -1;
  short read_waits_for_ = POLLIN;
  short write_waits_for_ = POLLOUT;
  bool has_hung_up_ = false;
};

#endif

}  // namespace detail
