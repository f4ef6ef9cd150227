// A server whose handshakes compute for as long as a test wants.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <sys/uio.h>
#include <utility>

#include "http/secure_channel.hpp"
#include "local_options.hpp"
#include "loopback.hpp"

namespace fw::http::test {

/// What the handshakes of a server do.
struct Handshakes {
  Gate gate;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> count = 0;
};

/// Encrypts nothing. A client that begins with 'h' has a handshake that computes until the gate is
/// open; it ends with the first byte in any case.
class ComputingChannel : public SecureChannel {
 public:
  ComputingChannel(Handshakes& handshakes, int fd) : handshakes_(handshakes), fd_(fd) {}

  Received receive(std::span<char> buffer) override {
    if (is_established_) return fw::http::receive(fd_, buffer);
    const auto first = fw::http::receive(fd_, buffer.first(1));
    if (first.status != IoStatus::done) return first;
    if (buffer[0] == 'h') {
      const int running = ++handshakes_.running;
      for (int most = handshakes_.most; most < running;) {
        handshakes_.most.compare_exchange_weak(most, running);
      }
      ++handshakes_.count;
      handshakes_.gate.wait();
      --handshakes_.running;
    }
    is_established_ = true;
    return fw::http::receive(fd_, buffer);
  }
  bool has_more_input() const override { return false; }
  IoStatus send_some(std::span<const iovec> parts, std::size_t& sent) override {
    return fw::http::send_some(fd_, parts, sent);
  }
  bool has_begun_to_send() const override { return false; }
  bool is_established() const override { return is_established_; }
  bool waits_for_output() const override { return false; }
  bool is_cleartext() const override { return false; }
  bool has_agreed_on_http2() const override { return false; }
  std::shared_ptr<const fw::ClientCertificate> client_certificate() const override { return {}; }
  void close_output() noexcept override {}

 private:
  Handshakes& handshakes_;
  const int fd_;
  std::atomic<bool> is_established_ = false;
};

class ComputingServer : public SecureServer {
 public:
  explicit ComputingServer(Handshakes& handshakes) : handshakes_(handshakes) {}
  std::unique_ptr<SecureChannel> accept(int fd) override {
    return std::make_unique<ComputingChannel>(handshakes_, fd);
  }
  void refresh() noexcept override {}

 private:
  Handshakes& handshakes_;
};

inline AdapterOptions options_with(Handshakes& handshakes) {
  AdapterOptions options = local_options();
  options.tls = std::make_shared<ComputingServer>(handshakes);
  // Not what ends anything here, however busy the machine is.
  options.handshake_timeout = options.queue_timeout = options.keep_alive_timeout = 10min;
  return options;
}

/// A client of cleartext, also where the other tests use TLS.
struct PlainClient {
  PlainClient(std::uint16_t port, std::string_view first) : client(port, 0, false) {
    const auto open_channel = std::exchange(open_client_channel, nullptr);
    client.connect();
    open_client_channel = open_channel;
    client.send(first);
  }
  Client client;
};

}  // namespace fw::http::test
