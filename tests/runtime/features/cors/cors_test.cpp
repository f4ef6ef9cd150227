#include <doctest/doctest.h>

#include <initializer_list>
#include <stdexcept>
#include <string>

#include "base/origin.hpp"
#include "support/table_builder.hpp"

namespace cors_test {

namespace {

using fw::Config;
using fw::Json;
using fw::support::OneFileApp;
using fw::testing::TestApp;
using fw::testing::TestResponse;

Config config_with(const Json& layer) {
  Config config = TestApp::test_config();
  fw::apply_config_layer(config, layer, "test");
  return config;
}

void respond(fw::Request&, fw::Response& res) { res.json({{"ok", true}}); }

TestResponse send(TestApp& app, const char* method, const char* path, const char* origin) {
  return app.request(method, path).header("Origin", origin).send();
}

TestResponse preflight(TestApp& app, const char* path, const char* origin, const char* method) {
  return app.request("OPTIONS", path)
      .header("Origin", origin)
      .header("Access-Control-Request-Method", method)
      .send();
}

constexpr const char* kAllowOrigin = "access-control-allow-origin";

}  // namespace

TEST_CASE("origins: parsed and normalised as browsers send them") {
  using fw::base::parse_origin;
  CHECK(parse_origin("https://App.Example") == "https://app.example");
  CHECK(parse_origin("https://a.example:443") == "https://a.example");
  CHECK(parse_origin("http://a.example:80") == "http://a.example");
  CHECK(parse_origin("http://a.example:443") == "http://a.example:443");
  CHECK(parse_origin("http://[::1]:3000") == "http://[::1]:3000");
  CHECK(parse_origin("http://[::1]") == "http://[::1]");
  CHECK(parse_origin("capacitor://localhost") == "capacitor://localhost");
  for (const char* text : {"",
                           "*",
                           "null",
                           "a.example",
                           "https://",
                           "://a",
                           "https://a/",
                           "https://a/b",
                           "https://a b",
                           "https://u@a",
                           "https://a:0",
                           "https://a:65536",
                           "https://a:",
                           "https://a:80:80",
                           "https://[::1",
                           "https://[]",
                           "https://a?b",
                           "1http://a",
                           "https://*.a.example",
                           "https://a, https://b"}) {
    CAPTURE(text);
    CHECK(!parse_origin(text));
  }
}

TEST_CASE("cors: by default every origin may read responses, without credentials") {
  OneFileApp app([](fw::Router& router) {
    router.get("/x", respond);
    router.get("/error", [](fw::Request&, fw::Response&) { throw std::runtime_error("e"); });
  });
  for (const char* path : {"/x", "/error", "/nowhere"}) {
    const TestResponse r = send(app, "GET", path, "https://a.example");
    CHECK(r.header(kAllowOrigin) == "*");
    CHECK(r.header("vary") == "Origin");
    CHECK(!r.header("access-control-allow-credentials"));
    CHECK(!r.header("access-control-allow-methods"));
  }
  CHECK(send(app, "POST", "/x", "https://a.example").header(kAllowOrigin) == "*");  // 405
  const TestResponse same_site = app.request("GET", "/x").send();
  CHECK(!same_site.header(kAllowOrigin));
  CHECK(same_site.header("vary") == "Origin");
}

TEST_CASE("cors: listed origins match in any notation of the configuration") {
  OneFileApp app([](fw::Router& router) { router.get("/x", respond); },
                 config_with({{"cors",
                               {{"origins", {"https://A.example:443", "http://b.example:8080"}},
                                {"credentials", true}}}}));
  for (const char* origin : {"https://a.example", "http://b.example:8080"}) {
    const TestResponse r = send(app, "GET", "/x", origin);
    CHECK(r.header(kAllowOrigin) == origin);
    CHECK(r.header("access-control-allow-credentials") == "true");
    CHECK(r.header("vary") == "Origin");
  }
  for (const char* origin : {"http://a.example", "https://a.example.evil", "https://b.example:8080",
                             "http://b.example", "null", "", "*", "https://a.example, null"}) {
    CAPTURE(origin);
    const TestResponse r = send(app, "GET", "/x", origin);
    CHECK(r.status == 200);
    CHECK(!r.header(kAllowOrigin));
    CHECK(!r.header("access-control-allow-credentials"));
    CHECK(r.header("vary") == "Origin");
  }
  const TestResponse rejected = preflight(app, "/x", "https://c.example", "GET");
  CHECK(rejected.status == 204);
  CHECK(!rejected.header(kAllowOrigin));
  CHECK(!rejected.header("access-control-allow-methods"));
}

TEST_CASE("cors: Vary and origin headers of the application are kept") {
  OneFileApp app([](fw::Router& router) {
    router.get("/x", [](fw::Request&, fw::Response& res) {
      res.set_header("Vary", "accept-language")
          .set_header("Access-Control-Allow-Origin", "https://mine.example")
          .json(1);
    });
  });
  const TestResponse r = send(app, "GET", "/x", "https://a.example");
  CHECK(r.header(kAllowOrigin) == "https://mine.example");
  std::string vary;
  for (const auto& [name, value] : r.headers) {
    if (name == "Vary" || name == "vary") vary += value + ";";
  }
  CHECK(vary == "accept-language, Origin;");
}

TEST_CASE("cors: any origin with credentials is echoed, because browsers reject the wildcard") {
  auto sink = std::make_shared<fw::support::RecordingSink>();
  OneFileApp app([](fw::Router& router) { router.get("/x", respond); },
                 config_with({{"cors", {{"credentials", true}}}}),
                 [&](fw::App& a) { a.set_logger(fw::Logger(sink, fw::LogLevel::warn)); });
  const TestResponse r = send(app, "GET", "/x", "https://a.example");
  CHECK(r.header(kAllowOrigin) == "https://a.example");
  CHECK(r.header("access-control-allow-credentials") == "true");
  CHECK(!send(app, "GET", "/x", "no origin").header(kAllowOrigin));
  REQUIRE(sink->messages().size() == 1);
  CHECK(sink->messages().front() ==
        "src/routes/index.cpp:10: GET /x allows credentials for the origins [\"*\"], so that every "
        "site can act as the user who visits it; list the origins in cors.origins");
}

TEST_CASE("cors: a preflight uses the settings of the requested route") {
  OneFileApp app([](fw::Router& router) {
    router.get("/x", {.override_ = {.cors = {.origins = {"https://get.example"}, .max_age = 5}}},
               respond);
    router.put("/x",
               {.override_ = {.cors = {.origins = {"https://put.example"},
                                       .methods = {"PUT"},
                                       .headers = {"X-A", "X-B"},
                                       .credentials = true}}},
               respond);
    router.del("/x", {.override_ = {.cors = {.enabled = false}}}, respond);
    router.post("/y", respond);
  });
  const TestResponse put = preflight(app, "/x", "https://put.example", "PUT");
  CHECK(put.status == 204);
  CHECK(put.body.empty());
  CHECK(put.header(kAllowOrigin) == "https://put.example");
  CHECK(put.header("access-control-allow-credentials") == "true");
  CHECK(put.header("access-control-allow-methods") == "PUT");
  CHECK(put.header("access-control-allow-headers") == "X-A, X-B");
  CHECK(put.header("access-control-max-age") == "86400");
  CHECK(!preflight(app, "/x", "https://get.example", "PUT").header(kAllowOrigin));

  for (const char* method : {"GET", "HEAD", "PATCH"}) {  // a HEAD route is the GET route's
    const TestResponse get = preflight(app, "/x", "https://get.example", method);
    CHECK(get.status == 204);
    CHECK(get.header(kAllowOrigin) == "https://get.example");
    CHECK(get.header("access-control-max-age") == "5");
    CHECK(get.header("access-control-allow-methods") ==
          "GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS");
  }

  // Not a preflight for this route: OPTIONS without a route.
  const TestResponse off = preflight(app, "/x", "https://get.example", "DELETE");
  CHECK(off.status == 204);
  CHECK(off.header("allow"));
  CHECK(!off.header("access-control-allow-methods"));

  CHECK(preflight(app, "/y", "https://a.example", "POST").header(kAllowOrigin) == "*");
  CHECK(preflight(app, "/nowhere", "https://a.example", "POST").status == 404);
}

TEST_CASE("cors: OPTIONS without Origin or requested method is an ordinary request") {
  OneFileApp app([](fw::Router& router) {
    router.options("/x", [](fw::Request&, fw::Response& res) { res.json("options"); });
    router.put("/off", {.override_ = {.cors = {.enabled = false}}}, respond);
    router.options("/off", respond);
  });
  CHECK(send(app, "OPTIONS", "/x", "https://a.example").json()["data"] == "options");
  CHECK(app.request("OPTIONS", "/x").header("Access-Control-Request-Method", "GET").send().status ==
        200);
  // The OPTIONS route speaks for itself, not for a PUT that is not shared.
  const TestResponse off = preflight(app, "/off", "https://a.example", "PUT");
  CHECK(off.status == 200);
  CHECK(!off.header("access-control-allow-methods"));
}

TEST_CASE("cors: a route can enable it if it is disabled globally") {
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/off", respond);
        router.get("/still-off", {.override_ = {.cors = {.origins = {"https://a.example"}}}},
                   respond);
        router.get("/on",
                   {.override_ = {.cors = {.enabled = true, .origins = {"https://a.example"}}}},
                   respond);
      },
      config_with({{"cors", {{"enabled", false}}}}));
  for (const char* path : {"/off", "/still-off", "/nowhere"}) {
    const TestResponse r = send(app, "GET", path, "https://a.example");
    CHECK(!r.header(kAllowOrigin));
    CHECK(!r.header("vary"));
  }
  CHECK(send(app, "GET", "/on", "https://a.example").header(kAllowOrigin) == "https://a.example");
  CHECK(preflight(app, "/on", "https://a.example", "GET").header("access-control-allow-methods"));
}

}  // namespace cors_test
