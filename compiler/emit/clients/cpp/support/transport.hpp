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

  const ClientOptions& options() const { return options_; }
  const BaseUrl& url() const { return url_; }
  const std::vector<KnownError>& errors() const { return errors_; }

  /// The response with status 2xx, or also 3xx if `redirections` is true. Throws ApiError for every
  /// other status.
  Received send(const Call& call, const CallOptions& options, bool redirections = false) {
    const Limits limits(call.operation(), options.stop,
                        options.timeout ? options.timeout : options_.timeout);
    const std::string request_id = request_id_of(options.request_id);
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

  /// Passes a stream to `reader`, over as many connections as it takes.
  void receive(const Call& call, const StreamOptions& options, StreamReader& reader) {
    const Limits limits(call.operation(), options.stop, options.timeout);
    const std::string request_id = request_id_of(options.request_id);
    bool was_open = false;
    for (int failures = 0;; ++failures) {
      const std::size_t count = reader.count();
      std::exception_ptr thrown;  // by the caller's function, or because of invalid data
      std::exception_ptr failure;
      std::optional<std::chrono::milliseconds> wish;
      try {
        const bool is_over =
            !receive_once(call, options.headers, request_id, limits, reader, was_open, thrown);
        if (is_over && !thrown) return;
      } catch (const ApiError& error) {
        wish = retry_after(error.response());
        const bool again =
            may_pass(error.status()) && (!wish || *wish <= options_.retry.longest_retry_after);
        if (!again) throw;
        failure = std::current_exception();
      } catch (const TransportError& error) {
        // The service sends comments, so that a silent connection is a broken one.
        const bool is_silent = error.kind() == TransportError::Kind::timeout && was_open;
        if (limits.reached() || !(may_pass(error) || is_silent)) throw;
        failure = std::current_exception();
      }
      if (thrown) std::rethrow_exception(thrown);
      if (reader.count() > count) failures = 0;
      const int most = options.max_reconnects.value_or(was_open ? std::numeric_limits<int>::max()
                                                                : options_.retry.max_retries);
      const bool again =
          call.may_be_repeated() && (reader.resumes() || !was_open) && failures < most;
      if (!again) {
        if (failure) std::rethrow_exception(failure);
        return;
      }
      limits.wait(wish.value_or(reconnect_delay(options_.retry, failures, reader.retry())));
    }
  }

  /// The id that a request is to have; empty if the service chooses it.
  std::string request_id_of(const std::string& of_call) const {
    if (!of_call.empty()) return of_call;
    return options_.request_id ? options_.request_id() : std::string();
  }

  /// The request of a call, with all its headers.
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
    Received received{
        .operation = call.operation(), .info = info_of(*result), .body = result->body};
    pool_.give(std::move(connection));
    return {std::move(received), result->reason};
  }

  static ResponseInfo info_of(const httplib::Response& response) {
    ResponseInfo info;
    info.status = response.status;
    for (const auto& [name, value] : response.headers) info.headers.emplace_back(name, value);
    info.request_id = info.header("X-Request-ID");
    return info;
  }

  static bool has_media_type(const ResponseInfo& info, std::string_view media_type) {
    std::string type = info.header("Content-Type");
    type.resize(std::min(type.find(';'), type.size()));
    while (!type.empty() && type.back() == ' ') type.pop_back();
    const auto is_same = [](char a, char b) {
      return a == b || (a >= 'A' && a <= 'Z' && a + ('a' - 'A') == b);
    };
    return std::equal(type.begin(), type.end(), media_type.begin(), media_type.end(), is_same);
  }

  /// One connection of a stream. False if nothing follows. `thrown` is set to what the reader
  /// throws.
  bool receive_once(const Call& call, Headers headers, const std::string& request_id,
                    const Limits& limits, StreamReader& reader, bool& was_open,
                    std::exception_ptr& thrown) {
    constexpr std::size_t kMaxError = std::size_t{1} << 20U;
    limits.check();
    reader.begin(headers);
    if (ResponseInfo{.headers = headers}.header("Accept").empty()) {
      headers.emplace_back("Accept", reader.media_type());
    }
    httplib::Request request = make_request(call, {.headers = std::move(headers)}, request_id);
    Received received{.operation = call.operation()};
    bool is_open = false;
    bool goes_on = true;
    auto last = Clock::now();
    request.response_handler = [&](const httplib::Response& response) {
      received.info = info_of(response);
      is_open = received.is_success() && has_media_type(received.info, reader.media_type());
      was_open = was_open || is_open;
      return true;
    };
    request.content_receiver = [&](const char* data, std::size_t size, auto...) {
      last = Clock::now();
      if (!is_open) {
        received.body.append(data, std::min(size, kMaxError - received.body.size()));
        return received.body.size() < kMaxError;
      }
      try {
        goes_on = reader.push(std::string_view(data, size));
      } catch (...) {
        thrown = std::current_exception();
        goes_on = false;
      }
      return goes_on;
    };
    auto connection = pool_.take();
    const auto read_timeout = limits.shorten(options_.read_timeout);
    const httplib::Result result = [&] {
      std::optional<Watchdog::Watch> watch;
      if (limits.exist()) watch.emplace(watchdog_, *connection, limits);
      return connection->exchange(request, limits.shorten(options_.connect_timeout), read_timeout);
    }();
    if (!goes_on) return false;
    if (!result) limits.check();
    if (result) received.info = info_of(*result);  // also of a response without a body
    const bool has_head = received.info.status != 0;
    if (has_head && !received.is_success() && (result || !received.body.empty())) {
      throw_api_error(std::move(received), result ? result->reason : std::string(), errors_);
    }
    if (!result) throw failure(call, result.error(), Clock::now() - last >= read_timeout);
    pool_.give(std::move(connection));
    if (received.has_status(204) || received.has_status(205)) return false;
    if (!is_open) received.fail(std::string("is not ") + reader.media_type());
    try {
      reader.end();
    } catch (...) {
      thrown = std::current_exception();
    }
    return true;
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
