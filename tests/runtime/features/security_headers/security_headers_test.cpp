#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "support/table_builder.hpp"

namespace security_headers_test {

namespace {

using fw::Config;
using fw::Json;
using fw::support::OneFileApp;
using fw::testing::TestApp;
using fw::testing::TestResponse;

Config config_with(Json security_headers, bool trust_proxy = false) {
  Config config = TestApp::test_config();
  config.trust_proxy = trust_proxy;
  security_headers["enabled"] = true;
  fw::apply_config_layer(config, {{"securityHeaders", std::move(security_headers)}}, "test");
  return config;
}

void routes(fw::Router& router) {
  router.get("/x", [](fw::Request&, fw::Response& res) { res.json(1); });
  router.get("/skip", {.security_headers = false},
             [](fw::Request&, fw::Response& res) { res.json(1); });
  router.get("/error", [](fw::Request&, fw::Response&) { throw std::runtime_error("e"); });
  router.get("/own", [](fw::Request&, fw::Response& res) {
    res.set_header("X-Frame-Options", "DENY").json(1);
  });
}

/// The value of a header of GET /x, or "".
std::string value_with(Json settings, const std::string& header) {
  OneFileApp app(routes, config_with(std::move(settings)));
  const TestResponse r = app.request("GET", "/x").send();
  return std::string(r.header(header).value_or(""));
}

}  // namespace

TEST_CASE("security headers: the basic preset is on every response") {
  OneFileApp app(routes, config_with({}));
  for (const char* path : {"/x", "/error", "/nowhere"}) {
    const TestResponse r = app.request("GET", path).send();
    CHECK(r.header("x-content-type-options") == "nosniff");
    CHECK(r.header("referrer-policy") == "strict-origin-when-cross-origin");
    CHECK(r.header("x-frame-options") == "SAMEORIGIN");
    for (const char* name : {"strict-transport-security", "permissions-policy",
                             "cross-origin-opener-policy", "content-security-policy"}) {
      CHECK(!r.header(name));
    }
  }
  CHECK(app.request("GET", "/own").send().header("x-frame-options") == "DENY");
  CHECK(!app.request("GET", "/skip").send().header("x-content-type-options"));
  const TestResponse preflight = app.request("OPTIONS", "/x")
                                     .header("Origin", "https://a.example")
                                     .header("Access-Control-Request-Method", "GET")
                                     .send();
  CHECK(preflight.header("x-content-type-options") == "nosniff");
}

TEST_CASE("security headers: the strict preset sends HSTS on https only") {
  OneFileApp app(routes, config_with({{"preset", "strict"}}, true));
  const TestResponse plain = app.request("GET", "/x").send();
  CHECK(!plain.header("strict-transport-security"));
  CHECK(plain.header("permissions-policy"));
  CHECK(plain.header("cross-origin-opener-policy") == "same-origin");
  CHECK(plain.header("cross-origin-resource-policy") == "same-origin");
  CHECK(!plain.header("cross-origin-embedder-policy"));
  CHECK(app.request("GET", "/x")
            .header("X-Forwarded-Proto", "https")
            .send()
            .header("strict-transport-security") == "max-age=15552000");
}

TEST_CASE("security headers: each header can be disabled, enabled or set") {
  CHECK(value_with({{"frameOptions", false}}, "x-frame-options") == "");
  CHECK(value_with({{"frameOptions", "DENY"}}, "x-frame-options") == "DENY");
  CHECK(value_with({{"frameOptions", "preset"}}, "x-frame-options") == "SAMEORIGIN");
  CHECK(value_with({{"crossOriginEmbedderPolicy", true}}, "cross-origin-embedder-policy") ==
        "require-corp");
  CHECK(value_with({{"preset", "custom"}}, "x-frame-options") == "");
  CHECK(value_with({{"preset", "custom"}, {"frameOptions", true}}, "x-frame-options") ==
        "SAMEORIGIN");
  CHECK(value_with({{"headers", {{"X-Robots-Tag", "noindex"}}}}, "x-robots-tag") == "noindex");
  CHECK(value_with({{"headers", {{"X-Frame-Options", "DENY"}}}}, "x-frame-options") == "DENY");
  const auto hsts = [](const Json& value) {
    OneFileApp app(routes, config_with({{"hsts", value}}, true));
    const TestResponse r = app.request("GET", "/x").header("X-Forwarded-Proto", "https").send();
    return std::string(r.header("strict-transport-security").value_or(""));
  };
  CHECK(hsts(true) == "max-age=15552000");
  CHECK(hsts({{"maxAge", 0}}) == "max-age=0");
  CHECK(hsts({{"maxAge", 31'536'000}, {"includeSubDomains", true}, {"preload", true}}) ==
        "max-age=31536000; includeSubDomains; preload");
}

TEST_CASE("security headers: a content security policy is a string or directives") {
  const auto csp = [](const Json& value, const std::string& suffix = "") {
    return value_with({{"contentSecurityPolicy", value}}, "content-security-policy" + suffix);
  };
  CHECK(csp("default-src 'none'") == "default-src 'none'");
  CHECK(csp(false) == "");
  CHECK(csp({{"directives",
              {{"default-src", {"'self'", "https://cdn.example"}},
               {"frameAncestors", "'none'"},
               {"upgrade-insecure-requests", true}}}}) ==
        "default-src 'self' https://cdn.example; frame-ancestors 'none'; "
        "upgrade-insecure-requests");
  const Json reported = {{"directives", "default-src 'self'"}, {"reportOnly", true}};
  CHECK(csp(reported, "-report-only") == "default-src 'self'");
  CHECK(csp(reported) == "");
}

TEST_CASE("security headers: paths are skipped exactly or by prefix") {
  OneFileApp app(routes, config_with({{"skipPaths", {"/x", "/o*"}}}));
  const auto has_headers = [&](const char* path) {
    return app.request("GET", path).send().header("x-content-type-options").has_value();
  };
  CHECK(!has_headers("/x"));
  CHECK(!has_headers("/x?a=1"));
  CHECK(has_headers("/x/y"));
  CHECK(!has_headers("/own"));
  CHECK(has_headers("/error"));
}

TEST_CASE("security headers: invalid values fail the start") {
  const auto errors = [](const Json& settings) {
    try {
      const OneFileApp app(routes, config_with(settings));
    } catch (const fw::StartupError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(errors({{"frameOptions", "DENY\r\nX: 1"}})
            .find("/securityHeaders/frameOptions: the value of a header must not "
                  "contain control characters") != std::string::npos);
  CHECK(errors({{"headers", {{"X A", "1"}}}})
            .find("/securityHeaders/headers: 'X A' is not the name of a header") !=
        std::string::npos);
  CHECK(errors({{"hsts", {{"preload", true}}}})
            .find("/securityHeaders/hsts: preload requires includeSubDomains, and "
                  "a maxAge of at least 31536000") != std::string::npos);
  CHECK(errors({{"contentSecurityPolicy", {{"directives", {{"default-src", "'self'; x"}}}}}})
            .find("''self'; x' of default-src must be one source, without ';' and ','") !=
        std::string::npos);
  CHECK(errors({{"frameOptions", 1}})
            .find("expected preset, true, false or the value of the header") != std::string::npos);
  CHECK(errors({{"hsts", {{"maxAge", -1}}}}).find("/securityHeaders/hsts: expected") !=
        std::string::npos);
  CHECK(errors({{"contentSecurityPolicy", {{"reportOnly", true}}}})
            .find("/securityHeaders/contentSecurityPolicy: expected") != std::string::npos);
}

}  // namespace security_headers_test
