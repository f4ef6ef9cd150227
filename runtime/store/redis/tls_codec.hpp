// TLS as a client, apart from the socket: bytes in, bytes out.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace fw::detail {

/// Used by one thread at a time. What OpenSSL refuses is a StoreError that says why.
class TlsCodec {
 public:
  /// `host` is what the certificate must be for. `ca_file` holds the certificates that are trusted
  /// instead of the system's; empty for those.
  TlsCodec(const std::string& host, const std::string& ca_file);
  ~TlsCodec();
  TlsCodec(const TlsCodec&) = delete;
  TlsCodec& operator=(const TlsCodec&) = delete;

  /// Goes on with the handshake. True once it is complete. What it has to send is in take_output.
  bool shake_hands();
  void encrypt(std::string_view plain);
  /// Takes bytes from the socket; appends what they say. False when the peer has ended the
  /// connection.
  bool decrypt(std::string_view received, std::string& plain);
  /// What has to be sent.
  std::string take_output();

  /// For shake_hands: bytes from the socket.
  void feed(std::string_view received);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fw::detail
