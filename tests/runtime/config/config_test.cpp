#include <fairway/config.hpp>
#include <fairway/errors.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <sys/stat.h>

#include "app/adapter_options.hpp"
#include "config/config_errors.hpp"
#include "config/print_config.hpp"
#include "settings/config_table.hpp"
#include "settings/settings_file.hpp"
#include "temporary_directory.hpp"

namespace config_test {

namespace {

using fw::Config;
using fw::Json;

using Errors = std::vector<std::string>;

Errors errors_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const fw::StartupError& error) {
    return error.errors();
  }
  return {};
}

Errors layer_errors(const Json& layer) {
  Config config;
  return errors_of([&] { fw::apply_config_layer(config, layer, "default.json"); });
}

class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~EnvironmentVariable() { unsetenv(name_); }

 private:
  const char* name_;
};

class ConfigFolder {
 public:
  explicit ConfigFolder(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [name, text] : files) directory_.write(name, text);
  }
  std::string path() const { return directory_.path(); }

 private:
  fairway::test::TemporaryDirectory directory_;
};

TEST_CASE("config: the outbound client and its proxy targets are read") {
  Config config;
  fw::apply_config_layer(config, Json::parse(R"({"fetch": {
                           "timeout": 500, "retry": 2, "retryDelay": 0, "maxSize": "1mb",
                           "propagateHeaders": ["x-tenant"], "traceContext": true,
                           "idleTimeout": 700, "totalTimeout": 0, "via": "edge",
                           "proxy": [{"name": "up", "baseURL": "http://up/",
                                      "headers": {"Authorization": "Bearer s3cret", "x-a": "1"},
                                      "forwardHeaders": ["accept"],
                                      "defaultInjectHeaders": {"x-n": 1, "x-none": null},
                                      "allowAuthorizationForward": true, "xForwarded": true,
                                      "timeout": 100, "retry": 1, "retryDelay": 5}]}})"),
                         "test");
  CHECK(config.fetch.retry_delay.after(1) == 0);
  REQUIRE(config.fetch.proxy.size() == 1);
  const fw::FetchProxyTarget& target = config.fetch.proxy[0];
  CHECK(target.base_url == "http://up/");
  CHECK(target.headers.get("authorization") == "Bearer s3cret");
  CHECK(target.forward_headers == std::vector<std::string>{"accept"});
  CHECK(target.default_inject_headers.values() == Json{{"x-n", 1}, {"x-none", nullptr}});
  CHECK(target.allow_authorization_forward);
  CHECK(target.x_forwarded);
  CHECK(config.fetch.idle_timeout == 700);
  CHECK(config.fetch.via == "edge");
  CHECK(target.timeout->count() == 100);
  CHECK(target.retry == 1);
  CHECK(target.retry_delay->after(1) == 5);
  CHECK(fw::config::config_errors(config).empty());
  const std::string printed = fw::config::render_config(config, {});
  CHECK(printed.find("s3cret") == std::string::npos);
  CHECK(printed.find(R"("baseURL":"http://up/")") != std::string::npos);

  for (const char* wrong :
       {R"({"timeout": 0})", R"({"idleTimeout": 0})", R"({"totalTimeout": -1})", R"({"via": 1})",
        R"({"retry": -1})", R"({"retryDelay": "x"})", R"({"proxy": {}})",
        R"({"proxy": [{"name": "a"}]})", R"({"proxy": [{"name": "", "baseURL": "http://a"}]})",
        R"({"proxy": [{"name": "a", "baseURL": "http://a", "timeout": 0}]})",
        R"({"proxy": [{"name": "a", "baseURL": "http://a", "baseUrl": "http://a"}]})",
        R"({"proxy": [{"name": "a", "baseURL": "http://a", "headers": {"x": 1}}]})"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(fw::apply_config_layer(config, {{"fetch", Json::parse(wrong)}}, "test"),
                    fw::StartupError);
  }
}

}  // namespace

TEST_CASE("config: every key is read and written through the table") {
  const Config defaults;
  for (const auto& key : fw::config::config_keys()) {
    CAPTURE(key.pointer);
    const Json value = key.write(defaults);
    Json layer;
    layer[Json::json_pointer(std::string(key.pointer))] = value;
    CHECK(layer_errors(layer).empty());
    layer[Json::json_pointer(std::string(key.pointer))] = nullptr;
    REQUIRE(layer_errors(layer).size() == 1);
    CHECK(layer_errors(layer)[0] == "default.json: " + std::string(key.pointer) + ": expected " +
                                        std::string(key.expectation) + ", not null");
  }
}

