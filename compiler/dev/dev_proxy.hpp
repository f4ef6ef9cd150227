// The proxy of `fairway dev`: forwards each request to the running server, holds it during a
// restart, or responds with the errors of the build.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/file_descriptor.hpp"
#include "dev/request_log.hpp"
#include "dev/tls_stream.hpp"
#include "process/event_loop.hpp"

namespace fairway::dev {

/// The parts of a request head that decide how it is handled.
struct ProxyRequest {
  std::string method;
  std::string target;
  std::string host;           ///< the field, without the port
  bool is_local = false;      ///< whether the client is on this machine
  bool is_from_page = false;  ///< a script of the page of requests sends it: no other origin can
  bool accepts_html = false;  ///< whether a browser loads a page
  bool has_waited = false;    ///< whether it has waited for the maximum time
};

struct Forward {
  std::uint16_t port = 0;  ///< of the server, on 127.0.0.1
  /// What is sent instead of the request: an earlier one, with its body.
  std::optional<std::string> other_request = {};
};
struct Wait {};
struct Reply {
  int status = 200;
  std::string media_type;
  std::string body;
};
using Decision = std::variant<Forward, Wait, Reply>;

/// A reply with an error body as the framework sends it. Nothing in the message is escaped.
Reply error_reply(int status, std::string_view message);

/// Each connection carries one request: the proxy reads its head, adds `Connection: close` and a
/// `traceparent`, and forwards all further bytes in both directions unchanged. With TLS, it also
/// adds `X-Forwarded-Proto: https`, and removes what the client says about itself in such fields.
class DevProxy {
 public:
  using Decide = std::function<Decision(const ProxyRequest&)>;

  /// Opens the port. Throws UserError if that is not possible. `max_wait` limits the wait of each
  /// request. Requests that are forwarded are added to `log`. `tls`: null for cleartext.
  DevProxy(process::EventLoop& loop, const std::string& host, std::uint16_t port,
           std::chrono::milliseconds max_wait, Decide decide, RequestLog& log,
           std::unique_ptr<TlsContext> tls = nullptr);
  ~DevProxy();
  DevProxy(const DevProxy&) = delete;
  DevProxy& operator=(const DevProxy&) = delete;

  std::uint16_t port() const;
  /// Calls `Decide` again for the requests that are waiting.
  void reconsider();

 private:
  class Connection;

  void accept();
  void close(Connection& connection);

  process::EventLoop& loop_;
  std::chrono::milliseconds max_wait_;
  Decide decide_;
  RequestLog& log_;
  const std::unique_ptr<TlsContext> tls_;
  fw::base::FileDescriptor listener_;
  std::map<int, std::unique_ptr<Connection>> connections_;  ///< by the client's descriptor
};

}  // namespace fairway::dev
