// The bytes of one connection: a socket, with or without TLS.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <sys/uio.h>
#include <utility>

#include "http/secure_channel.hpp"
#include "http/socket.hpp"

namespace fw::http {

/// The message of the 400 to a request in cleartext where TLS is expected.
inline constexpr std::string_view kExpectsTls =
    "this port serves HTTPS: the URL must begin with https://";

/// Has the functions of http/socket.hpp, for one connection.
class Transport {
 public:
  /// `channel`: null for cleartext.
  Transport(FileDescriptor socket, std::unique_ptr<SecureChannel> channel)
      : socket_(std::move(socket)), channel_(std::move(channel)) {}

  int fd() const { return socket_.get(); }
  bool is_secure() const { return channel_ != nullptr; }
  /// Whether requests can arrive: the handshake, if there is one, is complete.
  bool is_established() const { return !channel_ || channel_->is_established(); }
  /// Null if the client has shown none.
  std::shared_ptr<const ClientCertificate> client_certificate() const {
    return channel_ ? channel_->client_certificate() : nullptr;
  }
  /// Whether the client has sent a request in cleartext where TLS is expected.
  bool is_cleartext_for_tls() const { return channel_ && channel_->is_cleartext(); }

  /// Whether client and server have agreed on HTTP/2 in the handshake.
  bool has_agreed_on_http2() const { return channel_ && channel_->has_agreed_on_http2(); }

  Received receive(std::span<char> buffer) {
    return channel_ ? channel_->receive(buffer) : http::receive(fd(), buffer);
  }
  /// Whether `receive` has ended early: see `SecureChannel::has_more_input`.
  bool has_more_input() const { return channel_ && channel_->has_more_input(); }
  /// Whether `receive` needs room to send first.
  bool waits_for_output() const { return channel_ && channel_->waits_for_output(); }
  IoStatus send_some(std::span<const iovec> parts, std::size_t& sent, bool more_follows = false) {
    return channel_ ? channel_->send_some(parts, sent)
                    : http::send_some(fd(), parts, sent, more_follows);
  }
  /// Whether bytes that were not sent must be the next ones.
  bool has_begun_to_send() const { return channel_ && channel_->has_begun_to_send(); }
  /// Whether the kernel can send a file by itself.
  bool sends_files() const { return !channel_; }
  /// Announces the end of the output. The caller shuts the socket down.
  void close_output() noexcept {
    if (channel_) channel_->close_output();
  }

 private:
  FileDescriptor socket_;
  std::unique_ptr<SecureChannel> channel_;
};

}  // namespace fw::http
