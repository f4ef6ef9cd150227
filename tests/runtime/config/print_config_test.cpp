// How a configuration is printed and shown, and its rows in the documentation.
#include "config/print_config.hpp"

#include <fairway/config.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "settings/config_table.hpp"

namespace print_config_test {

namespace {

using fw::Config;
using fw::Json;

}  // namespace

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
    for (const auto& key : fw::settings::config_keys()) {
      if (!key.pointer.starts_with(below) || key.pointer.starts_with(elsewhere)) continue;
      std::string name(key.pointer.substr(below.size()));
      std::replace(name.begin(), name.end(), '/', '.');
      if (text.find("| `" + name + "` |") == std::string::npos) names += name + " ";
    }
    return names;
  };
  CHECK(missing("session.md", "/session/", "/session/store/") == "");
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
  for (const auto& key : fw::settings::config_keys()) {
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
  for (const fw::settings::ConfigKey& key : fw::settings::config_keys()) {
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

}  // namespace print_config_test
