// Each page's examples do what the page says of them.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "csv_body.hpp"
#include "identity.hpp"
#include "limits.hpp"
#include "own_limiter.hpp"
#include "pages_client.hpp"
#include "session_store.hpp"

namespace {

using fw::testing::TestApp;
using fw::testing::TestResponse;

fw::Config config_of(const std::string& page) {
  fw::Config config = TestApp::test_config();
  std::ifstream file(DOCS_PAGES_CONFIG "/" + page + ".json");
  REQUIRE(file.good());
  fw::apply_config_layer(config, fw::Json::parse(file), page);
  return config;
}

TestResponse get(TestApp& app, const char* path, const char* origin) {
  return app.request("GET", path).header("Origin", origin).send();
}

/// A client that keeps its one cookie.
struct Browser {
  TestApp& app;
  std::string cookie = {};

  TestResponse send(const std::string& method, const std::string& target,
                    const fw::Json& body = nullptr, const std::string& token = "") {
    auto request = app.request(method, target);
    if (!cookie.empty()) request.header("Cookie", cookie);
    if (!token.empty()) request.header("x-csrf-token", token);
    if (!body.is_null()) request.json(body);
    TestResponse response = request.send();
    if (const auto set = response.header("set-cookie")) cookie = set->substr(0, set->find(';'));
    return response;
  }
};

}  // namespace

TEST_CASE("docs/cors.md") {
  TestApp app(fairway_app(), config_of("cors"));
  const char* const allow = "access-control-allow-origin";
  CHECK(get(app, "/embed/preview", "https://app.example").header(allow) == "https://app.example");
  CHECK(!get(app, "/embed/preview", "https://partner.example").header(allow));
  CHECK(get(app, "/partners/prices", "https://partner.example").header(allow) ==
        "https://partner.example");
  CHECK(!get(app, "/partners/internal", "https://app.example").header(allow));
}

TEST_CASE("docs/security-headers.md") {
  TestApp app(fairway_app(), config_of("security-headers"));
  const TestResponse r = app.request("GET", "/partners/prices").send();
  CHECK(r.header("x-frame-options") == "DENY");
  CHECK(r.header("cross-origin-opener-policy") == "same-origin");
  CHECK(r.header("content-security-policy") ==
        "default-src 'self'; frame-ancestors 'none'; img-src 'self' https://images.example");
  CHECK(!app.request("GET", "/widgets/clock").send().header("x-frame-options"));
  CHECK(!app.request("GET", "/embed/player").send().header("x-frame-options"));
  CHECK(app.request("GET", "/embed/preview").send().header("x-frame-options") == "SAMEORIGIN");
}

TEST_CASE("docs/rate-limit.md") {
  TestApp app(fairway_app(), config_of("rate-limit"));
  CHECK(app.request("GET", "/partners/prices").send().header("ratelimit-limit") == "100");
  const TestResponse login = app.request("POST", "/login").send();
  CHECK(login.header("ratelimit-remaining") == "4");
  CHECK(login.header("ratelimit-reset") == "900");
  CHECK(!app.request("GET", "/login/health").send().header("ratelimit-limit"));

  fw::Config by_customer = config_of("rate-limit");
  by_customer.rate_limit.max = 1;
  limit_by_customer(by_customer);
  TestApp customers(fairway_app(), by_customer);
  const auto status = [&](const char* customer) {
    return customers.request("GET", "/partners/prices")
        .header("x-customer", customer)
        .send()
        .status;
  };
  CHECK(status("a") == 200);
  CHECK(status("a") == 429);
  CHECK(status("b") == 200);

  TestApp closed(fairway_app(), config_of("rate-limit"), close_for_maintenance);
  CHECK(closed.request("GET", "/partners/prices").send().header("retry-after") == "60");
}

