// https, against a server with a certificate of its own.
#include <doctest/doctest.h>
#include <httplib.h>

#include <chrono>
#include <cstdio>
#include <every_client.hpp>
#include <filesystem>
#include <memory>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <thread>

#include "temporary_directory.hpp"

namespace tls_test {

using every_api::TransportError;

namespace {

/// A key and a certificate for 127.0.0.1 that it signed itself.
struct Identity {
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  std::unique_ptr<X509, decltype(&X509_free)> certificate{X509_new(), X509_free};

  Identity() {
    X509* x509 = certificate.get();
    X509_set_version(x509, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), -60);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_set_pubkey(x509, key.get());
    const unsigned char name[] = "orders test";
    X509_NAME* subject = X509_get_subject_name(x509);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0);
    X509_set_issuer_name(x509, subject);
    X509_EXTENSION* names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(x509, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(x509, key.get(), EVP_sha256());
  }

  void write(const std::filesystem::path& certificate_file,
             const std::filesystem::path& key_file) const {
    std::FILE* file = std::fopen(certificate_file.c_str(), "w");
    PEM_write_X509(file, certificate.get());
    std::fclose(file);
    file = std::fopen(key_file.c_str(), "w");
    PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
  }
};

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
