// An upstream with TLS that does with each stream of HTTP/2 exactly what a test says.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/certificates.hpp"

struct ssl_ctx_st;

namespace fw::support {

/// A request whose end has arrived, of the thread that the script runs on.
class Http2Exchange {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  class Session;
  Http2Exchange(Session& session, std::int32_t stream) : session_(session), stream_(stream) {}

  /// Requests of the connection before this one, and connections before its own.
  int index() const { return index_; }
  int connection() const;
  /// With the pseudo-fields.
  std::string field(std::string_view name) const;
  const std::string& body() const { return body_; }

  void respond(int status, std::string body, Fields fields = {}, Fields trailers = {});
  /// The head of an interim response.
  void inform(int status, const Fields& fields);
  /// The head, and a body that does not end.
  void begin(int status, std::string body);
  /// RST_STREAM.
  void reset(std::uint32_t error);
  enum class LastStream { one_before, this_one };
  /// GOAWAY, which says what is the last stream that is processed.
  void go_away(LastStream last);
  /// Closes the connection after what was sent before.
  void close();

 private:
  friend class Session;
  Session& session_;
  std::int32_t stream_;
  int index_ = 0;
  Fields fields_;
  std::string body_;
};

/// Runs the script for each request, on the thread of its connection.
class Http2Upstream {
 public:
  using Script = std::function<void(Http2Exchange&)>;
  /// Clients that do not choose HTTP/2 get `http1` after the head of a request.
  Http2Upstream(const test::TestCertificate& certificate, Script script, std::string http1 = {});
  ~Http2Upstream();
  Http2Upstream(const Http2Upstream&) = delete;
  Http2Upstream& operator=(const Http2Upstream&) = delete;

  std::string url(std::string_view path = "/") const;
  int connections() const { return connections_; }
  /// The number of connections that have ended.
  int ended() const { return ended_; }

 private:
  friend class Http2Exchange::Session;
  void accept_all();
  void serve(int descriptor, int connection);

  const Script script_;
  const std::string http1_;
  std::shared_ptr<ssl_ctx_st> context_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<int> ended_ = 0;
  struct Running {
    int descriptor;
    std::thread thread;
  };
  std::list<Running> running_;
  std::thread thread_;
};

}  // namespace fw::support
