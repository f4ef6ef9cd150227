// An application with `server.tls`: what its requests see, the redirect, and errors of the start.
#include <fairway/errors.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <httplib.h>

#include <array>
#include <chrono>
#include <openssl/x509.h>
#include <string>
#include <thread>

#include "app/https_redirect.hpp"
#include "free_port.hpp"
#include "http/adapter.hpp"
#include "http/engines.hpp"
#include "http/loopback.hpp"
#include "http/tls_client.hpp"
#include "support/certificates.hpp"
#include "support/collector.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"
#if FAIRWAY_HTTP2 && FAIRWAY_EPOLL
#include "http/http2_client.hpp"
#endif

namespace tls_application_test {

using fw::support::RecordingSink;
using fw::support::TableBuilder;
using fw::test::TestCertificate;

namespace {

void be_patient(httplib::SSLClient& client) {
  client.set_read_timeout(std::chrono::minutes(1));
  client.set_write_timeout(std::chrono::minutes(1));
}

struct Application {
  explicit Application(const std::function<void(fw::Config&)>& change = {}) {
    config = fw::support::server_config();
    config.server.tls.certificate = certificate.certificate_file();
    config.server.tls.key = certificate.key_file();
    if (change) change(config);
    table.page("protocol.html", "<p>{{protocol}}</p>");
    table.routes([](fw::Router& router) {
      router.get("/protocol",
                 [](fw::Request& req, fw::Response& res) { res.json(req.protocol()); });
      router.get("/page",
                 {.frontend = {.page = "protocol", .mode = "revalidate", .revalidate = 60}},
                 [](fw::Request& req, fw::Response& res) {
                   res.render("protocol", {{"protocol", std::string(req.protocol())}});
                 });
      router.get("/signed-in", {.session = true}, [](fw::Request& req, fw::Response& res) {
        req.session().set("user", 7);
        res.json("ok");
      });
    });
  }

  fw::App& start() {
    app.emplace(config);
    app->set_logger(fw::Logger(sink));
    app->mount(table.table());
    app->start();
    return *app;
  }
  httplib::Result get(const std::string& path, const httplib::Headers& headers = {}) {
    httplib::SSLClient client("127.0.0.1", app->port());
    be_patient(client);
    client.enable_server_certificate_verification(false);
    return client.Get(path, headers);
  }
  std::vector<std::string> start_errors() {
    try {
      start();
    } catch (const fw::StartupError& error) {
      return error.errors();
    }
    return {};
  }

