// With FAIRWAY_TEST_ENGINE=tls or httplib_tls, all clients and servers of the adapter's tests use
// TLS.
#include <memory>
#include <stdexcept>
#include <vector>

#include "http/tls/tls_server.hpp"
#include "loopback.hpp"
#include "support/certificates.hpp"
#include "temporary_directory.hpp"
#include "tls_client.hpp"

namespace fw::http::test {
namespace {

std::unique_ptr<ClientChannel> open_channel(int fd) {
  return std::make_unique<TlsClientChannel>(fd);
}

std::shared_ptr<SecureServer> open_server() {
  static const fairway::test::TemporaryDirectory folder;
  static const fw::test::TestCertificate certificate(folder.path(), "server", {});
  TlsConfig config;
  config.certificate = certificate.certificate_file();
  config.key = certificate.key_file();
  std::vector<TlsError> errors;
  const auto ignore = [](const std::string&) {};
  auto server = make_tls_server(config, -1, {.inform = ignore, .warn = ignore}, errors);
  if (!server) throw std::runtime_error(errors.front().message);
  return server;
}

const bool g_uses_tls = [] {
  if (!tests_tls()) return false;
  open_client_channel = open_channel;
  open_secure_server = open_server;
  return true;
}();

}  // namespace
}  // namespace fw::http::test
