// Without FAIRWAY_HTTP2.
#include "http/epoll/http2_connection.hpp"

namespace fw::http {

std::unique_ptr<Http2Connection> make_http2_connection(const std::shared_ptr<Connection>&,
                                                       const ConnectionParts&, StreamHost&) {
  return nullptr;
}

}  // namespace fw::http
