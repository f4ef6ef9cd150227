#include "http/adapter.hpp"

#include <cerrno>
#include <poll.h>

#include "base/parse_number.hpp"

namespace fw::http {

#if FAIRWAY_EPOLL
/// A weak reference does not take it out of its library.
[[gnu::weak]] std::unique_ptr<Adapter> make_httplib_adapter();
#endif

namespace {

std::size_t count(int value) { return static_cast<std::size_t>(value); }

std::size_t bytes(const ByteSize& size) { return static_cast<std::size_t>(size.bytes()); }

unsigned file_mode(const std::string& octal) {
  return base::parse_number<unsigned>(octal, 8).value_or(0);
}

bool offers_http2(const ServerConfig& server) {
  constexpr bool kHasHttp2 = FAIRWAY_HTTP2 && FAIRWAY_EPOLL;
  return kHasHttp2 && server.tls.is_enabled() && server.engine != HttpEngine::httplib &&
         server.http2.enabled.value_or(true);
}

}  // namespace

AdapterOptions::AdapterOptions(const Config& config)
    : host(config.host),
      port(static_cast<std::uint16_t>(config.port)),
      unix_socket(config.server.unix_socket),
      unix_socket_mode(file_mode(config.server.unix_socket_mode)),
      backlog(config.server.backlog),
      reuse_port(config.server.reuse_port),
      handshake_timeout(config.server.tls.handshake_timeout),
      http2{.over_tls = offers_http2(config.server),
            .cleartext = config.server.http2.cleartext,
            .max_concurrent_streams = count(config.server.http2.max_concurrent_streams)},
      min_workers(count(config.server.min_workers)),
      max_workers(count(config.server.max_workers)),
      max_connections(count(config.server.max_connections)),
      max_connections_per_address(count(config.server.max_connections_per_address)),
      max_requests_per_connection(count(config.server.max_requests_per_connection)),
      max_header_size(bytes(config.server.max_header_size)),
      max_header_count(count(config.server.max_header_count)),
      max_buffered_bytes(bytes(config.server.max_buffered_bytes)),
      keep_alive_timeout(config.server.keep_alive_timeout),
      headers_timeout(config.server.headers_timeout),
      request_timeout(config.server.request_timeout),
      send_timeout(config.server.send_timeout),
      min_data_rate{.bytes_per_second = config.server.min_data_rate.bytes()},
      queue_timeout(config.server.queue_timeout),
      worker_idle_timeout(config.server.worker_idle_timeout),
      trim_interval(config.server.trim_interval) {}

void Adapter::wait_until_readable(int descriptor) {
  pollfd entry{descriptor, POLLIN, 0};
  while (::poll(&entry, 1, -1) < 0 && errno == EINTR) {
  }
}

bool has_httplib_engine() {
#if FAIRWAY_EPOLL
  return make_httplib_adapter != nullptr;
#else
  return true;
#endif
}

std::unique_ptr<Adapter> make_adapter(HttpEngine engine) {
#if FAIRWAY_EPOLL
  if (engine != HttpEngine::httplib) return make_epoll_adapter();
#endif
  static_cast<void>(engine);
  return make_httplib_adapter();
}

}  // namespace fw::http