TEST_CASE("docs/uploads.md") {
  TestApp app(fairway_app(), config_of("uploads"),
              [](fw::App& application) { application.use(parse_csv); });
  const auto upload = [&](const std::string& type, const std::string& content) {
    return app.request("POST", "/avatars").file("avatar", "me.png", content, type).send();
  };
  const TestResponse accepted = upload("image/png", "PNG");
  CHECK(accepted.status == 201);
  CHECK(accepted.json()["data"] == fw::Json{{"name", "me.png"}, {"size", 3}});
  CHECK(upload("text/html", "<p>").status == 415);
  CHECK(upload("image/png", std::string(520 * 1024, 'x')).status == 413);
  CHECK(upload("image/png", std::string(601 * 1024, 'x')).json()["message"] == "Payload Too Large");
  // The middleware parses what the framework does not.
  CHECK(
      app.request("POST", "/login").header("Content-Type", "text/csv").body("a,b").send().status ==
      200);
}

TEST_CASE("docs/uploads.md: the generated clients upload") {
  fw::Config config = config_of("uploads");
  config.host = "127.0.0.1";
  config.port = 0;
  fw::App app(config);
  app.mount(fairway_app());
  app.start();
  pages_api::PagesClient client({.base_url = app.address()});
  const std::string content("\0\r\n--PNG", 8);
  const auto created = client.createAvatars(
      {.form = {
           .avatar = {.content = content, .filename = "größe.png", .content_type = "image/png"}}});
  CHECK(created.dump() == R"({"name":"größe.png","size":8})");
  CHECK_THROWS_AS(client.createAvatars({.form = {.avatar = {.content = "t",
                                                            .filename = "t.txt",
                                                            .content_type = "text/plain"}}}),
                  pages_api::ApiError);
  const std::string command = UPLOAD_COMMAND " " + app.address() + " " TYPESCRIPT_CLIENT;
  CHECK(std::system(command.c_str()) == 0);
  app.stop();
}

TEST_CASE("docs/sessions.md") {
  TestApp app(fairway_app(), config_of("sessions"), identify_by_session);
  Browser browser{app};
  CHECK(browser.send("GET", "/account/visits").json()["data"] ==
        fw::Json{{"visits", 1}, {"isNew", true}});
  CHECK(browser.send("GET", "/account/visits").json()["data"] ==
        fw::Json{{"visits", 2}, {"isNew", false}});
  CHECK(browser.send("GET", "/account/me").status == 401);
  const auto sign_in = [&](const char* password) {
    return browser.send("POST", "/account/sign-in", {{"name", "ada"}, {"password", password}});
  };
  CHECK(sign_in("wrong").status == 401);
  const std::string before = browser.cookie;
  CHECK(sign_in("lovelace").status == 200);
  CHECK(browser.cookie != before);
  CHECK(browser.send("GET", "/account/me").json()["data"] == fw::Json{{"name", "ada"}});
  CHECK(browser.send("GET", "/account/visits").json()["data"]["visits"] == 3);
  CHECK(browser.send("POST", "/account/sign-out").status == 204);
  CHECK(browser.cookie == "fw.sid=");
  CHECK(browser.send("GET", "/account/me").status == 401);
}

TEST_CASE("docs/csrf.md") {
  TestApp app(fairway_app(), config_of("csrf"));
  Browser browser{app};
  const std::string token = browser.send("GET", "/notes/token").json()["data"]["token"];
  const fw::Json note = {{"text", "hello"}};
  CHECK(browser.send("POST", "/notes", note).json()["code"] == "CSRF_TOKEN_MISSING");
  CHECK(browser.send("POST", "/notes", note, token).status == 204);
  CHECK(browser.send("POST", "/notes/webhook").status == 204);
}

TEST_CASE("docs/stores.md") {
  const fw::Config config = config_of("stores");
  CHECK(config.store.type == fw::StoreType::redis);
  CHECK(config.rate_limit.store.type == fw::StoreType::memory);
  TestApp app(fairway_app(), config_of("sessions"), keep_few_sessions);
  Browser browser{app};
  browser.send("GET", "/account/visits");
  CHECK(browser.send("GET", "/account/visits").json()["data"]["visits"] == 2);
}
