// The calls of an application's code.
#include <fairway/fetch.hpp>

#include "client/outbound_client.hpp"

namespace fw {

FetchResponse FetchClient::call(std::string_view method, std::string_view url,
                                FetchInit init) const {
  init.method = method;
  return client_->fetch(options_.get(), url, std::move(init));
}

FetchResponse FetchClient::send(std::string_view method, std::string_view url, const Json& body,
                                FetchInit init) const {
  if (!body.is_null()) init.body = FetchBody(body);
  return call(method, url, std::move(init));
}

FetchResponse FetchClient::operator()(std::string_view url, FetchInit init) const {
  return client_->fetch(options_.get(), url, std::move(init));
}

FetchResponse FetchClient::get(std::string_view url, FetchInit init) const {
  return call("GET", url, std::move(init));
}

FetchResponse FetchClient::post(std::string_view url, const Json& body, FetchInit init) const {
  return send("POST", url, body, std::move(init));
}

FetchResponse FetchClient::put(std::string_view url, const Json& body, FetchInit init) const {
  return send("PUT", url, body, std::move(init));
}

FetchResponse FetchClient::patch(std::string_view url, const Json& body, FetchInit init) const {
  return send("PATCH", url, body, std::move(init));
}

FetchResponse FetchClient::del(std::string_view url, FetchInit init) const {
  return call("DELETE", url, std::move(init));
}

Future<FetchResponse> FetchClient::async(std::string_view url, FetchInit init) const {
  // Shared, because std::function copies what it contains.
  return Future<FetchResponse>([client = *this, text = std::string(url),
                                shared = std::make_shared<FetchInit>(std::move(init))] {
    return client(text, std::move(*shared));
  });
}

FetchResponse FetchClient::operator()(std::string_view url) const { return (*this)(url, {}); }
FetchResponse FetchClient::get(std::string_view url) const { return get(url, {}); }
FetchResponse FetchClient::post(std::string_view url, const Json& body) const {
  return post(url, body, {});
}
FetchResponse FetchClient::put(std::string_view url, const Json& body) const {
  return put(url, body, {});
}
FetchResponse FetchClient::patch(std::string_view url, const Json& body) const {
  return patch(url, body, {});
}
FetchResponse FetchClient::del(std::string_view url) const { return del(url, {}); }
Future<FetchResponse> FetchClient::async(std::string_view url) const { return async(url, {}); }

FetchClient FetchClient::create(FetchClientOptions options) const {
  const bool has_only_socket = options.base_url.empty() && !options.unix_socket.empty();
  auto base =
      detail::checked_base_url("baseURL", has_only_socket ? "http://localhost" : options.base_url);
  options.base_url = std::move(base.text);
  if (!base.unix_socket.empty()) options.unix_socket = std::move(base.unix_socket);
  if (options.timeout) detail::checked_timeout(options.timeout->count());
  if (options.idle_timeout) detail::checked_timeout(options.idle_timeout->count(), "idleTimeout");
  if (options.total_timeout) {
    detail::checked_timeout(options.total_timeout->count(), "totalTimeout");
  }
  if (options.retry) detail::checked_retry(*options.retry);
  if (options.retry_delay) detail::checked_delay(*options.retry_delay);
  FetchClient client(client_);
  client.options_ = std::make_shared<const FetchClientOptions>(std::move(options));
  return client;
}

}  // namespace fw
