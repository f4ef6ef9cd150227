namespace detail {

/// Sends calls, with retries. Thread-safe.
class Transport {
 public:
  /// `errors` are the codes that have an exception.
  explicit Transport(ClientOptions options, std::vector<KnownError> errors = {})
      : options_(std::move(options)),
        errors_(std::move(errors)),
        url_(parse_base_url(options_.base_url)),
        pool_(options_, url_) {
#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
    if (url_.secure) {
      throw std::invalid_argument("https needs CPPHTTPLIB_OPENSSL_SUPPORT to be defined");
    }
#endif
    for (const auto& [name, value] : options_.headers) require_header(name, value);
  }

  /// The response with status 2xx, or also 3xx if `redirections` is true. Throws ApiError for every
  /// other status.
  Received send(const Call& call, const CallOptions& options, bool redirections = false) {
    const Limits limits(call.operation(), options.stop,
                        options.timeout ? options.timeout : options_.timeout);
    const std::string request_id = !options.request_id.empty() ? options.request_id
                                   : options_.request_id       ? options_.request_id()
                                                               : std::string();
    const int retries = call.may_be_repeated() ? options_.retry.max_retries : 0;
    for (int attempt = 0;; ++attempt) {
      const bool last = attempt >= retries;
      auto delay = back_off(options_.retry, attempt);
      try {
        auto [received, reason] = try_once(call, options, request_id, limits);
        const auto wish = retry_after(received.info);
        const bool again = !last && may_pass(received.info.status) &&
                           (!wish || *wish <= options_.retry.longest_retry_after);
        if (!again) return accept(std::move(received), reason, options, redirections);
        delay = wish.value_or(delay);
      } catch (const TransportError& error) {
        if (last || !may_pass(error)) throw;
      }
      limits.wait(delay);
    }
  }

 private:
  Received accept(Received received, const std::string& reason, const CallOptions& options,
                  bool redirections) const {
    const int family = received.info.status / 100;
    if (family != 2 && !(family == 3 && redirections)) {
      throw_api_error(std::move(received), reason, errors_);
    }
    if (options.response != nullptr) *options.response = received.info;
    return received;
  }

  std::pair<Received, std::string> try_once(const Call& call, const CallOptions& options,
                                            const std::string& request_id, const Limits& limits) {
    limits.check();
    const httplib::Request request = make_request(call, options, request_id);
    auto connection = pool_.take();
    const auto begin = Clock::now();
    const auto read_timeout = limits.shorten(options_.read_timeout);
    const httplib::Result result = [&] {
      std::optional<Watchdog::Watch> watch;
      if (limits.exist()) watch.emplace(watchdog_, *connection, limits);
      return connection->exchange(request, limits.shorten(options_.connect_timeout), read_timeout);
    }();
    if (!result) {
      limits.check();
      throw failure(call, result.error(), Clock::now() - begin >= read_timeout);
    }
    Received received{.operation = call.operation(), .info = {}, .body = result->body};
    received.info.status = result->status;
    for (const auto& [name, value] : result->headers) {
      received.info.headers.emplace_back(name, value);
    }
    received.info.request_id = received.info.header("X-Request-ID");
    pool_.give(std::move(connection));
    return {std::move(received), result->reason};
  }

  httplib::Request make_request(const Call& call, const CallOptions& options,
                                const std::string& request_id) const {
    Headers headers = {{"Accept", "application/json, */*;q=0.8"}};
    for (const auto& [name, value] : options_.headers) set_header(headers, name, value);
    const auto* fixed = std::get_if<std::string>(&options_.token);
    const auto* asked = std::get_if<std::function<std::string()>>(&options_.token);
    const std::string token = fixed != nullptr               ? *fixed
                              : asked != nullptr && (*asked) ? (*asked)()
                                                             : std::string();
    if (!token.empty()) set_header(headers, "Authorization", "Bearer " + token);
    if (!request_id.empty()) set_header(headers, "X-Request-ID", request_id);
    if (call.body()) set_header(headers, "Content-Type", call.body()->content_type);
    for (const auto& [name, value] : call.headers()) set_header(headers, name, value);
    if (!call.cookies().empty()) {
      const std::string others = ResponseInfo{.headers = headers}.header("Cookie");
      set_header(headers, "Cookie",
                 others.empty() ? call.cookies() : others + "; " + call.cookies());
    }
    for (const auto& [name, value] : options.headers) set_header(headers, name, value);

    httplib::Request request;
    request.method = call.method();
    request.path = url_.prefix + call.target();
    for (const auto& [name, value] : headers) request.headers.emplace(name, value);
    if (call.body()) request.body = call.body()->content;
    return request;
  }

  TransportError failure(const Call& call, httplib::Error error, bool waited) const {
    using Kind = TransportError::Kind;
    const std::string reason = httplib::to_string(error);
    Kind kind = Kind::interrupted;
    std::string text = "the connection ended before the response was complete";
    if (reason.compare(0, 3, "SSL") == 0) {
      kind = Kind::tls;
      text = "no secure connection";
    } else if (error == httplib::Error::ConnectionTimeout) {
      kind = Kind::timeout;
      text = "no connection in time";
    } else if (error == httplib::Error::Connection) {
      kind = Kind::connect;
      text = "no connection";
    } else if (waited) {
      kind = Kind::timeout;
      text = "no response in time";
    }
    return TransportError(kind, std::string(call.operation()) + ": " + text + " (" +
                                    options_.base_url + ": " + reason + ")");
  }

  const ClientOptions options_;
  const std::vector<KnownError> errors_;
  const BaseUrl url_;
  ConnectionPool pool_;
  Watchdog watchdog_;
};

}  // namespace detail
