// The layers of a configuration: files, environment, flags and code.
#include <fairway/config.hpp>
#include <fairway/errors.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>

#include "config/config_errors.hpp"
#include "config/config_layers.hpp"
#include "settings/config_table.hpp"

namespace config_test {

namespace {

using fw::Config;
using fw::Json;
using fw::config::test::ConfigFolder;
using fw::config::test::EnvironmentVariable;
using fw::config::test::Errors;
using fw::config::test::errors_of;
using fw::config::test::layer_errors;

}  // namespace

TEST_CASE("config: every key is read and written through the table") {
  const Config defaults;
  for (const auto& key : fw::settings::config_keys()) {
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
  // A key of another object: the outermost one, if it is the only one there.
  CHECK(layer_errors(Json::parse(R"({
      "server": {"port": 1, "prot": 1, "level": 1, "enabled": true},
      "redactKeys": [], "logger": {"tls": {}, "wrap": true}, "http": {"port": 1}})")) ==
        Errors{
            "default.json: /http: unknown key",
            "default.json: /logger/tls: unknown key",  // /server/tls or /fetch/tls
            "default.json: /logger/wrap: unknown key; did you mean /response/wrap?",
            "default.json: /redactKeys: unknown key; did you mean /logger/redactKeys?",
            "default.json: /server/enabled: unknown key",
            "default.json: /server/level: unknown key",
            "default.json: /server/port: unknown key; did you mean /port?",
            "default.json: /server/prot: unknown key",
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

}  // namespace config_test
