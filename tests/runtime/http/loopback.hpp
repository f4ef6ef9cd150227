// A server with a handler of the test's, and a client that sends exactly the given bytes.
#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/ascii.hpp"
#include "eventually.hpp"
#include "http/adapter.hpp"
#include "http/socket.hpp"
#include "local_options.hpp"

#ifndef FAIRWAY_EPOLL
#define FAIRWAY_EPOLL 1  // but for the runtime's unit tests, tests are only built with it
#endif

namespace fw::http::test {

using namespace std::chrono_literals;

inline constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

inline void respond(Transaction& transaction, std::string_view body, int status = 200) {
  ResponseHead head;
  head.status = status;
  head.fields.add("Content-Type", "text/plain");
  transaction.respond(head, body);
}

/// Responds with "METHOD target".
inline void echo_target(const std::shared_ptr<Transaction>& transaction) {
  respond(*transaction, std::string(transaction->head().method) + " " + transaction->head().target);
}

/// For `AdapterOptions::plan`: bodies of up to `limit_of` bytes are received before their requests
/// are handled.
inline std::function<std::unique_ptr<RequestPlan>(const RequestHead&)> plan_bodies(
    std::function<std::uint64_t(const RequestHead&)> limit_of) {
  class Plan : public RequestPlan {
   public:
    explicit Plan(std::uint64_t limit) : limit_(limit) {}
    std::uint64_t body_limit() const override { return limit_; }
    bool prepare(const RequestHead&, const std::shared_ptr<WaitingRequest>&) noexcept override {
      return false;
    }

   private:
    std::uint64_t limit_;
  };
  return [limit_of = std::move(limit_of)](const RequestHead& head) {
    return std::make_unique<Plan>(limit_of(head));
  };
}

/// What a client puts between itself and its socket, for example TLS.
class ClientChannel {
 public:
  virtual ~ClientChannel() = default;
  /// Like send(2) and recv(2), with the errors of errno.
  virtual ssize_t send(std::string_view bytes) = 0;
  virtual ssize_t receive(char* buffer, std::size_t size) = 0;
  virtual void end_sending() = 0;
};

/// Set where all clients and servers of the tests use TLS or HTTP/2: see over_tls.cpp and
/// over_http2.cpp.
inline std::unique_ptr<ClientChannel> (*open_client_channel)(int fd) = nullptr;
inline std::shared_ptr<SecureServer> (*open_secure_server)() = nullptr;

/// What the environment variable FAIRWAY_TEST_ENGINE says: "httplib", "tls", "httplib_tls",
/// "http2", or nothing.
inline std::string_view test_engine() {
  const char* engine = std::getenv("FAIRWAY_TEST_ENGINE");
  return engine != nullptr ? engine : "";
}

/// Whether the tests use TLS.
inline bool tests_tls() { return test_engine() == "tls" || test_engine() == "httplib_tls"; }

/// Whether the tests use HTTP/2, without TLS.
inline bool tests_http2() { return test_engine() == "http2"; }

/// Whether the engine under test is httplib: if there is no other, or by choice.
inline bool tests_httplib() { return !FAIRWAY_EPOLL || test_engine().starts_with("httplib"); }

inline AdapterOptions test_options() {
  AdapterOptions options = local_options();
  // On a machine that is busy with other things, seconds may not be enough.
  options.handshake_timeout = options.queue_timeout = std::chrono::minutes(1);
  // Shorter where a test waits for that end: HTTP/2 has no other one after a response, and each
  // connection of httplib occupies a thread.
  if (!tests_httplib()) {
    options.keep_alive_timeout = std::chrono::seconds(tests_http2() ? 10 : 60);
  }
  if (open_secure_server != nullptr) options.tls = open_secure_server();
  options.http2.cleartext = tests_http2();
  return options;
}

inline std::unique_ptr<Adapter> make_tested_adapter() {
#if FAIRWAY_EPOLL
  if (!tests_httplib()) return make_epoll_adapter();
#endif
  return make_httplib_adapter();
}

class Server {
 public:
  explicit Server(TransactionHandler handler, AdapterOptions options = test_options(),
                  std::unique_ptr<Adapter> adapter = make_tested_adapter())
      : adapter_(std::move(adapter)) {
    adapter_->start(std::move(options), std::move(handler),
                    [](int status, std::string_view message) {
                      ResponseHead head;
                      head.status = status;
                      return std::pair(std::move(head), "error: " + std::string(message));
                    });
  }

  std::uint16_t port() const { return adapter_->port(); }
  /// The number of open connections, where the engine counts them.
  std::size_t connections() const {
    return adapter_->figures().value_or(AdapterFigures()).connections;
  }
  /// The connections of HTTP/2 that were closed because of this kind of flood.
  std::uint64_t floods(Flood kind) const {
    const auto counts = adapter_->figures().value_or(AdapterFigures()).floods;
    return counts.value_or(FloodCounts())[static_cast<std::size_t>(kind)];
  }
  void wait_until_readable(int descriptor) { adapter_->wait_until_readable(descriptor); }
  bool stop(std::chrono::milliseconds grace) { return adapter_->stop(grace); }

 private:
  std::unique_ptr<Adapter> adapter_;
};

struct ReceivedResponse {
  int status = 0;
  Fields fields;
  std::string body;
  bool is_complete = false;  ///< false: the connection ended within the body