TEST_CASE("config: a layer changes only the keys that it contains") {
  Config config;
  fw::apply_config_layer(config, Json::parse(R"({
      "port": 8080, "response": {"logErrors": {"http4xx": true}},
      "bodyParser": {"maxBodySize": "2kb"}, "logger": {"level": "warn", "prettyColor": "never"},
      "accessLog": {"level": "debug", "skipPaths": ["/health"]},
      "middlewares": ["a", {"name": "b", "options": {"x": 1}}],
      "openapi": {"guardSecurityMap": {"jwt": "bearer"}, "info": {"title": "T", "license": {"name": "MIT"}},
        "servers": ["/v1", {"url": "/v2", "description": "next"}], "securitySchemes": {"key": {"type": "apiKey"}}}, "app": {"own": {"a": 1}}})"),
                         "a.json");
  fw::apply_config_layer(config, Json::parse(R"({"app": {"own": {"b": 2}}})"), "b.json");
  CHECK(config.port == 8080);
  CHECK(config.response.log_errors.http4xx);
  CHECK(config.response.log_errors.http5xx);
  CHECK(config.body_parser.max_body_size.bytes() == 2048);
  CHECK(config.logger.level == fw::LogLevel::warn);
  CHECK(config.logger.pretty_color == fw::PrettyColor::never);
  CHECK(config.access_log.level == fw::LogLevel::debug);
  CHECK(config.access_log.skip_paths == Errors{"/health"});
  REQUIRE(config.middlewares.size() == 2);
  CHECK(config.middlewares[1].options == Json{{"x", 1}});
  CHECK(config.openapi.guard_security_map.at("jwt") == "bearer");
  CHECK(config.openapi.info.title == "T");
  CHECK(config.openapi.info.license.name == "MIT");
  REQUIRE(config.openapi.servers.size() == 2);
  CHECK(config.openapi.servers[0].url == "/v1");
  CHECK(config.openapi.servers[1].description == "next");
  CHECK(config.openapi.security_schemes["key"]["type"] == "apiKey");
  CHECK(config.app == Json{{"own", {{"a", 1}, {"b", 2}}}});
}

TEST_CASE("config: auth schemes are one name or alternatives") {
  const auto schemes = [](const Json& value) {
    fw::Config config;
    fw::apply_config_layer(config, {{"openapi", {{"authScheme", value}}}}, "test");
    return config.openapi.auth_scheme.names();
  };
  CHECK(schemes("a") == Errors{"a"});
  CHECK(schemes({"a", "b"}) == Errors{"a", "b"});
  const Errors expected = {
      "default.json: /openapi/authScheme: expected a string, or a list of strings that is not "
      "empty, not 1"};
  CHECK(layer_errors({{"openapi", {{"authScheme", 1}}}}) == expected);
  CHECK_THROWS_AS(schemes(Json::array()), fw::StartupError);
  CHECK_THROWS_AS(schemes({"a", 1}), fw::StartupError);
}

