// The TLS of `fairway dev --https`, towards browsers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/types.h>

struct ssl_ctx_st;
struct ssl_st;

namespace fairway::dev {

// local_certificate.cpp

struct LocalCertificate {
  std::filesystem::path certificate;  ///< PEM
  std::filesystem::path key;          ///< PEM, readable by its owner only
  bool is_new = false;
};

/// The certificate in `folder`, for localhost and `host`. Makes a new one, signed by itself, unless
/// there is one that is valid for another day and names the host. Throws UserError.
LocalCertificate local_certificate(const std::filesystem::path& folder, const std::string& host);

// tls_stream.cpp

/// The connection of a client. It does not own the socket, which must not block.
class TlsStream {
 public:
  TlsStream(ssl_ctx_st* context, int descriptor);

  /// Like recv(2) and send(2): -1 with EAGAIN means that the socket is to be waited for.
  ssize_t receive(char* buffer, std::size_t size);
  ssize_t send(const char* bytes, std::size_t size);
  /// Whether the last call must be repeated when the socket has room.
  bool waits_for_output() const { return waits_for_output_; }
  /// Whether `receive` returns more without the socket.
  bool has_pending() const;
  /// Tells the client that nothing follows.
  void end_output();

 private:
  struct Free {
    void operator()(ssl_st* session) const;
  };

  ssize_t result_of(int result);

  std::unique_ptr<ssl_st, Free> session_;
  bool waits_for_output_ = false;
};

class TlsContext {
 public:
  /// Throws UserError.
  explicit TlsContext(const LocalCertificate& files);

  std::unique_ptr<TlsStream> accept(int descriptor) const;

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };

  std::unique_ptr<ssl_ctx_st, Free> context_;
};

}  // namespace fairway::dev
