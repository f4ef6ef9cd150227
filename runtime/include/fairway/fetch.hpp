// The outbound client, `app.fetch` (docs/fetch.md).
#pragma once

#include <fairway/fetch_body.hpp>
#include <fairway/fetch_client.hpp>
#include <fairway/fetch_errors.hpp>
#include <fairway/fetch_options.hpp>
#include <fairway/future.hpp>
#include <fairway/json_members.hpp>
#include <fairway/json_type.hpp>
#include <fairway/readable.hpp>
#include <fairway/units.hpp>
#include <fairway/url_path.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw {

namespace detail {
class FetchExchange;
class Proxy;
}  // namespace detail

/// How redirects are handled.
enum class Redirect {
  follow,  ///< at most 20; credentials are not sent to other origins
  manual,  ///< the response is the redirect itself
  error,   ///< RedirectError
};

/// The addresses that a call may connect to.
enum class Addresses {
  any,
  /// Addresses of the public Internet. For URLs that come from others: the address is checked after
  /// the name has been looked up, for each redirect, so that neither names of internal hosts nor
  /// names that change their address lead into the local network. No proxy of the environment is
  /// used.
  public_only,
};

/// Options of one call. The defaults come from the client, then from the configuration.
struct FetchInit {
  std::string method = {};    ///< GET when empty
  FetchHeaders headers = {};  ///< take precedence over headers of the client and propagated ones
  FetchBody body = {};        ///< OptionError for GET and HEAD
  /// Time limit for the response head of each attempt: 1 to 2147483647 ms.
  std::optional<Milliseconds> timeout = {};
  /// Number of attempts after the first: after a 5xx or a network error, for GET, HEAD, OPTIONS,
  /// PUT and DELETE.
  std::optional<int> retry = {};
  std::optional<RetryDelay> retry_delay = {};  ///< between two attempts
  bool propagate_request_id = true;            ///< whether the id of the current request is sent
  Redirect redirect = Redirect::follow;        ///< how redirects are handled
  std::stop_token signal = {};                 ///< cancels the call, and reading the body
  /// Maximum size of the decoded body, streamed or not; a larger one is a BodyError.
  std::optional<ByteSize> max_size = {};
  std::optional<Addresses> addresses = {};  ///< any address by default
  /// Absolute path of a unix socket to connect to instead of the host of the URL.
  std::string unix_socket = {};
  /// Time limit between two parts of the body: 1 to 2147483647 ms.
  std::optional<Milliseconds> idle_timeout = {};
  /// Time limit for the whole call with its retries and the body: 1 to 2147483647 ms.
  std::optional<Milliseconds> total_timeout = {};
};

/// Options of a client for one service.
struct FetchClientOptions {
  /// Absolute; URLs of calls are appended to it, and cannot leave its path. With `unix_socket`, it
  /// is optional. `http://unix:/run/app.sock:/v1` sets both.
  std::string base_url = {};
  FetchHeaders headers = {};                       ///< of every call
  std::optional<Milliseconds> timeout = {};        ///< see `FetchInit::timeout`
  std::optional<int> retry = {};                   ///< see `FetchInit::retry`
  std::optional<RetryDelay> retry_delay = {};      ///< between two attempts
  std::optional<Addresses> addresses = {};         ///< see `FetchInit::addresses`
  std::string unix_socket = {};                    ///< see `FetchInit::unix_socket`
  std::optional<Milliseconds> idle_timeout = {};   ///< see `FetchInit::idle_timeout`
  std::optional<Milliseconds> total_timeout = {};  ///< see `FetchInit::total_timeout`
};

/// The response to a call, of any status. The body is read on demand. Destroying the response
/// before its body has been read closes the connection. Must be used by one thread at a time.
class FetchResponse {
 public:
  /// For the client, which creates it.
  explicit FetchResponse(std::unique_ptr<detail::FetchExchange> exchange);
  /// @{
  /// Moves. The source can then only be destroyed or assigned to.
  ~FetchResponse();
  FetchResponse(FetchResponse&&) noexcept;
  FetchResponse& operator=(FetchResponse&&) noexcept;
  /// @}

  /// Whether the status is 200 to 299.
  bool ok() const { return status() >= 200 && status() <= 299; }
  /// Of the last response, after redirects.
  int status() const;
  const std::string& url() const;  ///< of the response, after redirects
  /// Of the last response; valid as long as the object.
  const FetchHeaders& headers() const;
  int attempt() const;  ///< 0 for the first
  /// "1.0", "1.1" or "2", of the last response.
  std::string_view http_version() const;

  /// The whole decoded body; further calls return it again. The functions that read the body throw
  /// NetworkError if the connection is interrupted, AbortError if the call is cancelled, and
  /// BodyError for more than `max_size`.
  std::string text();
  /// The body as JSON. Throws BodyError if it is not JSON.
  Json json();
  /// The body as a T. Generated structs and types with FW_JSON are read without a JSON tree if
  /// possible. Throws BodyError if it is not JSON, and Json::exception if it is not a T.
  template <class T>
  T get() {
    if constexpr (detail::Decodable<T>) {
      T value{};
      detail::JsonReader reader(bytes());
      fw_decode(reader, value);
      if (reader.is_complete()) return value;
    }
    return json().template get<T>();
  }
  /// Reads the next bytes of the decoded body; returns 0 at the end. Waits for at least one byte.
  std::size_t read(std::span<char> buffer);
  /// The decoded body, without what `read` has returned, as the source of a response or of another
  /// call: `res.stream(std::move(response).body())`. No thread waits while it arrives
  /// (docs/streaming.md). The time limits and `max_size` of the call apply; the response is cut off
  /// where the body cannot be read any further. Throws like `text` if that is known at once. The
  /// response can then only be destroyed or assigned to.
  Readable body() &&;
  /// Discards the rest of the body and closes the connection.
  void discard();

 private:
  friend class detail::Proxy;
  /// The whole body, valid until the next call.
  std::string_view bytes();

  std::unique_ptr<detail::FetchExchange> exchange_;
};

/// Options of one call of the proxy. The defaults come from the target, then from the
/// configuration.
struct FetchProxyOptions {
  /// Below the target's base URL, percent-encoded; required for a named target. Encode what comes
  /// from a client with `fw::url_path` or `fw::url_subpath`.
  std::string path = {};
  std::string url = {};     ///< absolute; required for a call without a target
  std::string method = {};  ///< empty: the request's method
  /// Replaces keys of the query of the URL and of the request; null removes a key. Without these,
  /// and without a query of the URL, the query of the request is sent unchanged.
  std::map<std::string, Json> query = {};
  /// Not set: the body of the request; GET and HEAD send none. For JSON and forms, `Content-Type`
  /// is not forwarded; it describes this body unless the call or the target sets it.
  std::optional<FetchBody> body = {};
  /// Limit for the request's body in bytes: 413 above it. The route's own limit applies, too.
  ByteSize max_body_size = {};
  FetchHeaders headers = {};  ///< replace forwarded headers and headers of the target
  std::vector<std::string> forward_headers = {};  ///< added to the target's
  FetchProxyHeaders inject_headers = {};          ///< replace all others of the same name
  /// Whether `Authorization` is forwarded if `forward_headers` contains "authorization".
  bool allow_authorization_forward = false;
  std::optional<Milliseconds> timeout = {};    ///< of each attempt, including the body
  std::optional<int> retry = {};               ///< attempts after the first
  std::optional<RetryDelay> retry_delay = {};  ///< between two attempts
  bool x_forwarded = false;                    ///< see `FetchProxyTarget::x_forwarded`
};

}  // namespace fw