TEST_CASE("config: all errors of a layer have a JSON pointer and the expectation") {
  CHECK(layer_errors(Json::parse(R"({
      "port": "80", "host": 1, "respnse": {}, "logger": {"levle": "info"}, "response": true,
      "accessLog": {"level": "error"}, "a/b~c": 1, "frontend": {"enabled": true}})")) ==
        Errors{
            "default.json: /a~1b~0c: unknown key",
            "default.json: /accessLog/level: expected info or debug, not \"error\"",
            "default.json: /frontend: unknown key",
            "default.json: /host: expected a string, not 1",
            "default.json: /logger/levle: unknown key; did you mean /logger/level?",
            "default.json: /port: expected a whole number from 0 to 65535, not \"80\"",
            "default.json: /respnse: unknown key; did you mean /response?",
            "default.json: /response: expected an object, not true",
        });
  CHECK(layer_errors({{"port", 65'536}}).size() == 1);
  CHECK(layer_errors({{"port", 1.5}}).size() == 1);
  CHECK(layer_errors({{"port", 18446744073709551615U}}).size() == 1);
  CHECK(layer_errors({{"server", {{"maxHeaderSize", "16 tons"}}}}).size() == 1);
  CHECK(layer_errors({{"middlewares", {{{"name", "a"}, {"option", 1}}}}}).size() == 1);
  CHECK(layer_errors(Json::array()).size() == 1);
}

TEST_CASE("config: layers are applied in order, then the environment, then flags") {
  const ConfigFolder folder({{"default.json", R"({"port": 1, "host": "a", "trustProxy": true})"},
                             {"production.json", R"({"port": 2})"},
                             {"staging.json", R"({"port": 3})"},
                             {"local.json", R"({"host": "b"})"}});
  const auto load = [&](const Errors& arguments = {}) {
    return fw::load_config_from(folder.path(), arguments);
  };
  CHECK(load().port == 2);
  CHECK(load().host == "b");
  CHECK(load().trust_proxy.mode() == fw::TrustProxy::Mode::all);
  CHECK(!load().logger.pretty);
  CHECK(load({"--config", "staging"}).port == 3);
  {
    const EnvironmentVariable profile("FAIRWAY_CONFIG", "staging");
    const EnvironmentVariable level("FAIRWAY_LOG_LEVEL", "debug");
    CHECK(load().port == 3);
    CHECK(load().logger.level == fw::LogLevel::debug);
    const EnvironmentVariable port("PORT", "4");
    CHECK(load().port == 4);
    CHECK(load({"--port=5", "--host", "c"}).port == 5);
    CHECK(load({"--port=5", "--host", "c"}).host == "c");
  }
  const EnvironmentVariable development("FAIRWAY_ENV", "development");
  CHECK(load().environment == "development");
  CHECK(load().logger.pretty);
  CHECK(load().port == 1);
}

TEST_CASE("config: with the TLS of 'fairway dev --https', its fields are trusted") {
  const ConfigFolder folder({{"default.json", R"({"trustProxy": ["10.0.0.0/8"]})"}});
  const auto trusted = [&] { return fw::load_config_from(folder.path(), {}).trust_proxy; };
  {
    const EnvironmentVariable dev("FAIRWAY_DEV", "1");
    CHECK(trusted().networks() == std::vector<std::string>{"10.0.0.0/8"});
  }
  const EnvironmentVariable dev("FAIRWAY_DEV", "https");
  CHECK(trusted().networks() == std::vector<std::string>{"127.0.0.1"});
}

TEST_CASE("config: 'fairway dev' gets the spans of a program in development, and of no other") {
  const std::string url = "http://127.0.0.1:4000/secret";
  const auto endpoint = [](const std::string& settings = "{}") {
    const ConfigFolder folder({{"default.json", settings}});
    return fw::load_config_from(folder.path(), {}).tracing.endpoint;
  };
  const EnvironmentVariable spans("FAIRWAY_DEV_SPANS", url.c_str());
  {
    const EnvironmentVariable development("FAIRWAY_ENV", "development");
    CHECK(endpoint().empty());
  }
  const EnvironmentVariable dev("FAIRWAY_DEV", "1");
  for (const char* const environment : {"production", "test"}) {
    const EnvironmentVariable other("FAIRWAY_ENV", environment);
    CHECK(endpoint().empty());
  }
  const EnvironmentVariable development("FAIRWAY_ENV", "development");
  CHECK(endpoint() == url);
  CHECK(endpoint(R"({"requestContext": {"enabled": false}})").empty());
  const std::string own = "http://collector.test:4318";
  CHECK(endpoint(R"({"tracing": {"endpoint": ")" + own + R"("}})") == own);
}

TEST_CASE("config: a value that a later layer or the program replaces need not work") {
  const ConfigFolder folder(
      {{"default.json", R"({"csrf": {"secret": "change-me"}, "cors": {"origins": ["change-me"]}})"},
       {"local.json", R"({"cors": {"origins": ["https://shop.test"]}})"}});
  Config config = fw::load_config_from(folder.path(), {});
  CHECK(fw::config::config_errors(config) ==
        Errors{"configuration: /csrf/secret: it must have 32 bytes or more"});
  config.csrf.secret = std::string(32, 'a');
  CHECK(fw::config::config_errors(config).empty());
}

TEST_CASE("config: errors of all layers are reported together") {
  const ConfigFolder folder({{"default.json", R"({"port": true})"}, {"local.json", "{"}});
  const EnvironmentVariable port("PORT", "eighty");
  const EnvironmentVariable environment("FAIRWAY_ENV", "prod");
  const Errors errors = errors_of([&] {
    fw::load_config_from(folder.path(), {"--host=x", "--config=ghost", "--verbose", "--port"});
  });
  REQUIRE(errors.size() == 7);
  CHECK(errors[0] == "unknown argument '--verbose'; --help lists the flags");
  CHECK(errors[1] == "--port needs a value");
  CHECK(errors[2].starts_with("environment FAIRWAY_ENV: expected production, development or"));
  CHECK(errors[3].starts_with(folder.path() + "/default.json:1:2: /port: expected"));
  CHECK(errors[4] == folder.path() + "/ghost.json: no such configuration file");
  CHECK(errors[5].starts_with(folder.path() +
                              "/local.json:1:2: not valid JSON: unexpected end of input"));
  CHECK(errors[6].starts_with("environment PORT: /port: expected a whole number"));
}

TEST_CASE("config: values set in code are validated too" * doctest::skip(!FAIRWAY_EPOLL)) {
  Config config;
  CHECK(fw::config::config_errors(config).empty());
  config.port = -1;
  config.body_parser.max_body_size = "huge";
  config.request_id.header = "no name";
  config.server.min_workers = 1'000;
  CHECK(fw::config::config_errors(config).size() == 4);
}

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
  const auto options = fw::detail::adapter_options(config);
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
  CHECK(fw::config::config_errors(portable) ==
        Errors{"configuration: /server/tls: the httplib engine has no TLS: use the epoll engine"});
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

TEST_CASE("config: trusted proxies are read and validated") {
  const auto read = [](const Json& value) {
    Config config;
    fw::apply_config_layer(config, {{"trustProxy", value}}, "test");
    CHECK(fw::config::config_errors(config).empty());
    return config.trust_proxy;
  };
  CHECK(read(true).mode() == fw::TrustProxy::Mode::all);
  CHECK(read(false).mode() == fw::TrustProxy::Mode::none);
  CHECK(read(0).mode() == fw::TrustProxy::Mode::none);
  CHECK(read(2).hops() == 2);
  const Json networks = {"10.0.0.0/8", "2001:db8::/32", "::1", "192.0.2.7", "unix"};
  CHECK(read(networks).networks().size() == 5);
  for (const Json& value : {Json(-1), Json(1.5), Json(101), Json("10.0.0.0/8"), Json{"10.0.0.0/33"},
                            Json{"10.0.0/8"}, Json{"::1/129"}, Json{"::1/"}, Json{"10.0.0.0/-1"},
                            Json{"proxy.example"}, Json{""}, Json{1}}) {
    CAPTURE(value.dump());
    CHECK(layer_errors({{"trustProxy", value}}).size() == 1);
  }
  Config config;
  config.trust_proxy = std::vector<std::string>{"nonsense"};
  REQUIRE(fw::config::config_errors(config).size() == 1);
  CHECK(fw::config::config_errors(config)[0].starts_with(
      "configuration: /trustProxy: expected true, false, a number of proxies from 0 to 100, or"));
}

TEST_CASE("config: application keys are read from the environment") {
  const std::vector<std::pair<std::string, std::string>> files{
      {"default.json", R"({"app": {"payment": {"apiKey": "a", "retries": 1}, "flags": [1]}})"}};
  const ConfigFolder folder(files);
  const std::map<std::string, std::string> variables{{"FAIRWAY_APP_PAYMENT__API_KEY", "12345"},
                                                     {"FAIRWAY_APP_PAYMENT__RETRIES", "3"},
                                                     {"FAIRWAY_APP_FLAGS", "[2, 3]"},
                                                     {"FAIRWAY_APP_DATABASE_URL", "sqlite:x"},
                                                     {"FAIRWAY_APP_EMPTY", ""}};
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  const Config config = fw::load_config_from(folder.path());
  for (const auto& [name, value] : variables) unsetenv(name.c_str());
  CHECK(config.app == Json{{"payment", {{"apiKey", "12345"}, {"retries", 3}}},
                           {"flags", {2, 3}},
                           {"databaseUrl", "sqlite:x"}});
  setenv("FAIRWAY_APP___X", "1", 1);
  CHECK_THROWS_WITH_AS(fw::load_config_from(folder.path()),
                       doctest::Contains("environment FAIRWAY_APP___X: expected a name such as "
                                         "FAIRWAY_APP_PAYMENT__API_KEY"),
                       fw::StartupError);
  unsetenv("FAIRWAY_APP___X");
}

TEST_CASE("config: syntax errors in files have line and column") {
  const std::vector<std::pair<std::string, std::string>> files{
      {"default.json", "{\n  \"port\": 3000,\n  \"logger\": {\n    \"levle\": \"info\"\n  }\n}\n"},
      {"local.json", "{\n  \"port\": 3000\n  \"host\": \"127.0.0.1\"\n}\n"}};
  const ConfigFolder folder(files);
  CHECK(errors_of([&] { fw::load_config_from(folder.path()); }) ==
        Errors{folder.path() + "/default.json:4:5: /logger/levle: unknown key; did you mean "
                               "/logger/level?",
               folder.path() + "/local.json:2:15: not valid JSON: a ',' is missing"});
}

TEST_CASE("config: a number out of range of double is a startup error") {
  const std::vector<std::pair<std::string, std::string>> files{
      {"default.json", R"({"port": 1e400})"}};
  const ConfigFolder folder(files);
  CHECK_THROWS_WITH_AS(fw::load_config_from(folder.path()),
                       doctest::Contains("default.json: not valid JSON: "), fw::StartupError);
}

TEST_CASE("config: sizes are parsed with their units") {
  const auto bytes = [](const char* text) { return fw::ByteSize(text).bytes(); };
  CHECK(bytes("10") == 10);
  CHECK(bytes("1KB") == 1024);
  CHECK(bytes(" 1.5 mb ") == 1'572'864);
  CHECK_THROWS_WITH(
      bytes("huge"),
      "'huge' is not a size; write a number of bytes, or a number with b, kb, mb or gb");
}

TEST_CASE("config: printed with the origin of each value and without secrets") {
  fw::config::ConfigOrigins origins;
  Config config;
  const auto layer = [&](const Json& values, const std::string& source) {
    fw::apply_config_layer(config, values, source);
    fw::config::note_origins(origins, values, source);
  };
  layer({{"port", 1},
         {"app",
          {{"dbPassword", "hunter2"},
           {"store", "redis://ada:word@cache:6379/0?a=@"},
           {"brokers", "amqp://ada:hunter2@one,amqp://ada:hunter2@two"},
           {"other", "redis://ada:hun/ter2@cache"},
           {"signingKey", "hunter2"},
           {"dsn", "host=one password=hunter2"},
           {"page", "https://one.example/@ada"},
           {"api-key", {{"v", 1}}},
           {"depth", {{"a", 1}, {"b", 2}}}}},
         {"csrf", {{"secret", "the secret that signs CSRF cookies"}}},
         {"tracing", {{"headers", {{"x-team", "hunter2"}}}}},
         {"admin", {{"port", 9464}, {"token", "the-token-of-the-admin-listener-"}}},
         {"middlewares", {{{"name", "auth"}, {"options", {{"clientSecret", "s"}, {"x", 1}}}}}}},
        "default.json");
  layer({{"port", 2}, {"app", {{"depth", {{"b", 3}}}}}}, "local.json");
  const std::string text = fw::config::render_config(config, origins);
  const auto has_line = [&](const std::string& pointer, const std::string& value,
                            const std::string& origin) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string word;
      words >> word;
      if (word != pointer) continue;
      std::string rest;
      std::getline(words >> std::ws, rest);
      CHECK(rest.starts_with(value + " "));
      CHECK(rest.ends_with("  " + origin));
      return true;
    }
    return false;
  };
  CHECK(has_line("/port", "2", "local.json"));
  CHECK(has_line("/host", "\"0.0.0.0\"", "default"));
  CHECK(has_line("/app/dbPassword", "\"[Redacted]\"", "default.json"));
  CHECK(has_line("/app/store", "\"redis://[Redacted]@cache:6379/0?a=@\"", "default.json"));
  CHECK(
      has_line("/app/brokers", "\"amqp://[Redacted]@one,amqp://[Redacted]@two\"", "default.json"));
  CHECK(has_line("/app/other", "\"redis://[Redacted]@cache\"", "default.json"));
  CHECK(has_line("/app/signingKey", "\"[Redacted]\"", "default.json"));
  CHECK(has_line("/app/dsn", "\"[Redacted]\"", "default.json"));
  CHECK(has_line("/app/page", "\"https://[Redacted]@ada\"", "default.json"));
  CHECK(has_line("/app/depth/a", "1", "default.json"));
  CHECK(has_line("/app/depth/b", "3", "local.json"));
  CHECK(has_line("/middlewares",
                 R"([{"name":"auth","options":{"clientSecret":"[Redacted]","x":1}}])",
                 "default.json"));
  CHECK(has_line("/app/api-key", "\"[Redacted]\"", "default.json"));
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(has_line("/csrf/secret", "\"[Redacted]\"", "default.json"));
  CHECK(has_line("/admin/token", "\"[Redacted]\"", "default.json"));
  CHECK(has_line("/tracing/headers", R"({"x-team":"[Redacted]"})", "default.json"));
}

TEST_CASE("config: the pages of docs/ have a row for each setting") {
  const auto missing = [](const std::string& page, const std::string& below,
                          const std::string& elsewhere) {
    std::ifstream file(FAIRWAY_DOCS_DIR "/" + page);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::string names;
    for (const auto& key : fw::config::config_keys()) {
      if (!key.pointer.starts_with(below) || key.pointer.starts_with(elsewhere)) continue;
      std::string name(key.pointer.substr(below.size()));
      std::replace(name.begin(), name.end(), '/', '.');
      if (text.find("| `" + name + "` |") == std::string::npos) names += name + " ";
    }
    return names;
  };
  CHECK(missing("sessions.md", "/session/", "/session/store/") == "");
  CHECK(missing("csrf.md", "/csrf/", "/csrf/cookie/") == "");
  CHECK(missing("stores.md", "/store/", "none") == "");
  CHECK(missing("fetch.md", "/fetch/", "none") == "");
  CHECK(missing("tracing.md", "/tracing/", "none") == "");
  CHECK(missing("stores.md", "/csrf/", "/csrf/cookie/") != "");
}

TEST_CASE("config: docs/configuration.md has a row for each key, with its default") {
  std::ifstream file(FAIRWAY_DOCS_DIR "/configuration.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const Config defaults;
  for (const auto& key : fw::config::config_keys()) {
    std::string name(key.pointer.substr(1));
    std::replace(name.begin(), name.end(), '/', '.');
    if (name == "app") continue;  // in any form
    // Cookies and stores have a table each.
    for (const std::string part : {".cookie.", ".store."}) {
      if (const auto at = name.find(part); at != std::string::npos) name.erase(0, at + 1);
    }
    const std::string row = "\n| `" + name + "` | `" + key.write(defaults).dump() + "` |";
    CAPTURE(row);
    CHECK(page.find(row) != std::string::npos);
  }
}

TEST_CASE("config: what the admin listener shows has all keys, and no secrets") {
  Config config;
  config.csrf.secret = "the secret that signs CSRF cookies";
  config.cors.credentials = true;
  config.app = {{"dbPassword", "hunter2"}, {"store", "redis://ada:word@cache:6379"}};
  const Json shown = fw::config::shown_config(config);
  for (const fw::config::ConfigKey& key : fw::config::config_keys()) {
    CAPTURE(key.pointer);
    CHECK(shown.contains(Json::json_pointer(std::string(key.pointer))));
  }
  CHECK(shown["environment"] == "production");
  CHECK(shown["port"] == 3000);
  CHECK(shown["cors"]["credentials"] == true);
  CHECK(shown["csrf"]["secret"] == "[Redacted]");
  CHECK(shown["app"] ==
        Json{{"dbPassword", "[Redacted]"}, {"store", "redis://[Redacted]@cache:6379"}});
}

TEST_CASE("config: switches and numbers are printed, whatever their names") {
  Config config;
  config.cors.credentials = true;
  const std::string text = fw::config::render_config(config, {});
  CHECK(text.find("/cors/credentials                           true") != std::string::npos);
  CHECK(text.find("/server/maxCookies                          256") != std::string::npos);
}

TEST_CASE("config: session and CSRF settings are read") {
  Config config;
  fw::apply_config_layer(config, Json::parse(R"({
      "session": {"cookie": {"sameSite": "none", "secure": true, "maxAge": 0},
                  "store": {"type": "memory", "maxEntries": 5}},
      "csrf": {"mode": "signed-cookie", "origin": {"trustedOrigins": ["https://a.test"]}}})"),
                         "default.json");
  CHECK(config.session.cookie.same_site == fw::SameSite::none);
  CHECK(config.session.cookie.secure == fw::CookieSecure::always);
  CHECK(config.session.cookie.max_age == 0);
  CHECK(config.session.store.type == fw::StoreType::memory);
  CHECK(config.session.store.max_entries == 5);
  CHECK(config.csrf.mode == fw::CsrfMode::signed_cookie);
  CHECK(config.csrf.origin.enabled);
  CHECK(config.csrf.origin.trusted_origins == std::vector<std::string>{"https://a.test"});
  fw::apply_config_layer(config, {{"csrf", {{"origin", false}}}}, "local.json");
  CHECK_FALSE(config.csrf.origin.enabled);
  CHECK(layer_errors({{"session", {{"idLength", 8}}}}) ==
        Errors{"default.json: /session/idLength: expected a whole number of bytes from 16 to 128, "
               "not 8"});
  CHECK(layer_errors({{"session", {{"cookie", {{"secure", "yes"}}}}}}).size() == 1);
  CHECK(layer_errors({{"csrf", {{"origin", {{"trusted", Json::array()}}}}}}).size() == 1);
  CHECK(layer_errors({{"csrf", {{"origin", true}}}}).size() == 1);
}

TEST_CASE("config: a value of the right type that cannot work is an error of its layer") {
  const auto error_of = [](const char* text) {
    const Json layer = Json::parse(text);
    Config config;
    REQUIRE(fw::config::apply_layer(config, layer).empty());
    const auto errors = fw::config::value_errors(config, layer);
    REQUIRE(errors.size() == 1);
    return errors[0].text();
  };
  CHECK(
      error_of(R"({"cors": {"origins": ["a.test"]}})").starts_with("/cors/origins/0: 'a.test' is"));
  CHECK(error_of(R"({"cors": {"headers": ["x y"]}})") ==
        "/cors/headers/0: 'x y' is not the name of a header");
  CHECK(
      error_of(R"({"securityHeaders": {"referrerPolicy": "a\nb"}})") ==
      "/securityHeaders/referrerPolicy: the value of a header must not contain control characters");
  CHECK(error_of(R"({"securityHeaders": {"headers": {"x y": "1"}}})") ==
        "/securityHeaders/headers: 'x y' is not the name of a header");
  CHECK(error_of(R"({"securityHeaders": {"hsts": {"preload": true, "maxAge": 1}}})") ==
        "/securityHeaders/hsts: preload requires includeSubDomains, and a maxAge of at least "
        "31536000");
  CHECK(
      error_of(R"({"securityHeaders": {"contentSecurityPolicy": {"directives": {"a b": "x"}}}})") ==
      "/securityHeaders/contentSecurityPolicy: 'a b' is not the name of a directive");
  CHECK(error_of(R"({"multipart": {"allowedMimeTypes": ["png"]}})") ==
        "/multipart/allowedMimeTypes/0: 'png' is not a media type");
  CHECK(error_of(R"({"requestId": {"responseHeader": "x y"}})") ==
        "/requestId/responseHeader: 'x y' is not a valid header name");
  CHECK(error_of(R"({"accessLog": {"skipPaths": ["health"]}})") ==
        "/accessLog/skipPaths/0: 'health' must begin with /");
  CHECK(error_of(R"({"openapi": {"docsPath": "/:page"}})") ==
        "/openapi/docsPath: '/:page' must begin with / and have no parameters");
  CHECK(error_of(R"({"server": {"maxHeaderSize": "17mb"}})") ==
        "/server/maxHeaderSize: expected from 1kb to 16mb, not 17825792 bytes");
  CHECK(error_of((R"({"admin": {"socket": ")" + std::string(108, 'a') + "\"}}").c_str())
            .starts_with("/admin/socket: 'aaa"));
  CHECK(error_of(R"({"admin": {"token": "short"}})") ==
        "/admin/token: it must have 32 characters or more");
  CHECK(error_of(R"({"session": {"name": "a b"}})") ==
        "/session/name: 'a b' is not a valid cookie name");
  CHECK(error_of(R"({"csrf": {"cookie": {"path": "/;"}}})") ==
        "/csrf/cookie/path: a cookie's path cannot be '/;'");
  CHECK(error_of(R"({"session": {"cookie": {"domain": "a;b"}}})") ==
        "/session/cookie/domain: a cookie's domain cannot be 'a;b'");
  CHECK(error_of(R"({"session": {"cookie": {"priority": "a;b"}}})") ==
        "/session/cookie/priority: a cookie's priority cannot be 'a;b'");
  CHECK(error_of(R"({"csrf": {"secret": "short"}})") ==
        "/csrf/secret: it must have 32 bytes or more");
  CHECK(error_of(R"({"csrf": {"methods": ["post"]}})")
            .starts_with("/csrf/methods/0: 'post' never matches"));
  CHECK(error_of(R"({"csrf": {"origin": {"trustedOrigins": ["a.test"]}}})")
            .starts_with("/csrf/origin/trustedOrigins/0: 'a.test' is not an origin"));
  CHECK(error_of(R"({"store": {"url": "http://ada:word@a.test"}})")
            .starts_with("/store/url: the URL of the Redis server does not begin with redis://"));
  CHECK(error_of(R"({"fetch": {"propagateHeaders": ["x y"]}})") ==
        "/fetch/propagateHeaders/0: 'x y' is not a valid header name");
  CHECK(error_of(R"({"fetch": {"via": "a b"}})") ==
        "/fetch/via: 'a b' is not a name of letters, digits, '-', '.' and '_'");
  CHECK(error_of(R"({"fetch": {"proxy": [{"name": "a", "baseURL": "http://a"},
                                         {"name": "a", "baseURL": "http://b"}]}})") ==
        "/fetch/proxy/1/name: there is another target 'a'");
  CHECK(error_of(R"({"compression": {"encodings": ["deflate"]}})") ==
        "/compression/encodings/0: 'deflate' is not one of gzip, br and zstd");
  CHECK(error_of(R"({"static": [{"prefix": "/a", "root": "."}, {"prefix": "b", "root": "."}]})") ==
        "/static/1/prefix: 'b' must begin with / and have neither parameters nor //, ?, # and %");
}

TEST_CASE("config: a file that cannot be read is an error, with the reason") {
  const ConfigFolder folder({{"production.json/a", ""}});
  const std::string path = folder.path();
  const auto errors = [&] {
    return errors_of([&] { fw::load_config_from(path, {"--config", "production"}); });
  };
  CHECK(errors() == Errors{path + "/production.json: cannot be read: it is a directory"});
  std::filesystem::remove_all(path + "/production.json");
  REQUIRE(mkfifo((path + "/production.json").c_str(), 0600) == 0);
  CHECK(errors() == Errors{path + "/production.json: cannot be read: it is a pipe"});
  std::filesystem::remove(path + "/production.json");
  CHECK(errors() == Errors{path + "/production.json: no such configuration file"});
  std::filesystem::create_symlink("gone.json", path + "/production.json");
  CHECK(errors() ==
        Errors{path + "/production.json: cannot be read: it is a link to 'gone.json', which "
                      "does not exist"});
  std::filesystem::remove(path + "/production.json");
  std::filesystem::create_symlink("/dev/null", path + "/production.json");
  CHECK(errors() == Errors{path + "/production.json: cannot be read: it is not a regular file"});
}

TEST_CASE("config: list items that can never match are errors") {
  Config config;
  CHECK(fw::config::config_errors(config).empty());
  config.csrf.methods = {"POST", "post", "FETCH", ""};
  config.cors.methods = {"GET", "Patch", "*", "PROPFIND"};
  config.security_headers.skip_paths = {"widgets/*", "*", "/x"};
  config.access_log.skip_paths = {"health", "/health"};
  config.access_log.skip_path_prefixes = {"internal", "/internal"};
  CHECK(fw::config::config_errors(config) ==
        Errors{
            "configuration: /cors/methods/1: 'Patch' never matches, because methods are "
            "case-sensitive: write \"PATCH\"",
            "configuration: /securityHeaders/skipPaths/0: 'widgets/*' must begin with /",
            "configuration: /accessLog/skipPaths/0: 'health' must begin with /",
            "configuration: /accessLog/skipPathPrefixes/0: 'internal' must begin with /",
            "configuration: /csrf/methods/1: 'post' never matches, because methods are "
            "case-sensitive: write \"POST\"",
            "configuration: /csrf/methods/2: 'FETCH' is not one of GET, HEAD, POST, PUT, PATCH, "
            "DELETE, OPTIONS",
            "configuration: /csrf/methods/3: '' is not one of GET, HEAD, POST, PUT, PATCH, DELETE, "
            "OPTIONS"});
}

}  // namespace config_test