  std::string field(std::string_view name) const {
    return std::string(fields.find(name).value_or("(none)"));
  }
};

class Client {
 public:
  explicit Client(std::uint16_t port, int receive_buffer = 0, bool connect_now = true)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), port_(port) {
    const timeval timeout{60, 0};  // a bound for tests that fail
    setsockopt(fd(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    const int one = 1;
    setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (receive_buffer > 0) {
      setsockopt(fd(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    if (connect_now) connect();
  }

  void connect() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("the test client cannot connect");
    }
    if (open_client_channel != nullptr) channel_ = open_client_channel(fd());
  }

  int fd() const { return socket_.get(); }

  /// False if the server has closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent =
          channel_ ? channel_->send(bytes) : ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void end_sending() {
    if (channel_) channel_->end_sending();
    ::shutdown(fd(), SHUT_WR);
  }
  void close() {
    channel_.reset();
    socket_.close();
  }
  void reset() {
    const linger at_once{1, 0};
    setsockopt(fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }

  /// Reads one response; status 0 if the connection ended before one.
  ReceivedResponse read_response(std::string_view method = "GET") {
    ReceivedResponse response;
    auto head_end = std::string::npos;
    while ((head_end = input_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive_more()) return response;
    }
    parse_head(response, input_.substr(0, head_end + 2));
    input_.erase(0, head_end + 4);
    if (method == "HEAD" || response.status == 204 || response.status == 304 ||
        response.status < 200) {
      response.is_complete = true;
    } else if (response.field("transfer-encoding") == "chunked") {
      response.is_complete = read_chunks(response.body);
    } else if (response.field("content-length") != "(none)") {
      response.is_complete =
          read_bytes(response.body, std::stoul(response.field("content-length")));
    } else {
      while (receive_more()) {
      }
      response.body = std::exchange(input_, {});
      response.is_complete = !was_reset_;
    }
    return response;
  }

  ReceivedResponse exchange(std::string_view bytes, std::string_view method = "GET") {
    send(bytes);
    return read_response(method);
  }

  /// True once the server has closed the connection; false if anything is received instead.
  bool sees_end() { return input_.empty() && !receive_more(); }
  bool was_reset() const { return was_reset_; }

  /// Receives what comes next; false at the end of the connection.
  bool receive_more() {
    char buffer[64 * 1024];
    ssize_t size = 0;
    do {
      size = channel_ ? channel_->receive(buffer, sizeof buffer)
                      : recv(fd(), buffer, sizeof buffer, 0);
    } while (size < 0 && errno == EINTR);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      throw std::runtime_error("the server sends nothing");
    }
    was_reset_ = size < 0;
    if (size <= 0) return false;
    input_.append(buffer, static_cast<std::size_t>(size));
    return true;
  }
  const std::string& input() const { return input_; }
  void forget_input() { input_.clear(); }

 private:
  static void parse_head(ReceivedResponse& response, std::string_view head) {
    response.status = std::stoi(std::string(head.substr(9, 3)));
    head.remove_prefix(head.find("\r\n") + 2);
    while (!head.empty()) {
      const auto line = head.substr(0, head.find("\r\n"));
      const auto colon = line.find(": ");
      response.fields.add(line.substr(0, colon), line.substr(colon + 2));
      head.remove_prefix(line.size() + 2);
    }
  }

  bool read_bytes(std::string& body, std::size_t size) {
    while (input_.size() < size) {
      if (!receive_more()) {
        body += std::exchange(input_, {});
        return false;
      }
    }
    body += input_.substr(0, size);
    input_.erase(0, size);
    return true;
  }

  bool read_chunks(std::string& body) {
    while (true) {
      auto line_end = std::string::npos;
      while ((line_end = input_.find("\r\n")) == std::string::npos) {
        if (!receive_more()) return false;
      }
      const auto size = std::stoul(input_.substr(0, line_end), nullptr, 16);
      input_.erase(0, line_end + 2);
      std::string line;
      if (!read_bytes(body, size) || !read_bytes(line, 2)) return false;
      if (size == 0) return true;
    }
  }

  FileDescriptor socket_;
  std::unique_ptr<ClientChannel> channel_;
  std::uint16_t port_;
  std::string input_;
  bool was_reset_ = false;
};

/// Threads of this process.
inline std::ptrdiff_t thread_count() {
  using Iterator = std::filesystem::directory_iterator;
  return std::distance(Iterator("/proc/self/task"), Iterator());
}

using fairway::test::eventually;

/// Whether the server lets nobody in: its stop has begun. Connections to a port that is being
/// closed are not always rejected.
inline bool accepts_nobody(std::uint16_t port) {
  Client late(port, 0, false);
  const timeval timeout{0, 20'000};
  setsockopt(late.fd(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  try {
    late.connect();
    return false;
  } catch (const std::runtime_error&) {
    return true;
  }
}

/// Something that handlers wait for until the test opens it.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

/// Opens a gate when a test ends, however it ends: servers wait for their handlers.
class OpensAtEnd {
 public:
  explicit OpensAtEnd(Gate& gate) : gate_(gate) {}
  OpensAtEnd(const OpensAtEnd&) = delete;
  OpensAtEnd& operator=(const OpensAtEnd&) = delete;
  ~OpensAtEnd() { gate_.open(); }

 private:
  Gate& gate_;
};

/// A request to a server that blocks.
inline constexpr std::string_view kBlock = "GET /block HTTP/1.1\r\nHost: a\r\n\r\n";

/// Waits at the gate for /block.
inline TransactionHandler blocking_at(Gate& gate, std::atomic<int>& blocked) {
  return [&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/block") {
      ++blocked;
      gate.wait();
    }
    respond(*transaction, "done");
  };
}

}  // namespace fw::http::test
