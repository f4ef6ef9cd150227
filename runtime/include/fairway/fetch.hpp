// The outbound client, `app.fetch` (reference: Outbound client operations; docs/fetch.md).
#pragma once

#include <fairway/duration.hpp>
#include <fairway/fetch_options.hpp>
#include <fairway/future.hpp>
#include <fairway/json.hpp>
#include <fairway/readable.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fw {

class Request;
class Response;

namespace detail {
class OutboundClient;
class FetchExchange;
}  // namespace detail

/// A call without a response that can be used.
class FetchError : public std::runtime_error {
 public:
  FetchError(const std::string& message, std::string method, std::string url, int attempt)
      : std::runtime_error(message),
        method_(std::move(method)),
        url_(std::move(url)),
        attempt_(attempt) {}

  const std::string& method() const { return method_; }
  const std::string& url() const { return url_; }
  int attempt() const { return attempt_; }  ///< 0 for the first

 private:
  std::string method_;
  std::string url_;
  int attempt_;
};

/// No response within `timeout`.
class TimeoutError : public FetchError {
 public:
  using FetchError::FetchError;
};
/// The name has no address, the connection failed, or what came is not a well-formed response.
class NetworkError : public FetchError {
 public:
  using FetchError::FetchError;
};
/// The TLS handshake failed: most often, the certificate is not to be trusted.
class TlsError : public NetworkError {
 public:
  using NetworkError::NetworkError;
};
/// The call was cancelled.
class AbortError : public FetchError {
 public:
  AbortError(const std::string& message, std::string method, std::string url, int attempt,
             std::string reason)
      : FetchError(message, std::move(method), std::move(url), attempt),
        reason_(std::move(reason)) {}
  /// What cancelled it: "the signal was requested".
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};
/// A redirect that may not or cannot be followed.
class RedirectError : public FetchError {
 public:
  using FetchError::FetchError;
};
/// The body is not what it was asked for: it is larger than `max_size`, or no JSON.
class BodyError : public FetchError {
 public:
  using FetchError::FetchError;
};
/// An option has a value that it cannot have. Nothing was sent.
class OptionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A form: `multipart/form-data`, or `application/x-www-form-urlencoded` with `url_encoded`.
class FormData {
 public:
  struct Part {
    std::string name;
    std::string content;
    std::optional<std::string> filename = {};
    std::string content_type = {};
  };

  FormData& append(std::string name, std::string value);
  FormData& append_file(std::string name, std::string filename, std::string content,
                        std::string content_type = "application/octet-stream");
  /// Sends the form url-encoded. Throws OptionError, when the form is sent, if it has files.
  FormData& url_encoded();

  const std::vector<Part>& parts() const { return parts_; }
  bool is_url_encoded() const { return url_encoded_; }

 private:
  std::vector<Part> parts_;
  bool url_encoded_ = false;
};

/// The body of an outbound request: a string as it is, JSON, a form, or a source that is read while
/// it is sent (and therefore is sent once: no retry, no redirect that repeats it).
class FetchBody {
 public:
  FetchBody() = default;
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  FetchBody(const T& text) : value_(std::string(std::string_view(text))) {}
  FetchBody(std::string text) : value_(std::move(text)) {}
  template <std::same_as<Json> T>  // only Json: everything else would convert to it
  FetchBody(T json) : value_(std::move(json)) {}
  FetchBody(FormData form) : value_(std::move(form)) {}
  FetchBody(Readable source) : value_(std::move(source)) {}

  using Value = std::variant<std::monostate, std::string, Json, FormData, Readable>;
  Value& value() { return value_; }

 private:
  Value value_;
};

/// What becomes of a redirect.
enum class Redirect {
  follow,  ///< up to 20 of them; credentials stay with their origin
  manual,  ///< the response is the redirect itself
  error,   ///< RedirectError
};

/// Options of one call. What is not set comes from the client that makes it, then from the
/// configuration.
struct FetchInit {
  std::string method = {};  ///< GET when empty
  FetchHeaders headers = {};
  FetchBody body = {};
  /// Until the head of the response has arrived, of each attempt: from 1 to 2147483647 ms.
  std::optional<Milliseconds> timeout = {};
  /// Further attempts after a 5xx or a network error, of GET, HEAD, OPTIONS, PUT and DELETE.
  std::optional<int> retry = {};
  std::optional<RetryDelay> retry_delay = {};
  bool propagate_request_id = true;
  Redirect redirect = Redirect::follow;
  std::stop_token signal = {};  ///< cancels the call, and reading the body
  /// Bytes, after decoding: BodyError past it, also for a body that is streamed.
  std::optional<ByteSize> max_size = {};
};

