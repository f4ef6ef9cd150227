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
    httplib::Request request;
    request.method = call.method();
    request.path = url_.prefix + call.target();
    std::string cookies = ResponseInfo{.headers = headers}.header("Cookie");
    add_cookies(cookies, call.cookies());
    if (options_.cookies) {
      std::string kept = options_.cookies->header(target_of(request), cookies);
      add_cookies(kept, cookies);
      cookies = std::move(kept);
    }
    if (!cookies.empty()) set_header(headers, "Cookie", std::move(cookies));
    for (const auto& [name, value] : options.headers) set_header(headers, name, value);

    for (const auto& [name, value] : headers) request.headers.emplace(name, value);
    if (call.body()) request.body = call.body()->content;
    return request;
  }

  /// Keeps the cookies of a response, if the client has a jar.
  void keep_cookies(const httplib::Request& request, const ResponseInfo& response) const {
    if (!options_.cookies) return;
    for (const auto& [name, value] : response.headers) {
      if (same_name(name, "Set-Cookie")) options_.cookies->keep(target_of(request), value);
    }
  }

 private:
  static void add_cookies(std::string& cookies, const std::string& more) {
    if (!cookies.empty() && !more.empty()) cookies += "; ";
    cookies += more;
  }

  CookieTarget target_of(const httplib::Request& request) const {
    CookieTarget target{.secure = url_.secure,
                        .host = url_.host,
                        .path = request.path.substr(0, request.path.find('?'))};
    std::transform(target.host.begin(), target.host.end(), target.host.begin(), lower);
    return target;
  }

  const ClientOptions options_;
  const std::vector<KnownError> errors_;
  const BaseUrl url_;
};

}  // namespace detail
