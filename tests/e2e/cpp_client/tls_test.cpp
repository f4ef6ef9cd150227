// https, against a server with a certificate of its own.
#include <doctest/doctest.h>
#include <httplib.h>

#include <chrono>
#include <every_client.hpp>
#include <filesystem>
#include <memory>
#include <thread>

#include "cpp_client/tls_identity.hpp"
#include "temporary_directory.hpp"

namespace tls_test {

using e2e::Identity;
using every_api::TransportError;

namespace {

/// Responds to PATCH /none with 204, over https; requests the client's certificate if
/// `wants_certificate`.
class TlsServer {
 public:
  explicit TlsServer(bool wants_certificate) {
    identity_.write(certificate_file(), key_file());
    const std::string trusted = wants_certificate ? certificate_file() : "";
    server_ = std::make_unique<httplib::SSLServer>(certificate_file().c_str(), key_file().c_str(),
                                                   wants_certificate ? trusted.c_str() : nullptr);
    server_->set_read_timeout(std::chrono::minutes(1));
    server_->Patch("/none",
                   [](const httplib::Request&, httplib::Response& res) { res.status = 204; });
    port_ = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::yield();
  }
  ~TlsServer() {
    server_->stop();
    thread_.join();
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  std::string certificate_file() const { return directory_.path() / "certificate.pem"; }
  std::string key_file() const { return directory_.path() / "key.pem"; }

 private:
  fairway::test::TemporaryDirectory directory_;
  Identity identity_;
  std::unique_ptr<httplib::SSLServer> server_;
  int port_ = 0;
  std::thread thread_;
};

/// The status that a call gets, or the kind of its error.
std::variant<int, TransportError::Kind> outcome(const std::string& url, every_api::TlsOptions tls) {
  every_api::ResponseInfo info;
  try {
    every_api::EveryClient({.base_url = url, .tls = std::move(tls)}).delete_({.response = &info});
  } catch (const TransportError& error) {
    return error.kind();
  }
  return info.status;
}

}  // namespace

TEST_CASE("cpp client: https requires a trusted certificate") {
  TlsServer server(false);
  using Outcome = decltype(outcome("", {}));
  CHECK((outcome(server.url(), {.ca_file = server.certificate_file()}) == Outcome(204)));
  CHECK((outcome(server.url(), {.verify = false}) == Outcome(204)));
  CHECK((outcome(server.url(), {}) == Outcome(TransportError::Kind::tls)));
}

TEST_CASE("cpp client: the client sends its own certificate") {
  TlsServer server(true);
  using Outcome = decltype(outcome("", {}));
  CHECK((outcome(server.url(), {.ca_file = server.certificate_file(),
                                .certificate_file = server.certificate_file(),
                                .key_file = server.key_file()}) == Outcome(204)));
  CHECK((outcome(server.url(), {.ca_file = server.certificate_file()}) != Outcome(204)));
  CHECK((outcome(server.url(), {.certificate_file = "missing.pem", .key_file = "missing.pem"}) ==
         Outcome(TransportError::Kind::tls)));
}

}  // namespace tls_test
