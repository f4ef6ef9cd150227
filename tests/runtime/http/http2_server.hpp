// What the tests of HTTP/2 share: a server that speaks it in cleartext, and handlers.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "http2_client.hpp"
#include "local_options.hpp"
#include "loopback.hpp"

namespace fw::http::test {

// Error codes of RFC 9113, 7.
inline constexpr std::uint32_t kProtocolError = 1;
inline constexpr std::uint32_t kInternalError = 2;
inline constexpr std::uint32_t kRefusedStream = 7;
inline constexpr std::uint32_t kCancel = 8;
inline constexpr std::uint32_t kEnhanceYourCalm = 11;

inline AdapterOptions http2_options() {
  AdapterOptions options = local_options();
  options.http2.cleartext = true;
  // On a machine that is busy with other things, seconds may not be enough.
  options.keep_alive_timeout = options.queue_timeout = std::chrono::minutes(1);
  return options;
}

inline Server serve_http2(TransactionHandler handler, AdapterOptions options = http2_options()) {
  return Server(std::move(handler), std::move(options), make_epoll_adapter());
}

/// Responds with everything that the handler sees.
inline void tell(const std::shared_ptr<Transaction>& transaction) {
  const RequestHead& head = transaction->head();
  std::string text = std::string(head.method) + " " + head.target + " " +
                     std::string(transaction->http_version()) + "\n";
  for (const auto& [name, value] : head.fields) {
    text += std::string(name) + ": " + std::string(value) + "\n";
  }
  respond(*transaction, text);
}

/// Responds with the size of the body, or the number of its status.
inline TransactionHandler read_whole(std::uint64_t limit = 1024 * 1024) {
  return [limit](const std::shared_ptr<Transaction>& transaction) {
    std::string body;
    const auto status = transaction->read_body(limit, body);
    if (status == BodyStatus::complete) {
      respond(*transaction, std::to_string(body.size()));
    } else {
      respond(*transaction, "status " + std::to_string(static_cast<int>(status)), 413);
    }
  };
}

/// HPACK: a GET for the path "/".
inline const std::string kRootHead =
    "\x82\x84\x86\x41\x01"
    "a";

}  // namespace fw::http::test
