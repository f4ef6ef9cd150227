namespace detail {

/// Sends calls, with retries. Thread-safe.
class Transport {
 public:
  /// `errors` are the codes that have an exception.
  explicit Transport(ClientOptions options, std::vector<KnownError> errors = {})
      : service_(std::make_shared<const Service>(std::move(options), std::move(errors))),
        pool_(options_, service_->url()) {}

  const std::shared_ptr<const Service>& service() const { return service_; }

  /// Begins a call, in the trace of the calling thread.
  Call call(const char* operation, const char* method) const {
    Call begun(operation, method);
    const Headers trace = options_.trace ? options_.trace() : Headers();
    for (const auto& [name, value] : trace) begun.header(name.c_str(), value);
    return begun;
  }

  /// The response with status 2xx, or also 3xx if `redirections` is true. Throws ApiError for every
  /// other status.
  Received send(const Call& call, const CallOptions& options, bool redirections = false) {
    const Limits limits(call.operation(), options.stop,
                        options.timeout ? options.timeout : options_.timeout);
    const std::string request_id = service_->request_id_of(options.request_id);
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
    const std::string request_id = service_->request_id_of(options.request_id);
    Reconnection reconnection(options_.retry, options.max_reconnects);
    while (true) {
      reconnection.begin();
      const std::size_t count = reader.count();
      std::exception_ptr thrown;  // by the caller's function, or because of invalid data
      std::exception_ptr failure;
      std::optional<std::chrono::milliseconds> wish;
      try {
        const bool is_over =
            !receive_once(call, options.headers, request_id, limits, reader, reconnection, thrown);
        if (is_over && !thrown) return;
      } catch (const ApiError& error) {
        wish = retry_after(error.response());
        const bool again =
            may_pass(error.status()) && (!wish || *wish <= options_.retry.longest_retry_after);
        if (!again) throw;
        failure = std::current_exception();
      } catch (const TransportError& error) {
        // The service sends comments, so that a silent connection is a broken one.
        const bool is_silent =
            error.kind() == TransportError::Kind::timeout && reconnection.was_open();
        if (limits.reached() || !(may_pass(error) || is_silent)) throw;
        failure = std::current_exception();
      }
      if (thrown) std::rethrow_exception(thrown);
      if (reader.count() > count) reconnection.received();
      const bool may_continue =
          call.may_be_repeated() && (reader.resumes() || !reconnection.was_open());
      const auto delay = may_continue ? reconnection.next(wish, reader.retry()) : std::nullopt;
      if (!delay) {
        if (failure) std::rethrow_exception(failure);
        return;
      }
      limits.wait(*delay);
    }
  }

 private:
  Received accept(Received received, const std::string& reason, const CallOptions& options,
                  bool redirections) const {
    const int family = received.info.status / 100;
    if (family != 2 && !(family == 3 && redirections)) {
      throw_api_error(std::move(received), reason, service_->errors());
    }
    if (options.response != nullptr) *options.response = received.info;
    return received;
  }

  std::pair<Received, std::string> try_once(const Call& call, const CallOptions& options,
                                            const std::string& request_id, const Limits& limits) {
    limits.check();
    const httplib::Request request = service_->make_request(call, options, request_id);
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
      throw failure(call, result.error(), Clock::now() >= time_after(begin, read_timeout));
    }
    Received received{
        .operation = call.operation(), .info = info_of(*result), .body = result->body};
    service_->keep_cookies(request, received.info);
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
    const std::string type = info.header("Content-Type");
    return same_name(trimmed(std::string_view(type).substr(0, type.find(';'))), media_type);
  }

  /// One connection of a stream. False if nothing follows. `thrown` is set to what the reader
  /// throws.
  bool receive_once(const Call& call, Headers headers, const std::string& request_id,
                    const Limits& limits, StreamReader& reader, Reconnection& reconnection,
                    std::exception_ptr& thrown) {
    constexpr std::size_t kMaxError = std::size_t{1} << 20U;
    limits.check();
    reader.begin(headers);
    if (ResponseInfo{.headers = headers}.header("Accept").empty()) {
      headers.emplace_back("Accept", reader.media_type());
    }
    httplib::Request request =
        service_->make_request(call, {.headers = std::move(headers)}, request_id);
    Received received{.operation = call.operation()};
    bool is_open = false;
    bool wants_more = true;
    auto last = Clock::now();
    request.response_handler = [&](const httplib::Response& response) {
      received.info = info_of(response);
      service_->keep_cookies(request, received.info);
      is_open = received.is_success() && has_media_type(received.info, reader.media_type());
      if (is_open) reconnection.opened();
      return true;
    };
    request.content_receiver = [&](const char* data, std::size_t size, auto...) {
      last = Clock::now();
      if (!is_open) {
        received.body.append(data, std::min(size, kMaxError - received.body.size()));
        return received.body.size() < kMaxError;
      }
      try {
        wants_more = reader.push(std::string_view(data, size));
      } catch (...) {
        thrown = std::current_exception();
        wants_more = false;
      }
      return wants_more;
    };
    auto connection = pool_.take();
    const auto read_timeout = limits.shorten(options_.read_timeout);
    const httplib::Result result = [&] {
      std::optional<Watchdog::Watch> watch;
      if (limits.exist()) watch.emplace(watchdog_, *connection, limits);
      return connection->exchange(request, limits.shorten(options_.connect_timeout), read_timeout);
    }();
    if (!wants_more) return false;
    if (!result) limits.check();
    if (result) {  // also of a response without a body
      received.info = info_of(*result);
      service_->keep_cookies(request, received.info);
    }
    const bool has_head = received.info.status != 0;
    if (has_head && !received.is_success() && (result || !received.body.empty())) {
      throw_api_error(std::move(received), result ? result->reason : std::string(),
                      service_->errors());
    }
    if (!result) {
      throw failure(call, result.error(), Clock::now() >= time_after(last, read_timeout));
    }
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

  const std::shared_ptr<const Service> service_;
  const ClientOptions& options_ = service_->options();
  ConnectionPool pool_;
  Watchdog watchdog_;
};

}  // namespace detail
