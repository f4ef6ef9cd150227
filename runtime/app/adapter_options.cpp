#include "app/adapter_options.hpp"

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/random.hpp"
#include "chain/error_response.hpp"
#include "errors/messages.hpp"

namespace fw::detail {
namespace {

std::size_t count(int value) { return static_cast<std::size_t>(value); }

unsigned file_mode(const std::string& octal) {
  unsigned mode = 0;
  std::from_chars(octal.data(), octal.data() + octal.size(), mode, 8);
  return mode;
}

}  // namespace

std::unique_ptr<http::Adapter> make_adapter(HttpEngine engine) {
#if FAIRWAY_EPOLL
  if (engine != HttpEngine::httplib) return http::make_epoll_adapter();
#endif
  static_cast<void>(engine);
  return http::make_httplib_adapter();
}

bool offers_http2(const Config& config) {
  const ServerConfig& server = config.server;
  constexpr bool kHasHttp2 = FAIRWAY_HTTP2 && FAIRWAY_EPOLL;
  return kHasHttp2 && server.tls.is_enabled() && server.engine != HttpEngine::httplib &&
         server.http2.enabled.value_or(true);
}

http::AdapterOptions adapter_options(const Config& config) {
  using std::chrono::milliseconds;
  const ServerConfig& server = config.server;
  return {
      .host = config.host,
      .port = static_cast<std::uint16_t>(config.port),
      .unix_socket = server.unix_socket,
      .unix_socket_mode = file_mode(server.unix_socket_mode),
      .backlog = server.backlog,
      .reuse_port = server.reuse_port,
      .handshake_timeout = milliseconds(server.tls.handshake_timeout),
      .http2 = {.over_tls = offers_http2(config),
                .cleartext = server.http2.cleartext,
                .max_concurrent_streams = count(server.http2.max_concurrent_streams)},
      .min_workers = count(server.min_workers),
      .max_workers = count(server.max_workers),
      .max_connections = count(server.max_connections),
      .max_connections_per_address = count(server.max_connections_per_address),
      .max_requests_per_connection = count(server.max_requests_per_connection),
      .max_header_size = static_cast<std::size_t>(server.max_header_size.bytes()),
      .max_header_count = count(server.max_header_count),
      .max_buffered_bytes = static_cast<std::size_t>(server.max_buffered_bytes.bytes()),
      .keep_alive_timeout = milliseconds(server.keep_alive_timeout),
      .headers_timeout = milliseconds(server.headers_timeout),
      .request_timeout = milliseconds(server.request_timeout),
      .send_timeout = milliseconds(server.send_timeout),
      .min_data_rate = {.bytes_per_second = server.min_data_rate.bytes()},
      .queue_timeout = milliseconds(server.queue_timeout),
      .worker_idle_timeout = milliseconds(server.worker_idle_timeout),
      .trim_interval = milliseconds(server.trim_interval),
  };
}

std::pair<http::ResponseHead, std::string> adapter_error(const Config& config, int status,
                                                         std::string_view message) {
  const RequestIdConfig& ids = config.request_id;
  const std::string id = ids.enabled ? base::make_uuid() : std::string();
  http::ResponseHead head{.status = status,
                          .fields = {{"content-type", "application/json; charset=utf-8"}}};
  if (ids.enabled) head.fields.add(ids.response_header, id);
  const std::string_view text = message.empty() ? default_message(status) : message;
  return {std::move(head), plain_error_text(status, text, id)};
}

}  // namespace fw::detail
