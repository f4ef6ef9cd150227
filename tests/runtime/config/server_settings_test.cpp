// The settings of the server, TLS, the cluster, traces and the admin listener, and what
// contradicts.
#include <fairway/config.hpp>
#include <fairway/errors.hpp>

#include <doctest/doctest.h>

#include <regex>

#include "config/config_errors.hpp"
#include "config/config_layers.hpp"
#include "config/print_config.hpp"
#include "http/adapter.hpp"

namespace server_settings_test {

namespace {

using fw::Config;
using fw::Json;
using fw::config::test::Errors;
using fw::config::test::errors_of;

}  // namespace

TEST_CASE("config: every server limit and cluster key is read") {
  Config config;
  fw::apply_config_layer(config,
                         {{"server",
                           {{"unixSocket", "/run/api.sock"},
                            {"unixSocketMode", "0666"},
                            {"backlog", 16},
                            {"reusePort", true},
                            {"keepAliveTimeout", 1},
                            {"headersTimeout", 2},
                            {"requestTimeout", 3},
                            {"sendTimeout", 4},
                            {"minDataRate", "1kb"},
                            {"maxHeaderSize", "32KB"},
                            {"maxHeaderCount", 5},
                            {"maxRequestsPerConnection", 6},
                            {"maxConnections", 7},
                            {"maxConnectionsPerAddress", 8},
                            {"minWorkers", 9},
                            {"maxWorkers", 10},
                            {"workerIdleTimeout", 11}}},
                          {"cluster",
                           {{"enabled", true},
                            {"workers", 12},
                            {"autoRestart", false},
                            {"maxRestarts", 13},
                            {"restartWindow", 14},
                            {"restartDelay", 15},
                            {"maxRestartDelay", 16},
                            {"startTimeout", 17}}}},
                         "test");
  const fw::http::AdapterOptions options(config);
  CHECK(options.unix_socket == "/run/api.sock");
  CHECK(options.unix_socket_mode == 0666);
  CHECK(options.backlog == 16);
  CHECK(options.reuse_port);
  CHECK(options.keep_alive_timeout.count() == 1);
  CHECK(options.headers_timeout.count() == 2);
  CHECK(options.request_timeout.count() == 3);
  CHECK(options.send_timeout.count() == 4);
  CHECK(options.min_data_rate.bytes_per_second == 1'024);
  CHECK(options.max_header_size == 32'768);
  CHECK(options.max_header_count == 5);
  CHECK(options.max_requests_per_connection == 6);
  CHECK(options.max_connections == 7);
  CHECK(options.max_connections_per_address == 8);
  CHECK(options.min_workers == 9);
  CHECK(options.max_workers == 10);
  CHECK(options.worker_idle_timeout.count() == 11);
  CHECK(config.cluster.enabled);
  CHECK(config.cluster.workers == 12);
  CHECK_FALSE(config.cluster.auto_restart);
  CHECK(config.cluster.max_restarts == 13);
  CHECK(config.cluster.restart_window == 14);
  CHECK(config.cluster.restart_delay == 15);
  CHECK(config.cluster.max_restart_delay == 16);
  CHECK(config.cluster.start_timeout == 17);
  fw::apply_config_layer(config, {{"cluster", {{"workers", "auto"}}}}, "test");
  CHECK(config.cluster.workers == 0);
  const std::string printed = fw::config::render_config(config, {});
  CHECK(printed.find("/server/minDataRate") != std::string::npos);
  CHECK(std::regex_search(printed, std::regex("/cluster/workers +\"auto\"")));
}

TEST_CASE("config: the HTTP engine, and settings that the portable engine rejects") {
  Config config;
  CHECK(fw::config::render_config(config, {}).find("\"auto\"") != std::string::npos);
  fw::apply_config_layer(config, {{"server", {{"engine", "epoll"}}}}, "test");
  CHECK(config.server.engine == fw::HttpEngine::epoll);
  CHECK_THROWS(fw::apply_config_layer(config, {{"server", {{"engine", "nginx"}}}}, "test"));
  config.server.max_connections = 100;
  config.server.max_connections_per_address = 10;
  config.server.min_workers = 2;
  config.server.worker_idle_timeout = 1'000;
  config.server.queue_timeout = 1'000;
  config.server.max_buffered_bytes = "1mb";
  config.server.trim_interval = 0;
  config.cluster.enabled = true;
  std::vector<std::string> errors_with_epoll;
#if !FAIRWAY_EPOLL
  errors_with_epoll.emplace_back(
      "configuration: /server/engine: this build has no epoll engine: use \"httplib\"");
#endif
  CHECK(fw::config::config_errors(config) == errors_with_epoll);

  fw::apply_config_layer(config, {{"server", {{"engine", "httplib"}}}}, "test");
  const std::string begin = "configuration: /server/";
  const std::string engine = ": the httplib engine ";
  const std::string no_pool =
      "has a thread for each connection, up to /server/maxWorkers: remove this key";
  CHECK(
      fw::config::config_errors(config) ==
      std::vector<std::string>{
          begin + "minWorkers" + engine + no_pool, begin + "workerIdleTimeout" + engine + no_pool,
          begin + "queueTimeout" + engine + no_pool, begin + "maxConnections" + engine + no_pool,
          begin + "maxConnectionsPerAddress" + engine +
              "does not count connections: remove this key",
          begin + "maxBufferedBytes" + engine + "has no budget for buffers: remove this key",
          begin + "trimInterval" + engine + "does not give memory back by itself: remove this key",
          "configuration: /cluster/enabled" + engine +
              "serves one process: use the epoll engine, or remove this key"});
  Config plain;
  plain.server.engine = fw::HttpEngine::httplib;
  CHECK(fw::config::config_errors(plain).empty());
}

TEST_CASE("config: settings that need HTTPS without HTTPS are warnings") {
  Config config;
  config.security_headers.enabled = true;
  config.security_headers.hsts = true;
  config.session.enabled = config.csrf.enabled = true;
  config.session.cookie.secure = config.csrf.cookie.secure = fw::CookieSecure::always;
  const auto count = [](const Config& changed) {
    return fw::config::config_warnings(changed).size();
  };
  REQUIRE(count(config) == 3);
  CHECK(fw::config::config_warnings(config)[1] ==
        "session.cookie.secure is true, but requests arrive in cleartext, so that browsers do not "
        "return the cookie: set server.tls, or trustProxy if a proxy in front of the server "
        "speaks TLS");
  Config trusting = config;
  trusting.trust_proxy = true;
  CHECK(count(trusting) == 0);
  Config secure = config;
  secure.server.tls.certificate = "a.pem";
  CHECK(count(secure) == 0);
  config.security_headers.enabled = config.session.enabled = config.csrf.enabled = false;
  CHECK(count(config) == 0);
  CHECK(count({}) == 0);
}

TEST_CASE("config: TLS needs a certificate, a key and valid hosts" *
          doctest::skip(!FAIRWAY_EPOLL)) {
  const auto errors_of = [](const Json& tls) {
    Config config;
    fw::apply_config_layer(config, {{"server", {{"tls", tls}}}}, "test");
    return fw::config::config_errors(config);
  };
  const std::string begin = "configuration: /server/tls/";
  CHECK(errors_of({{"certificate", "a.pem"}, {"key", "b.pem"}}).empty());
  CHECK(errors_of({{"certificate", "a.pem"}}) ==
        Errors{begin + "key: /server/tls/certificate needs it"});
  CHECK(errors_of({{"key", "a.pem"}}) == Errors{begin + "certificate: /server/tls/key needs it"});
  const std::string no_effect = "has no effect without /server/tls/certificate";
  const Json files = {{"certificate", "a.pem"}, {"key", "b.pem"}};
  CHECK(errors_of({{"clientCertificates", {{"ca", "c.pem"}}}}) ==
        Errors{begin + "clientCertificates/ca: " + no_effect});
  Json required = files;
  required["clientCertificates"] = {{"mode", "required"}};
  CHECK(errors_of(required) == Errors{begin + "clientCertificates/mode: has no effect without "
                                              "/server/tls/clientCertificates/ca"});
  required["clientCertificates"]["ca"] = "c.pem";
  CHECK(errors_of(required).empty());
  CHECK(errors_of({{"hosts", {{"shop.test", files}}}, {"redirectFrom", 80}}) ==
        Errors{begin + "hosts: " + no_effect, begin + "redirectFrom: " + no_effect});
  for (const std::string name : {"", "*", "*.", "a.*.test", "https://shop.test", "shop.test:443"}) {
    CAPTURE(name);
    Json tls = files;
    tls["hosts"] = {{name, files}};
    CHECK(errors_of(tls) == Errors{begin + "hosts: '" + name +
                                   "' is not a host name such as \"shop.example.com\" or "
                                   "\"*.example.com\""});
  }
  Json tls = files;
  tls["hosts"] = {{"shop.test", files}, {"*.shop.test", files}};
  CHECK(errors_of(tls).empty());
  tls["redirectFrom"] = 3000;
  CHECK(errors_of(tls) == Errors{begin + "redirectFrom: it is the port of the server, /port"});

  Config portable;
  portable.server.engine = fw::HttpEngine::httplib;
  portable.server.tls.certificate = "a.pem";
  portable.server.tls.key = "b.pem";
  CHECK(fw::config::config_errors(portable).empty());
  CHECK_FALSE(fw::http::AdapterOptions(portable).http2.over_tls);
  portable.server.http2.enabled = true;
  CHECK(fw::config::config_errors(portable) ==
        Errors{
            "configuration: /server/http2/enabled: the httplib engine has no HTTP/2: use the epoll "
            "engine"});
  for (const char* wrong :
       {R"({"minVersion": "1.1"})", R"({"hosts": {"a": {"certificate": "a"}}})", R"({"hosts": []})",
        R"({"hosts": {"a": {"certificate": "a", "key": "b", "extra": 1}}})",
        R"({"handshakeTimeout": 0})", R"({"redirectFrom": -1})"}) {
    CAPTURE(wrong);
    Config config;
    CHECK_THROWS_AS(
        fw::apply_config_layer(config, {{"server", {{"tls", Json::parse(wrong)}}}}, "test"),
        fw::StartupError);
  }
}

TEST_CASE("config: HTTP/2 is refused where it cannot be spoken" * doctest::skip(!FAIRWAY_HTTP2)) {
  const auto errors_of = [](const Json& server) {
    Config config;
    fw::apply_config_layer(config, {{"server", server}}, "test");
    return fw::config::config_errors(config);
  };
  const std::string begin = "configuration: /server/http2/";
  const Json tls = {{"certificate", "a.pem"}, {"key", "b.pem"}};
  CHECK(errors_of({{"http2", {{"cleartext", true}, {"maxConcurrentStreams", 10}}}}).empty());
  CHECK(errors_of({{"http2", {{"enabled", "auto"}}}}).empty());
  CHECK(errors_of({{"http2", {{"enabled", false}}}}).empty());
  CHECK(errors_of({{"tls", tls}, {"http2", {{"enabled", true}}}}).empty());
  CHECK(errors_of({{"http2", {{"enabled", true}}}}) ==
        Errors{begin + "enabled: has no effect without /server/tls/certificate; for HTTP/2 without "
                       "TLS, use /server/http2/cleartext"});
  CHECK(errors_of({{"tls", tls}, {"http2", {{"cleartext", true}}}}) ==
        Errors{begin + "cleartext: has no effect with /server/tls/certificate, as this port serves "
                       "HTTPS only"});
  CHECK(errors_of({{"engine", "httplib"}, {"http2", {{"cleartext", true}}}}) ==
        Errors{begin + "cleartext: the httplib engine has no HTTP/2: use the epoll engine"});
  for (const char* wrong : {R"({"enabled": "on"})", R"({"maxConcurrentStreams": 0})"}) {
    CAPTURE(wrong);
    Config config;
    CHECK_THROWS_AS(
        fw::apply_config_layer(config, {{"server", {{"http2", Json::parse(wrong)}}}}, "test"),
        fw::StartupError);
  }
}

TEST_CASE("config: contradictory server and cluster values are errors" *
          doctest::skip(!FAIRWAY_EPOLL)) {
  Config config;
  config.server.min_workers = 20;
  config.server.max_workers = 10;
  config.server.max_connections = 100;
  config.server.max_connections_per_address = 200;
  config.server.max_header_size = 10;
  config.server.unix_socket = std::string(108, 'a');
  config.server.reuse_port = true;
  config.cluster.restart_delay = 2'000;
  config.cluster.max_restart_delay = 1'000;
  const auto errors = fw::config::config_errors(config);
  REQUIRE(errors.size() == 6);
  CHECK(errors[0].starts_with("configuration: /server/unixSocket: 'aaa"));
  CHECK(errors[1] ==
        "configuration: /server/maxHeaderSize: expected from 1kb to 16mb, not 10 bytes");
  CHECK(errors[2] == "configuration: /server/minWorkers: 20 is more than /server/maxWorkers, 10");
  CHECK(errors[3] ==
        "configuration: /server/maxConnectionsPerAddress: 200 is more than "
        "/server/maxConnections, 100");
  CHECK(errors[4].find("/server/reusePort") != std::string::npos);
  CHECK(errors[5] ==
        "configuration: /cluster/restartDelay: 2000 is more than /cluster/maxRestartDelay, 1000");
}

TEST_CASE("config: settings of traces are read, and values that cannot work are errors") {
  Config config;
  fw::apply_config_layer(config,
                         {{"tracing",
                           {{"endpoint", "https://collector.test/otlp"},
                            {"headers", {{"x-team", "key"}}},
                            {"serviceName", "shop"},
                            {"ratio", 0.25},
                            {"errors", false},
                            {"slowThreshold", 500},
                            {"queueSize", 10},
                            {"exportInterval", 100}}}},
                         "default.json");
  CHECK(config.tracing.endpoint == "https://collector.test/otlp");
  CHECK(config.tracing.headers.at("x-team") == "key");
  CHECK(config.tracing.service_name == "shop");
  CHECK(config.tracing.ratio == 0.25);
  CHECK(!config.tracing.errors);
  CHECK(config.tracing.slow_threshold == 500);
  CHECK(config.tracing.queue_size == 10);
  CHECK(config.tracing.export_interval == 100);
  CHECK(fw::config::config_errors(config).empty());
  const auto errors_of = [](const fw::TracingConfig& tracing) {
    Config changed;
    changed.tracing = tracing;
    return fw::config::config_errors(changed);
  };
  CHECK(errors_of({.ratio = 1.5}) ==
        std::vector<std::string>{
            "configuration: /tracing/ratio: expected a number from 0 to 1, not 1.5"});
  CHECK(errors_of({.endpoint = "collector:4318"}).size() == 1);
  CHECK(errors_of({.endpoint = "http://collector:4318?a=1"}).size() == 1);
  CHECK(errors_of({.headers = {{"a b", "1"}}}).size() == 1);
  CHECK(errors_of({.headers = {{"a", "1\n2"}}}).size() == 1);
  CHECK(errors_of({.headers = {{"Content-Type", "text/plain"}}}).size() == 1);
}

TEST_CASE("config: tracing without an endpoint has a warning, if there are other settings") {
  Config config;
  CHECK(fw::config::config_warnings(config).empty());
  for (const fw::TracingConfig& tracing :
       {fw::TracingConfig{.ratio = 0.1}, fw::TracingConfig{.errors = false},
        fw::TracingConfig{.queue_size = 10}, fw::TracingConfig{.export_interval = 10}}) {
    config.tracing = tracing;
    CHECK(fw::config::config_warnings(config).size() == 1);
    config.tracing.endpoint = "http://127.0.0.1:4318";
    CHECK(fw::config::config_warnings(config).empty());
  }
}

TEST_CASE("config: an admin listener that others can reach needs a token") {
  const std::string token(32, 't');
  const auto errors_of = [](const fw::AdminConfig& admin,
                            const std::function<void(Config&)>& change = {}) {
    Config config;
    config.admin = admin;
    if (change) change(config);
    return fw::config::config_errors(config);
  };
  const auto error_of = [&](const fw::AdminConfig& admin,
                            const std::function<void(Config&)>& change = {}) {
    const auto errors = errors_of(admin, change);
    REQUIRE(errors.size() == 1);
    return errors[0];
  };
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "localhost"}) {
    CAPTURE(host);
    CHECK(errors_of({.port = 9464, .host = host}).empty());
  }
  CHECK(errors_of({.socket = "/run/shop/admin.sock"}).empty());
  for (const char* host :
       {"0.0.0.0", "::", "", "10.0.0.7", "shop.example.com", "127.0.0.1.a.com"}) {
    CAPTURE(host);
    CHECK(errors_of({.port = 9464, .host = host, .token = token}).empty());
    CHECK(error_of({.port = 9464, .host = host}) ==
          "configuration: /admin/token: it is required, because other machines may reach "
          "/admin/host, '" +
              std::string(host) + "': set it, or use 127.0.0.1 or /admin/socket");
  }
  CHECK(error_of({.port = 9464, .token = std::string(31, 't')}) ==
        "configuration: /admin/token: it must have 32 characters or more");
  CHECK(
      error_of({.port = 9464, .token = token + " "}) ==
      "configuration: /admin/token: it must have letters, digits and the characters -._~+/= only");
  CHECK(error_of({.token = token}) ==
        "configuration: /admin/token: has no effect without /admin/port or /admin/socket");
  CHECK(error_of({.host = "::1"}) ==
        "configuration: /admin/host: has no effect without /admin/port or /admin/socket");
  CHECK(error_of({.port = 9464, .socket = "a.sock"}) ==
        "configuration: /admin/port: /admin/socket is set, too: remove one of them");
  CHECK(error_of({.host = "::1", .socket = "a.sock"}) ==
        "configuration: /admin/host: is for /admin/port, and /admin/socket is set");
  CHECK(error_of({.socket = std::string(108, 'a')}).find("/admin/socket: 'aaa") !=
        std::string::npos);
  CHECK(error_of({.port = 3000}) ==
        "configuration: /admin/port: it is the port of the server, /port");
  CHECK(error_of({.socket = "a.sock"}, [](Config& config) {
          config.server.unix_socket = "a.sock";
        }) == "configuration: /admin/socket: it is the path of the server, /server/unixSocket");
  if (FAIRWAY_EPOLL) {
    CHECK(errors_of({.port = 9464}, [](Config& config) { config.cluster.enabled = true; }).empty());
  }
}

TEST_CASE("config: out-of-range server numbers are rejected") {
  for (const Json& server :
       {Json{{"keepAliveTimeout", 0}}, Json{{"sendTimeout", -1}}, Json{{"backlog", 0}},
        Json{{"minDataRate", "fast"}}, Json{{"maxHeaderSize", -1}}, Json{{"maxConnections", 0}},
        Json{{"unixSocketMode", "rw"}}, Json{{"unixSocketMode", "1777"}}}) {
    CAPTURE(server.dump());
    Config config;
    CHECK_THROWS_AS(fw::apply_config_layer(config, {{"server", server}}, "test"), fw::StartupError);
  }
  for (const Json& workers : {Json(0), Json("many"), Json(-1)}) {
    Config config;
    CHECK_THROWS_AS(fw::apply_config_layer(config, {{"cluster", {{"workers", workers}}}}, "test"),
                    fw::StartupError);
  }
}

}  // namespace server_settings_test
