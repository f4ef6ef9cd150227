// app.fetch over TLS: whom it trusts.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string>
#include <thread>

#include "client/network/trusted_certificates.hpp"
#include "eventually.hpp"
#include "temporary_directory.hpp"

namespace tls_test {

namespace {

using KeyHandle = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using CertificateHandle = std::unique_ptr<X509, decltype(&X509_free)>;

/// A certificate with its key.
struct Identity {
  KeyHandle key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  CertificateHandle certificate{X509_new(), X509_free};
};

void add_extension(X509* certificate, int kind, const std::string& value) {
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()), X509_EXTENSION_free);
  REQUIRE(extension);
  X509_add_ext(certificate, extension.get(), -1);
}

struct Claims {
  std::string names;                 ///< "DNS:localhost"; empty for an authority
  const Identity* issuer = nullptr;  ///< itself when null
  long valid_seconds = 3600;         ///< from an hour ago, when negative until so long ago
};

Identity make_identity(const Claims& claims) {
  static long serial = 0;
  Identity identity;
  X509* const certificate = identity.certificate.get();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -7200);
  X509_gmtime_adj(X509_getm_notAfter(certificate), claims.valid_seconds);
  X509_set_pubkey(certificate, identity.key.get());
  const std::string name = claims.names.empty() ? "authority" : "peer";
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  const Identity& issuer = claims.issuer == nullptr ? identity : *claims.issuer;
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer.certificate.get()));
  if (claims.names.empty()) {
    add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
  } else {
    add_extension(certificate, NID_subject_alt_name, claims.names);
  }
  X509_sign(certificate, issuer.key.get(), EVP_sha256());
  return identity;
}

template <class Write>
std::string pem_file(const fairway::test::TemporaryDirectory& directory, const std::string& name,
                     Write write) {
  const std::string path = directory.path() / name;
  std::FILE* const file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  write(file);
  std::fclose(file);
  return path;
}

std::string certificate_file(const fairway::test::TemporaryDirectory& directory,
                             const std::string& name, const Identity& identity) {
  return pem_file(directory, name,
                  [&](std::FILE* file) { PEM_write_X509(file, identity.certificate.get()); });
}