  fairway::test::TemporaryDirectory folder;
  TestCertificate certificate{folder.path(), "server", {}};
  fw::Config config;
  TableBuilder table;
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
  std::optional<fw::App> app;
};

}  // namespace

TEST_CASE("tls: requests, cookies and fields know that the connection is secure") {
  Application application([](fw::Config& config) {
    config.session.enabled = true;
    config.security_headers.enabled = true;
    config.security_headers.hsts = true;
  });
  CHECK(application.start().address().starts_with("https://127.0.0.1:"));
  const auto response = application.get("/protocol");
  REQUIRE(response);
  CHECK(fw::Json::parse(response->body)["data"] == "https");
  CHECK(response->has_header("Strict-Transport-Security"));
  const auto signed_in = application.get("/signed-in");
  REQUIRE(signed_in);
  CHECK(signed_in->get_header_value("Set-Cookie").find("; Secure") != std::string::npos);
}

TEST_CASE("tls: a request has a span like any other") {
  const fw::support::Collector collector;
  Application application([&](fw::Config& config) {
    config.tracing.endpoint = collector.url();
    config.tracing.export_interval = 1;
  });
  application.start();
  REQUIRE(application.get("/protocol"));
  CHECK(collector.await_named("GET /protocol").attributes["url.scheme"] == "https");
}

TEST_CASE("tls: a page that is rendered for everyone has the protocol of its request") {
  Application application;
  application.start();
  const auto direct = application.get("/page");
  REQUIRE(direct);
  CHECK(direct->body.find("<p>https</p>") != std::string::npos);
  Application behind_proxy([](fw::Config& config) { config.trust_proxy = true; });
  behind_proxy.start();
  const auto forwarded = behind_proxy.get("/page", {{"X-Forwarded-Proto", "http"}});
  REQUIRE(forwarded);
  CHECK(forwarded->body.find("<p>http</p>") != std::string::npos);
}

TEST_CASE("tls: a trusted proxy may say that its client used no TLS") {
  Application application([](fw::Config& config) { config.trust_proxy = true; });
  application.start();
  const auto forwarded = application.get("/protocol", {{"X-Forwarded-Proto", "http"}});
  REQUIRE(forwarded);
  CHECK(fw::Json::parse(forwarded->body)["data"] == "http");
  const auto direct = application.get("/protocol");
  REQUIRE(direct);
  CHECK(fw::Json::parse(direct->body)["data"] == "https");
}

TEST_CASE("client certificates: a route may require one, and reads it") {
  Application application;
  const TestCertificate authority(application.folder.path(), "clients",
                                  {.name = "clients", .is_authority = true});
  const TestCertificate billing(application.folder.path(), "billing",
                                {.name = "billing.internal", .issuer = &authority});
  application.config.server.tls.client_certificates.ca = authority.certificate_file();
  application.table.routes([](fw::Router& router) {
    router.get("/caller", {.auth = fw::AuthRequirement{.client_certificate = true}},
               [](fw::Request& req, fw::Response& res) {
                 const auto certificate = req.client_certificate();
                 res.json({{"subject", certificate->subject},
                           {"names", certificate->names},
                           {"fingerprint", certificate->fingerprint},
                           {"ends later", certificate->end > std::chrono::system_clock::now()}});
               });
  });
  application.start();
  CHECK(application.sink->messages(fw::LogLevel::warn).empty());
  const auto anonymous = application.get("/caller");
  REQUIRE(anonymous);
  CHECK(anonymous->status == 401);
  CHECK(fw::Json::parse(anonymous->body)["message"] == "A client certificate is required");

  httplib::SSLClient client("127.0.0.1", application.app->port(), billing.certificate_file(),
                            billing.key_file());
  be_patient(client);
  client.enable_server_certificate_verification(false);
  const auto known = client.Get("/caller");
  REQUIRE(known);
  CHECK(known->status == 200);
  std::array<unsigned char, 32> digest{};
  X509_digest(billing.get(), EVP_sha256(), digest.data(), nullptr);
  CHECK(fw::Json::parse(known->body)["data"] ==
        fw::Json{{"subject", "CN=billing.internal"},
                 {"names", {"billing.internal"}},
                 {"fingerprint", fmt::format("{:02x}", fmt::join(digest, ""))},
                 {"ends later", true}});
}

#if FAIRWAY_HTTP2 && FAIRWAY_EPOLL
// Browsers send requests for several hosts over one connection, if its certificate covers them, and
// others may name any host.
TEST_CASE("client certificates: a request for another host than the handshake's is guarded alike" *
          fw::http::test::not_on_httplib("HTTP/2")) {
  Application application;
  const auto& folder = application.folder.path();
  const TestCertificate authority(folder, "clients", {.name = "clients", .is_authority = true});
  const TestCertificate billing(folder, "billing", {.name = "billing", .issuer = &authority});
  const TestCertificate stranger(folder, "stranger", {.name = "billing"});
  const TestCertificate admin(folder, "admin", {.name = "admin.example.com"});
  fw::TlsConfig& tls = application.config.server.tls;
  tls.client_certificates.ca = authority.certificate_file();
  tls.hosts["admin.example.com"] = {admin.certificate_file(), admin.key_file()};
  SUBCASE("optional") { tls.client_certificates.mode = "optional"; }
  SUBCASE("required") { tls.client_certificates.mode = "required"; }
  const bool is_required = tls.client_certificates.mode == "required";
  application.table.routes([](fw::Router& router) {
    router.get(
        "/caller", {.auth = fw::AuthRequirement{.client_certificate = true}},
        [](fw::Request& req, fw::Response& res) { res.text(req.client_certificate()->subject); });
  });
  application.start();
  const auto port = static_cast<std::uint16_t>(application.app->port());
  // The host of the handshake, and the one of the request.
  const std::string hosts[] = {"localhost", "admin.example.com", "other.example.com", ""};
  for (const std::string& host : hosts) {
    CAPTURE(host);
    const TestCertificate* const certificates[] = {&billing, &stranger, nullptr};
    for (const TestCertificate* const certificate : certificates) {
      const bool is_known = certificate == &billing;
      CAPTURE(is_known);
      const auto open = [&](int fd) {
        return std::make_unique<fw::http::test::TlsClientChannel>(
            fd, fw::http::test::TlsClientOptions{
                    .host = host, .protocols = "h2", .certificate = certificate});
      };
      fw::http::test::Http2Client client(port, {}, open);
      for (const std::string& authority_of_request : hosts) {
        if (authority_of_request.empty()) continue;
        CAPTURE(authority_of_request);
        fw::http::Fields fields;
        fields.add(":authority", authority_of_request);
        const auto response = client.wait(client.begin("GET", "/caller", fields));
        if (is_known) {
          CHECK(response.body == "CN=billing");
        } else {
          const bool has_connection = !is_required && certificate == nullptr;
          CHECK(response.status == (has_connection ? 401 : 0));
        }
      }
    }
  }
}
#endif

TEST_CASE("tls: the offered protocols depend on the engine") {
  Application application;
  const auto port = static_cast<std::uint16_t>(application.start().port());
  const auto chosen_of = [&](const std::string& protocols) {
    fw::http::test::Client plain(port);
    const fw::http::test::TlsClientChannel channel(plain.fd(), {.protocols = protocols});
    if (!channel.is_open()) return std::string("(refused)");
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(channel.get(), &name, &size);
    return std::string(reinterpret_cast<const char*>(name), size);
  };
  const bool has_http2 = fw::http::AdapterOptions(application.config).http2.over_tls;
  CHECK((!has_http2 || !fw::http::test::tests_httplib()));
  CHECK(chosen_of("h2,http/1.1") == (has_http2 ? "h2" : "http/1.1"));
  CHECK(chosen_of("http/1.1") == "http/1.1");
  CHECK(chosen_of("h2") == (has_http2 ? "h2" : "(refused)"));
}

TEST_CASE("tls: a port in cleartext redirects to the same URL") {
  const int port = fairway::test::free_port();
  Application application([&](fw::Config& config) { config.server.tls.redirect_from = port; });
  const fw::App& app = application.start();
  fw::http::test::Client client(static_cast<std::uint16_t>(port));
  const auto response = client.exchange(
      "POST /a//b?c=%20d HTTP/1.1\r\nHost: shop.test:80\r\n"
      "Content-Length: 3\r\n\r\nabc");
  CHECK(response.status == 308);
  CHECK(response.field("location") ==
        "https://shop.test:" + std::to_string(app.port()) + "/a//b?c=%20d");
  application.app->stop();
  CHECK(fw::http::test::accepts_nobody(static_cast<std::uint16_t>(port)));
}

TEST_CASE("tls: a redirect has a request id and a line of the access log") {
  const int port = fairway::test::free_port();
  Application application([&](fw::Config& config) {
    config.server.tls.redirect_from = port;
    config.access_log.enabled = true;
  });
  application.start();
  fw::http::test::Client client(static_cast<std::uint16_t>(port));
  const auto redirected = client.exchange("GET /a?b=1 HTTP/1.1\r\nHost: shop.test\r\n\r\n");
  CHECK(redirected.status == 308);
  CHECK(redirected.body.empty());
  const auto refused =
      client.exchange("OPTIONS * HTTP/1.1\r\nHost: shop.test\r\nX-Request-ID: chosen\r\n\r\n");
  CHECK(refused.status == 400);
  CHECK(fw::Json::parse(refused.body)["requestId"] == "chosen");
  CHECK(refused.field("x-request-id") == "chosen");
  application.app->stop();
  const auto ids_of = [&](std::string_view begin) {
    std::vector<std::string> ids;
    for (const auto& record : application.sink->records()) {
      if (record.message.starts_with(begin)) ids.push_back(record.request_id);
    }
    return ids;
  };
  CHECK(ids_of("GET /a 308 ") == std::vector{redirected.field("x-request-id")});
  CHECK(ids_of("OPTIONS * 400 ") == std::vector<std::string>{"chosen"});
}

TEST_CASE("tls: the URL of a redirect has the host and the target of the request") {
  using fw::detail::https_url;
  CHECK(https_url("shop.test", "/", 443) == "https://shop.test/");
  CHECK(https_url("shop.test:8080", "/a?b", 8443) == "https://shop.test:8443/a?b");
  CHECK(https_url("[::1]:80", "/", 443) == "https://[::1]/");
  CHECK(https_url("[::1]", "//evil.test", 443) == "https://[::1]//evil.test");
  CHECK(https_url("", "/", 443).empty());
  CHECK(https_url("a@evil.test", "/", 443).empty());
  CHECK(https_url("a/b", "/", 443).empty());
  CHECK(https_url("shop.test", "*", 443).empty());
}

TEST_CASE("tls: a redirect port that cannot be opened is an error of the start") {
  httplib::Server other;
  const int port = other.bind_to_any_port("127.0.0.1");
  std::thread listening([&] { other.listen_after_bind(); });
  while (!other.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Application application([&](fw::Config& config) { config.server.tls.redirect_from = port; });
  const auto errors = application.start_errors();
  other.stop();
  listening.join();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].starts_with("configuration: /server/tls/redirectFrom: "));
}

TEST_CASE("tls: a certificate that cannot be used is an error of the start with its key") {
  Application application([](fw::Config& config) {
    config.server.tls.certificate = "none.pem";
    config.server.tls.hosts["shop.test"] = {.certificate = "shop.pem", .key = "shop.key"};
  });
  const auto errors = application.start_errors();
  REQUIRE(errors.size() == 3);
  CHECK(errors[0] == "configuration: /server/tls/certificate: none.pem: No such file or directory");
  CHECK(errors[1] ==
        "configuration: /server/tls/hosts/shop.test/certificate: shop.pem: No such file or "
        "directory");
  CHECK(errors[2] ==
        "configuration: /server/tls/hosts/shop.test/key: shop.key: No such file or directory");
}

}  // namespace tls_application_test
