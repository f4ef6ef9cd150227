// A cluster with TLS: workers share the secret of session tickets, and a reload replaces the
// certificate.
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

#include "http/tls_client.hpp"
#include "server_under_test.hpp"
#include "support/certificates.hpp"

namespace cluster_tls_test {

using fw::Json;
using fw::http::test::TlsClientChannel;
using fw::test::TestCertificate;
using namespace e2e;

namespace {

using Session = std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)>;

/// A request on a connection of its own.
struct Visit {
  Visit(int port, SSL_SESSION* resumed = nullptr)
      : plain(static_cast<std::uint16_t>(port)), channel(plain.fd(), {.resumed = resumed}) {
    channel.send("GET /who HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    char buffer[4096];
    for (ssize_t size = 0; (size = channel.receive(buffer, sizeof buffer)) > 0;) {
      response.append(buffer, static_cast<std::size_t>(size));
    }
  }

  pid_t worker() const { return data_of(response).at("pid").get<pid_t>(); }
  bool is_resumed() const { return SSL_session_reused(channel.get()) == 1; }
  Session session() const { return {SSL_get1_session(channel.get()), SSL_SESSION_free}; }

  fw::http::test::Client plain;
  TlsClientChannel channel;
  std::string response;
};

}  // namespace

TEST_CASE("cluster: sessions of TLS are resumed by all workers, also after a reload") {
  const fairway::test::TemporaryDirectory folder;
  const TestCertificate certificate(folder.path(), "server", {});
  ServerUnderTest server(
      {{"cluster", {{"enabled", true}, {"workers", 3}}},
       {"server",
        {{"tls",
          {{"certificate", certificate.certificate_file()}, {"key", certificate.key_file()}}}}}});
  REQUIRE(server.wait_for_log("all 3 workers are ready"));
  const Visit first(server.port());
  const pid_t earlier = first.worker();
  bool has_met_another = false;
  CHECK(eventually([&] {
    const Visit again(server.port(), first.session().get());
    CHECK(again.is_resumed());
    has_met_another = again.worker() != earlier;
    return has_met_another;
  }));

  const TestCertificate renewed(folder.path(), "renewed", {.name = "renewed"});
  std::filesystem::rename(renewed.key_file(), certificate.key_file());
  std::filesystem::rename(renewed.certificate_file(), certificate.certificate_file());
  server.process().signal(SIGHUP);
  REQUIRE(server.wait_for_log("reloaded: all workers have been replaced"));
  CHECK(Visit(server.port()).channel.name_of_server() == "renewed");
  CHECK(Visit(server.port(), first.session().get()).is_resumed());
}

TEST_CASE("cluster: a certificate that cannot be used is reported once, by the supervisor") {
  const fairway::test::TemporaryDirectory directory;
  const Json config = {{"cluster", {{"enabled", true}, {"workers", 3}}},
                       {"server", {{"tls", {{"certificate", "none.pem"}, {"key", "none.key"}}}}}};
  directory.write("config/default.json", config.dump());
  ChildProcess process(FAIRWAY_CLUSTER_PROGRAM, {"--host", "127.0.0.1", "--port", "0"},
                       directory.path());
  CHECK(process.wait() == 1);
  const std::string errors = process.standard_error();
  CAPTURE(errors);
  const std::string line = "configuration: /server/tls/certificate: none.pem: No such file";
  CHECK(errors.find(line) != std::string::npos);
  CHECK(errors.find(line) == errors.rfind(line));
}

}  // namespace cluster_tls_test