/// Responds "ok" to everybody, or to those whose certificate `client_authority` has signed.
class TlsUpstream {
 public:
  explicit TlsUpstream(const Identity& identity, const Identity* client_authority = nullptr)
      : server_(identity.certificate.get(), identity.key.get(), store(client_authority)) {
    server_.set_keep_alive_max_count(1);  // lest it waits for a next request when it is stopped
    server_.set_read_timeout(std::chrono::minutes(1));
    server_.set_write_timeout(std::chrono::minutes(1));
    server_.Get("/", [](const httplib::Request&, httplib::Response& res) {
      res.set_content("ok", "text/plain");
    });
    server_.Get("/together", [this](const httplib::Request&, httplib::Response& res) {
      ++together_;
      const bool are_two = fairway::test::eventually([&] { return together_ >= 2; });
      res.set_content(are_two ? "ok" : "alone", "text/plain");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ~TlsUpstream() {
    server_.stop();
    thread_.join();
  }
  TlsUpstream(const TlsUpstream&) = delete;
  TlsUpstream& operator=(const TlsUpstream&) = delete;

  std::string url(const std::string& host = "localhost") const {
    return "https://" + host + ":" + std::to_string(port_) + "/";
  }
  long handshakes() const { return SSL_CTX_sess_accept_good(server_.ssl_context()); }
  /// The handshakes that resumed an earlier session.
  long resumed() const { return SSL_CTX_sess_hits(server_.ssl_context()); }

 private:
  static X509_STORE* store(const Identity* authority) {
    if (authority == nullptr) return nullptr;
    X509_STORE* const store = X509_STORE_new();  // the server's, once it has it
    X509_STORE_add_cert(store, authority->certificate.get());
    return store;
  }

  httplib::SSLServer server_;
  std::atomic<int> together_{0};  ///< requests for /together, which wait for each other
  int port_ = 0;
  std::thread thread_;
};

TEST_CASE("certificates: issuer, host name and expiry are verified") {
  const fairway::test::TemporaryDirectory directory;
  const Identity authority = make_identity({});
  fw::Config config = fw::testing::TestApp::test_config();
  config.fetch.tls.ca_file = certificate_file(directory, "authority.pem", authority);
  fw::App app(config);
  const auto is_rejected = [&](const Claims& claims, const std::string& host = "localhost") {
    const Identity identity = make_identity(claims);
    TlsUpstream upstream(identity);
    try {
      return app.fetch.get(upstream.url(host), {.timeout = 30'000}).text() != "ok";
    } catch (const fw::TlsError&) {
      return true;
    }
  };
  CHECK(!is_rejected({.names = "DNS:localhost", .issuer = &authority}));
  CHECK(!is_rejected({.names = "IP:127.0.0.1", .issuer = &authority}, "127.0.0.1"));
  CHECK(is_rejected({.names = "DNS:example.com", .issuer = &authority}));
  CHECK(is_rejected({.names = "DNS:localhost", .issuer = &authority, .valid_seconds = -3600}));
  CHECK(is_rejected({.names = "DNS:localhost"}));
  const Identity other_authority = make_identity({});
  CHECK(is_rejected({.names = "DNS:localhost", .issuer = &other_authority}));

  // Without a configured authority, the authorities of the system are trusted.
  const Identity identity = make_identity({.names = "DNS:localhost", .issuer = &authority});
  TlsUpstream upstream(identity);
  fw::App trusting_the_system(fw::testing::TestApp::test_config());
  CHECK_THROWS_AS(trusting_the_system.fetch.get(upstream.url()), fw::TlsError);
}

TEST_CASE("certificates: a file that could not be read is retried at the next call") {
  const fairway::test::TemporaryDirectory directory;
  const Identity authority = make_identity({});
  const Identity identity = make_identity({.names = "DNS:localhost", .issuer = &authority});
  TlsUpstream upstream(identity);
  fw::Config config = fw::testing::TestApp::test_config();
  config.fetch.tls.ca_file = (directory.path() / "authority.pem").string();
  fw::App app(config);
  CHECK_THROWS_AS(app.fetch.get(upstream.url(), {.timeout = 30'000}), fw::TlsError);
  certificate_file(directory, "authority.pem", authority);
  CHECK(app.fetch.get(upstream.url(), {.timeout = 30'000}).text() == "ok");
}

TEST_CASE("certificates: the certificate store is passed only to the same OpenSSL version") {
  using fw::client::is_openssl_of_this_program;
  const std::string major = std::to_string(OpenSSL_version_num() >> 28);
  CHECK(is_openssl_of_this_program("OpenSSL/" + major + ".0.19"));
  for (const std::string backend :
       {"OpenSSL/1.1.1", "OpenSSL/9.0.0", "BoringSSL", "LibreSSL/3.8.2", "wolfSSL/5.6",
        "mbedTLS/3.4", "GnuTLS/3.7.9", "Schannel", "", "(OpenSSL/3.0.19) GnuTLS/3.7.9"}) {
    CAPTURE(backend);
    CHECK(!is_openssl_of_this_program(backend));
  }
  CHECK(!is_openssl_of_this_program("OpenSSL/" + major + ".0.19 (GnuTLS/3.7.9)"));
}

TEST_CASE("certificates: the client certificate is sent to upstreams that request one") {
  const fairway::test::TemporaryDirectory directory;
  const Identity authority = make_identity({});
  const Identity server = make_identity({.names = "DNS:localhost", .issuer = &authority});
  const Identity client = make_identity({.names = "DNS:client", .issuer = &authority});
  TlsUpstream upstream(server, &authority);
  fw::Config config = fw::testing::TestApp::test_config();
  config.fetch.tls.ca_file = certificate_file(directory, "authority.pem", authority);
  fw::App nobody(config);
  CHECK_THROWS_AS(nobody.fetch.get(upstream.url()).text(), fw::NetworkError);

  config.fetch.tls.certificate_file = certificate_file(directory, "client.pem", client);
  config.fetch.tls.key_file = pem_file(directory, "key.pem", [&](std::FILE* file) {
    PEM_write_PrivateKey(file, client.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  fw::App known(config);
  CHECK(known.fetch.get(upstream.url()).text() == "ok");
}

TEST_CASE("certificates: concurrent connections resume the TLS session of an earlier one") {
  const fairway::test::TemporaryDirectory directory;
  const Identity authority = make_identity({});
  const Identity identity = make_identity({.names = "DNS:localhost", .issuer = &authority});
  fw::Config config = fw::testing::TestApp::test_config();
  config.fetch.tls.ca_file = certificate_file(directory, "authority.pem", authority);
  // A session that another connection has just replaced or closed cannot be resumed, so that now
  // and then one of the two begins a new one.
  CHECK(fairway::test::eventually([&] {
    TlsUpstream upstream(identity);
    fw::App app(config);
    // The upstream closes each connection after one response.
    REQUIRE(app.fetch.get(upstream.url(), {.timeout = 60'000}).text() == "ok");
    CHECK(upstream.resumed() == 0);
    // Two transfers at a time have a handle each. Without a share, a handle knows only the sessions
    // of its own connections.
    const auto call = [&] {
      return app.fetch.get(upstream.url() + "together", {.timeout = 60'000}).text();
    };
    const auto [one, other] = fw::all(call, call);
    CHECK(one == "ok");
    CHECK(other == "ok");
    CHECK(upstream.handshakes() == 3);
    return upstream.resumed() == 2;
  }));
}

}  // namespace

}  // namespace tls_test
