// The functions of the outbound client, `app.fetch`. To call them, include <fairway/fetch.hpp>.
#pragma once

#include <fairway/json_fwd.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fw {

class FetchResponse;
class Request;
class Response;
struct FetchClientOptions;
struct FetchInit;
struct FetchProxyOptions;
template <class T>
class Future;

namespace detail {
class OutboundClient;
class Proxy;
}  // namespace detail

/// Calls with common options: `app.fetch.create({.base_url = …})`. A cheap handle that is valid as
/// long as the application exists; thread-safe. Calls block the calling thread until the head of
/// the response has arrived. They throw a FetchError or OptionError, and exceptions of
/// `fetch:before` hooks.
class FetchClient {
 public:
  /// @{
  /// Makes a call with `init.method` and `init.body`.
  FetchResponse operator()(std::string_view url, FetchInit init) const;
  FetchResponse operator()(std::string_view url) const;
  /// @}
  /// @{
  /// Makes a GET request.
  FetchResponse get(std::string_view url, FetchInit init) const;
  FetchResponse get(std::string_view url) const;
  /// @}
  /// @{
  /// Sends `body` as JSON instead of `init.body`; if it is null, sends `init.body`.
  FetchResponse post(std::string_view url, const Json& body, FetchInit init) const;
  FetchResponse post(std::string_view url, const Json& body = detail::null_json()) const;
  /// @}
  /// @{
  /// Like `post`, with PUT or PATCH.
  FetchResponse put(std::string_view url, const Json& body, FetchInit init) const;
  FetchResponse put(std::string_view url, const Json& body = detail::null_json()) const;
  FetchResponse patch(std::string_view url, const Json& body, FetchInit init) const;
  FetchResponse patch(std::string_view url, const Json& body = detail::null_json()) const;
  /// @}
  /// @{
  /// Makes a DELETE request.
  FetchResponse del(std::string_view url, FetchInit init) const;
  FetchResponse del(std::string_view url) const;
  /// @}
  /// @{
  /// Makes the call on another thread, which also reads `init.body`.
  Future<FetchResponse> async(std::string_view url, FetchInit init) const;
  Future<FetchResponse> async(std::string_view url) const;
  /// @}
  /// A new client with the application's defaults, not with this client's options. Throws
  /// OptionError.
  FetchClient create(FetchClientOptions options) const;

 protected:
  /// For `Fetch` and `create`.
  explicit FetchClient(std::shared_ptr<detail::OutboundClient> client)
      : client_(std::move(client)) {}
  std::shared_ptr<detail::OutboundClient> client_;  ///< of the application

 private:
  FetchResponse call(std::string_view method, std::string_view url, FetchInit init) const;
  FetchResponse send(std::string_view method, std::string_view url, const Json& body,
                     FetchInit init) const;

  std::shared_ptr<const FetchClientOptions> options_;  ///< null for the application's own client
};

/// Forwards requests to one named target of `fetch.proxy`.
class FetchProxyHandler {
 public:
  /// Like `FetchProxy`, with `options.path` below the target's base URL.
  void operator()(Request& req, Response& res, FetchProxyOptions options) const;

 private:
  friend class FetchProxy;
  FetchProxyHandler(std::shared_ptr<detail::Proxy> proxy, std::string name)
      : proxy_(std::move(proxy)), name_(std::move(name)) {}

  std::shared_ptr<detail::Proxy> proxy_;  ///< of the application
  std::string name_;
};

/// Forwards a request, and sends the upstream's response, whatever its status, to the client
/// (docs/proxy.md). An error before there is a response becomes `{code, message, requestId}` with
/// the status 400, 413, 500, 502 or 504; nothing is thrown. The body is streamed after the handler
/// has returned.
class FetchProxy {
 public:
  /// For the application, which creates it.
  explicit FetchProxy(std::shared_ptr<detail::Proxy> proxy) : proxy_(std::move(proxy)) {}

  /// Forwards to `options.url`, which must be absolute.
  void operator()(Request& req, Response& res, FetchProxyOptions options) const;
  /// Forwards to a target of the configuration. A request to an unknown target gets 500.
  FetchProxyHandler operator[](std::string_view name) const { return {proxy_, std::string(name)}; }

 private:
  std::shared_ptr<detail::Proxy> proxy_;  ///< of the application
};

/// `app.fetch`.
class Fetch : public FetchClient {
 public:
  /// For the application, which creates it.
  Fetch(std::shared_ptr<detail::OutboundClient> client, std::shared_ptr<detail::Proxy> gateway)
      : FetchClient(std::move(client)), proxy(std::move(gateway)) {}

  const FetchProxy proxy;  ///< forwards requests
};

}  // namespace fw

#ifndef FAIRWAY_WITHOUT_JSON
#include <fairway/fetch.hpp>
#endif
