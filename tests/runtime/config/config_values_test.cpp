// The values of settings: how they are read, and which are errors.
#include <fairway/config.hpp>
#include <fairway/errors.hpp>

#include <doctest/doctest.h>

#include "config/config_errors.hpp"
#include "config/config_layers.hpp"
#include "config/print_config.hpp"
#include "settings/settings_file.hpp"

namespace config_values_test {

namespace {

using fw::Config;
using fw::Json;
using fw::config::test::Errors;
using fw::config::test::layer_errors;

}  // namespace

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

TEST_CASE("config: sizes are parsed with their units") {
  const auto bytes = [](const char* text) { return fw::ByteSize(text).bytes(); };
  CHECK(bytes("10") == 10);
  CHECK(bytes("1KB") == 1024);
  CHECK(bytes(" 1.5 mb ") == 1'572'864);
  CHECK_THROWS_WITH(
      bytes("huge"),
      "'huge' is not a size; write a number of bytes, or a number with b, kb, mb or gb");
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
    REQUIRE(fw::settings::apply_layer(config, layer).empty());
    const auto errors = fw::settings::value_errors(config, layer);
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

}  // namespace config_values_test