/// Options of a client for one service.
struct FetchClientOptions {
  std::string base_url = {};  ///< absolute; what a call names comes after it
  FetchHeaders headers = {};
  std::optional<Milliseconds> timeout = {};
  std::optional<int> retry = {};
  std::optional<RetryDelay> retry_delay = {};
};

/// The response to a call, of any status. The body is read when it is asked for: whoever drops the
/// response before gives up the connection. Used by one thread at a time.
class FetchResponse {
 public:
  explicit FetchResponse(std::unique_ptr<detail::FetchExchange> exchange);
  ~FetchResponse();
  FetchResponse(FetchResponse&&) noexcept;
  FetchResponse& operator=(FetchResponse&&) noexcept;

  bool ok() const { return status() >= 200 && status() <= 299; }
  int status() const;
  const std::string& url() const;  ///< of the response: after redirects, the last one
  const FetchHeaders& headers() const;
  int attempt() const;  ///< 0 for the first

  /// The whole body, decoded; the same again when called again. The reading functions throw
  /// NetworkError when the connection breaks, AbortError, and BodyError for more than `max_size`.
  std::string text();
  /// The body as JSON. Throws BodyError when it is none.
  Json json();
  template <class T>
  T get() {
    return json().template get<T>();
  }
  /// The next bytes of the body, decoded; 0 at the end. Waits for at least one.
  std::size_t read(std::span<char> buffer);
  /// Gives up the rest of the body.
  void discard();

 private:
  std::unique_ptr<detail::FetchExchange> exchange_;
};

/// Calls with common options: `app.fetch.create({.base_url = …})`. A cheap handle, as long as the
/// application lives; thread-safe. Calls block the calling thread until the head of the response
/// has arrived. They throw the errors above, and what a `fetch:before` hook throws.
class FetchClient {
 public:
  FetchResponse operator()(std::string_view url, FetchInit init = {}) const;
  FetchResponse get(std::string_view url, FetchInit init = {}) const;
  /// `body` is sent as JSON; null sends none.
  FetchResponse post(std::string_view url, const Json& body = nullptr, FetchInit init = {}) const;
  FetchResponse put(std::string_view url, const Json& body = nullptr, FetchInit init = {}) const;
  FetchResponse patch(std::string_view url, const Json& body = nullptr, FetchInit init = {}) const;
  FetchResponse del(std::string_view url, FetchInit init = {}) const;
  /// As the call, in the background. `init.body` is read there, too.
  Future<FetchResponse> async(std::string_view url, FetchInit init = {}) const;
  /// A client of its own: it has the application's defaults, not this client's options. Throws
  /// OptionError.
  FetchClient create(FetchClientOptions options) const;

 protected:
  explicit FetchClient(std::shared_ptr<detail::OutboundClient> client)
      : client_(std::move(client)) {}
  std::shared_ptr<detail::OutboundClient> client_;

 private:
  FetchResponse call(std::string_view method, std::string_view url, FetchInit init) const;
  FetchResponse send(std::string_view method, std::string_view url, const Json& body,
                     FetchInit init) const;

  std::shared_ptr<const FetchClientOptions> options_;  ///< null for the application's own client
};

/// Passes requests on to one named target of `fetch.proxy`.
class FetchProxyHandler {
 public:
  /// As `FetchProxy`, with `options.path` below the target's base URL.
  void operator()(Request& req, Response& res, FetchProxyOptions options) const;

 private:
  friend class FetchProxy;
  FetchProxyHandler(std::shared_ptr<detail::OutboundClient> client, std::string name)
      : client_(std::move(client)), name_(std::move(name)) {}

  std::shared_ptr<detail::OutboundClient> client_;
  std::string name_;
};

/// Passes a request on and gives its response, of any status, as the response to the client:
/// docs/proxy.md. What goes wrong before there is a response becomes `{code, message, requestId}`
/// with the status 400, 500, 502 or 504; nothing is thrown. The body is streamed after the handler
/// has returned.
class FetchProxy {
 public:
  explicit FetchProxy(std::shared_ptr<detail::OutboundClient> client)
      : client_(std::move(client)) {}

  /// To `options.url`, which is absolute.
  void operator()(Request& req, Response& res, FetchProxyOptions options) const;
  /// To a target of the configuration: a request to a name that is unknown gets 500.
  FetchProxyHandler operator[](std::string_view name) const { return {client_, std::string(name)}; }

 private:
  std::shared_ptr<detail::OutboundClient> client_;
};

/// `app.fetch`.
class Fetch : public FetchClient {
 public:
  explicit Fetch(std::shared_ptr<detail::OutboundClient> client)
      : FetchClient(client), proxy(std::move(client)) {}

  const FetchProxy proxy;
};

}  // namespace fw
