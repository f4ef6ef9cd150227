// HTTP/2 over TLS: who gets it, and that it is the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <openssl/ssl.h>
#include <string>
#include <vector>

#include "http/tls/tls_server.hpp"
#include "http2_client.hpp"
#include "local_options.hpp"
#include "loopback.hpp"
#include "support/certificates.hpp"
#include "temporary_directory.hpp"
#include "tls_client.hpp"

namespace http2_tls_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

class TlsSetting {
 public:
  AdapterOptions options(bool offers_http2) {
    const auto ignore = [](const std::string&) {};
    std::vector<TlsError> errors;
    AdapterOptions options = local_options();
    options.tls = make_tls_server(config_, -1, {ignore, ignore}, errors, offers_http2);
    options.http2.over_tls = offers_http2;
    // On a busy machine, seconds can pass between two steps of a test.
    options.keep_alive_timeout = std::chrono::minutes(1);
    options.handshake_timeout = std::chrono::minutes(1);
    options.queue_timeout = std::chrono::minutes(1);
    return options;
  }

 private:
  fairway::test::TemporaryDirectory folder_;
  fw::test::TestCertificate certificate_{folder_.path(), "server", {}};
  fw::TlsConfig config_{.certificate = certificate_.certificate_file(),
                        .key = certificate_.key_file()};
};

/// Responds with the version, the security, and the size of the body.
void tell(const std::shared_ptr<Transaction>& transaction) {
  std::string body;
  transaction->read_body(100'000'000, body);
  respond(*transaction, std::string(transaction->http_version()) +
                            (transaction->head().is_secure ? " secure " : " cleartext ") +
                            std::to_string(body.size()));
}

Server serve(AdapterOptions options) {
  return Server(tell, std::move(options), make_epoll_adapter());
}

/// The protocol that a client with TLS gets.
std::string agreed_protocol(std::uint16_t port, const std::string& offered) {
  const Client client(port);
  const TlsClientChannel channel(client.fd(), {.protocols = offered});
  if (!channel.is_open()) return "(refused)";
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(channel.get(), &chosen, &size);
  return size == 0 ? "(none)" : std::string(reinterpret_cast<const char*>(chosen), size);
}

std::unique_ptr<ClientChannel> open_http2(int fd) {
  return std::make_unique<TlsClientChannel>(fd, TlsClientOptions{.protocols = "h2"});
}

}  // namespace

TEST_CASE("http2: clients with TLS choose it by ALPN, if the server offers it") {
  TlsSetting setting;
  auto server = serve(setting.options(true));
  CHECK(agreed_protocol(server.port(), "h2") == "h2");
  CHECK(agreed_protocol(server.port(), "http/1.1") == "http/1.1");
  CHECK(agreed_protocol(server.port(), "http/1.1,h2") == "h2");  // the server prefers it
  CHECK(agreed_protocol(server.port(), "") == "(none)");
  CHECK(agreed_protocol(server.port(), "spdy/3") == "(refused)");
  auto other = serve(setting.options(false));
  CHECK(agreed_protocol(other.port(), "h2") == "(refused)");
  CHECK(agreed_protocol(other.port(), "http/1.1,h2") == "http/1.1");
}

TEST_CASE("http2: a client with TLS that has chosen it gets no HTTP/1.1") {
  TlsSetting setting;
  auto server = serve(setting.options(true));
  const Client client(server.port());
  TlsClientChannel channel(client.fd(), {.protocols = "h2"});
  REQUIRE(channel.send(kGet) > 0);
  char buffer[512];
  CHECK(channel.receive(buffer, sizeof buffer) <= 0);
}

TEST_CASE("http2: requests over TLS are secure, and their bodies arrive") {
  TlsSetting setting;
  auto server = serve(setting.options(true));
  Http2Client client(server.port(), {}, open_http2);
  CHECK(client.exchange("/").body == "2 secure 0");
  const auto stream = client.begin("POST", "/", {}, true);
  client.send_body(stream, std::string(3'000'000, 'x'));
  CHECK(client.wait(stream).body == "2 secure 3000000");
}

TEST_CASE("http2: large responses over TLS are complete") {
  TlsSetting setting;
  Server server(
      [](const std::shared_ptr<Transaction>& transaction) {
        respond(*transaction, std::string(5'000'000, 'x'));
      },
      setting.options(true), make_epoll_adapter());
  Http2Client client(server.port(), {.receive_buffer = 4'096}, open_http2);
  const auto first = client.get("/");
  const auto second = client.get("/");
  CHECK(client.wait(first).body == std::string(5'000'000, 'x'));
  CHECK(client.wait(second).body == std::string(5'000'000, 'x'));
}

TEST_CASE("http2: a client with TLS that has not chosen it gets HTTP/1.1") {
  TlsSetting setting;
  auto server = serve(setting.options(true));
  const Client client(server.port());
  TlsClientChannel channel(client.fd(), {.protocols = "http/1.1"});
  REQUIRE(channel.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") > 0);
  char buffer[512];
  const auto size = channel.receive(buffer, sizeof buffer);
  REQUIRE(size > 0);
  CHECK(std::string(buffer, static_cast<std::size_t>(size)).starts_with("HTTP/1.1 505"));
}

}  // namespace http2_tls_test
