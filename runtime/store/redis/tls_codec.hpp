// A TLS client without a socket: converts between encrypted and plain bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace fw::store {

/// Not thread-safe. Errors of OpenSSL become StoreErrors with the reason.
class TlsCodec {
 public:
  /// The certificate of the server must be valid for `host`. `ca_file` contains the trusted
  /// certificates; empty for the certificates of the system.
  TlsCodec(const std::string& host, const std::string& ca_file);
  ~TlsCodec();
  TlsCodec(const TlsCodec&) = delete;
  TlsCodec& operator=(const TlsCodec&) = delete;

  /// Continues the handshake and returns whether it is complete. take_output returns the bytes to
  /// send.
  bool shake_hands();
  void encrypt(std::string_view plain);
  /// Decrypts bytes from the socket and appends the plain text. Returns false if the peer has ended
  /// the connection.
  bool decrypt(std::string_view received, std::string& plain);
  /// The bytes to send.
  std::string take_output();

  /// Adds bytes from the socket for shake_hands.
  void feed(std::string_view received);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fw::store
