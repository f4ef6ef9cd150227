// The end of an encrypted connection of the httplib engine.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <sys/uio.h>
#include <thread>
#include <utility>

#include "http/secure_channel.hpp"
#include "local_options.hpp"
#include "loopback.hpp"

namespace httplib_end_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

/// Encrypts nothing. What follows a response leaves no room in the socket; the end is "bye".
class FillingChannel : public SecureChannel {
 public:
  FillingChannel(std::atomic<bool>& has_ended, int fd) : has_ended_(has_ended), fd_(fd) {}

  Received receive(std::span<char> buffer) override { return fw::http::receive(fd_, buffer); }
  bool has_more_input() const override { return false; }
  IoStatus send_some(std::span<const iovec> parts, std::size_t& sent) override {
    const auto status = fw::http::send_some(fd_, parts, sent);
    std::string filler(4'096, '.');
    const iovec part{filler.data(), filler.size()};
    for (std::size_t filled = 0;
         fw::http::send_some(fd_, {&part, 1}, filled) == IoStatus::done && filled > 0;) {
    }
    return status;
  }
  bool has_begun_to_send() const override { return false; }
  bool is_established() const override { return true; }
  bool waits_for_output() const override { return false; }
  bool is_cleartext() const override { return false; }
  bool has_agreed_on_http2() const override { return false; }
  std::shared_ptr<const fw::ClientCertificate> client_certificate() const override { return {}; }
  void close_output() noexcept override {
    char bye[] = "bye";
    const iovec part{bye, 3};
    std::size_t sent = 0;
    fw::http::send_some(fd_, {&part, 1}, sent);
    has_ended_ = true;
  }

 private:
  std::atomic<bool>& has_ended_;
  const int fd_;
};

class FillingServer : public SecureServer {
 public:
  explicit FillingServer(std::atomic<bool>& has_ended) : has_ended_(has_ended) {}
  std::unique_ptr<SecureChannel> accept(int fd) override {
    return std::make_unique<FillingChannel>(has_ended_, fd);
  }
  void refresh() noexcept override {}

 private:
  std::atomic<bool>& has_ended_;
};

}  // namespace

TEST_CASE("httplib end: it is announced when there is room") {
  std::atomic<bool> has_ended{false};
  AdapterOptions options = local_options();
  options.tls = std::make_shared<FillingServer>(has_ended);
  const Server server(echo_target, options, make_httplib_adapter());
  Client client(server.port(), 0, false);
  const auto open_channel = std::exchange(open_client_channel, nullptr);
  client.connect();
  open_client_channel = open_channel;
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  // The server ends the connection, but has to wait for the client.
  for (int i = 0; i < 20 && !has_ended; ++i) std::this_thread::sleep_for(10ms);
  while (client.receive_more()) {
  }
  CHECK(client.input().ends_with(".bye"));
}

}  // namespace httplib_end_test
