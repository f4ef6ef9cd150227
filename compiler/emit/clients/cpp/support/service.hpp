namespace detail {

/// The service of a client, and what its requests have in common. Shared with the sockets of the
/// client, which may exist for longer. Immutable.
class Service {
 public:
  /// `errors` are the codes that have an exception.
  explicit Service(ClientOptions options, std::vector<KnownError> errors)
      : options_(std::move(options)),
        errors_(std::move(errors)),
        url_(parse_base_url(options_.base_url)) {
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
  const ClientOptions options_;
  const std::vector<KnownError> errors_;
  const BaseUrl url_;
};

}  // namespace detail
