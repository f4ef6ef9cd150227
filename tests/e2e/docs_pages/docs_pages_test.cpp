// Each page's examples do what the page says of them.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "csv_body.hpp"
#include "identity.hpp"
#include "limits.hpp"
#include "own_limiter.hpp"
#include "pages_client.hpp"
#include "postgres_server.hpp"
#include "services/postgres.hpp"
#include "session_store.hpp"
#include "tokens.hpp"

namespace docs_pages_test {

namespace {

using fw::testing::TestApp;
using fw::testing::TestResponse;

/// The configuration that a page shows, with the middlewares that the examples of all pages use.
fw::Config config_of(const std::string& page) {
  fw::Config config = TestApp::test_config();
  for (const std::string& name : {std::string("middlewares"), page}) {
    std::ifstream file(DOCS_PAGES_CONFIG "/" + name + ".json");
    REQUIRE(file.good());
    fw::apply_config_layer(config, fw::Json::parse(file), name);
  }
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

TEST_CASE("docs/routing.md: requests reach the routes of the page") {
  TestApp app(fairway_app(), config_of("middlewares"));
  const auto data = [&](const char* target) {
    const TestResponse response = app.request("GET", target).send();
    CHECK(response.status == 200);
    return response.json().at("data");
  };
  using Json = fw::Json;
  CHECK(data("/library/") == Json{{"books", 2}});
  CHECK(data("/Library/Latest") == Json{{"id", "emma"}});
  CHECK(data("/library/Emma%20W") == Json{{"id", "Emma W"}});
  CHECK(data("/library/emma/pages/12.txt") == Json{{"page", "12"}, {"format", "txt"}});
  CHECK(data("/library/emma/files/a/../b") == Json{{"path", "a/../b"}});
  CHECK(data("/library/emma/files") == Json{{"path", ""}});
  CHECK(data("/v1/library") == Json{{"books", 2}});
  CHECK(data("/reports/2024?format=short&tag=a&tag=b") ==
        Json{{"year", 2024}, {"tags", {"a", "b"}}});
  CHECK(app.request("GET", "/reports/1999").send().status == 400);
  CHECK(app.request("GET", "/reports/2024?format=x").send().status == 422);
  CHECK(app.request("DELETE", "/library/emma").send().status == 204);
  CHECK(app.request("HEAD", "/library").send().status == 200);
  const TestResponse other = app.request("POST", "/library").send();
  CHECK(other.status == 405);
  CHECK(other.header("allow") == "GET, HEAD, OPTIONS");
  CHECK(app.request("OPTIONS", "/library").send().status == 204);
  CHECK(app.request("GET", "/library/a/b").send().status == 404);
}

TEST_CASE("docs/pages.md: pages have their data, titles and cache") {
  TestApp app(fairway_app(), config_of("middlewares"));
  const auto page = [&](const char* target) { return app.request("GET", target).send(); };
  const auto has = [](const TestResponse& response, std::string_view part) {
    return response.body.find(part) != std::string::npos;
  };
  const TestResponse list = page("/posts");
  CHECK(list.header("content-type") == "text/html; charset=utf-8");
  CHECK(has(list, "<main id=\"content\">"));
  CHECK(has(list, "<title>Posts</title>"));
  CHECK(has(list, "<meta name=\"description\" content=\"All posts\">"));
  CHECK(has(list, "  <li><a href=\"/posts/tea\">Tea &amp; scones</a></li>\n"));
  CHECK_FALSE(has(list, "<script"));
  const TestResponse drafts = page("/posts/drafts");
  CHECK(drafts.status == 203);
  CHECK(has(drafts, "<p>There are none yet.</p>"));
  CHECK(has(drafts, "<meta name=\"robots\" content=\"noindex\">"));
  CHECK(page("/posts/newest").header("x-cache") == "MISS");
  CHECK(page("/posts/newest").header("x-cache") == "HIT");
  app.app().cache().erase("GET /posts/newest");
  CHECK(page("/posts/newest").header("x-cache") == "MISS");
  const TestResponse board = page("/posts/board");
  CHECK(has(board, "id=\"page-data\">{\"posts\":[{\"slug\":\"tea\","));
  CHECK_FALSE(has(board, "<p>"));
  const TestResponse tea = page("/posts/tea");
  CHECK(has(tea, "<h1>Tea &amp; scones</h1>"));
  CHECK(has(tea, "A post about “tea”."));
  CHECK(has(tea, "<title>Tea &amp; scones – Posts</title>"));
  CHECK(page("/posts/coffee").status == 404);
  CHECK(has(page("/people"), "<ul><li>Ada</li></ul>"));
}

TEST_CASE("docs/responses.md: each function sends what the page shows") {
  TestApp app(fairway_app(), config_of("middlewares"));
  const auto get_from = [&](const char* target) { return app.request("GET", target).send(); };
  const fw::Json body = get_from("/examples/json").json();
  CHECK(body["code"] == 0);
  CHECK(body["data"] == fw::Json{{"number", 42}});
  CHECK(body["requestId"].is_string());
  CHECK(app.request("POST", "/examples/json").send().status == 201);
  CHECK(get_from("/examples/text").body == "forty-two");
  CHECK(get_from("/examples/lines").body == "1\n2\n3\n");
  const TestResponse report = get_from("/examples/report");
  CHECK(report.body == "1\n2\n");
  CHECK(report.header("cache-control") == "no-store");
  CHECK(report.header("content-disposition") == "attachment; filename=\"report.txt\"");
  CHECK(get_from("/examples/elsewhere").status == 302);
  CHECK(get_from("/examples/elsewhere").header("location") == "/examples/json");
  CHECK(app.request("DELETE", "/examples").send().status == 204);
  fw::Config bare = config_of("middlewares");
  bare.response.wrap = false;
  TestApp unwrapped(fairway_app(), bare);
  CHECK(unwrapped.request("GET", "/examples/json").send().json() == fw::Json{{"number", 42}});
}

TEST_CASE("docs/middlewares.md: middlewares run before and after handlers") {
  TestApp app(fairway_app(), config_of("middlewares"));
  const TestResponse missing = app.request("GET", "/exports").send();
  CHECK(missing.status == 400);
  CHECK(missing.json()["message"] == "the header x-team is missing");
  const TestResponse response = app.request("GET", "/exports").header("x-team", "a").send();
  CHECK(response.status == 200);
  CHECK(response.header("x-before") == "1");
  CHECK(response.header("x-after") == "200");
  CHECK(app.request("POST", "/counter").send().json()["data"]["count"] == 1);
  CHECK(app.request("POST", "/counter").send().json()["data"]["count"] == 2);
  fw::Config without = config_of("middlewares");
  without.middlewares.clear();
  CHECK_THROWS_AS(TestApp(fairway_app(), without), fw::StartupError);
}

TEST_CASE("docs/auth.md: a route requires the permissions that it declares") {
  TestApp app(fairway_app(), config_of("middlewares"), identify_by_token);
  const auto status = [&](const char* method, const char* target, const std::string& token) {
    auto request = app.request(method, target);
    if (!token.empty()) request.header("Authorization", "Bearer " + token);
    return request.send().status;
  };
  CHECK(status("GET", "/articles", "") == 200);
  CHECK(status("GET", "/articles/drafts", "") == 401);
  CHECK(status("GET", "/articles/drafts", "guess") == 401);
  CHECK(status("GET", "/articles/drafts", "rita-token") == 200);
  CHECK(status("POST", "/articles", "rita-token") == 403);
  CHECK(status("POST", "/articles", "ed-token") == 201);
}

TEST_CASE("docs/validation.md: invalid requests get the errors of the page") {
  TestApp app(fairway_app(), config_of("middlewares"));
  const fw::Json valid = {{"name", "Ada"},
                          {"email", "ada@example.com"},
                          {"address", {{"city", "Oslo"}}},
                          {"guests", {{{"name", "Bo"}}}}};
  const auto sign_up = [&](const char* target, const fw::Json& body) {
    return app.request("POST", target).json(body).send();
  };
  CHECK(sign_up("/signups/party?seats=2", valid).json()["data"] ==
        fw::Json{{"seats", 2}, {"guests", 1}, {"source", "web"}});
  const auto by_phone =
      app.request("POST", "/signups/party").json(valid).header("x-source", "phone").send();
  CHECK(by_phone.json()["data"]["source"] == "phone");
  CHECK(sign_up("/signups/party", valid).json()["data"]["seats"] == 1);
  CHECK(sign_up("/signups/no", valid) == 400);
  CHECK(sign_up("/signups/party?seats=11", valid) == 422);
  fw::Json invalid = valid;
  invalid["email"] = "ada";
  invalid["guests"][0]["age"] = -1;
  fw::Json shown;
  std::ifstream(DOCS_PAGES_CONFIG "/validation.json") >> shown;
  const fw::Json errors = sign_up("/signups/party", invalid).json();
  CHECK(errors["errors"] == shown["errors"]);
  CHECK(errors["message"] == shown["message"]);
  CHECK(errors["code"] == shown["code"]);
  invalid = valid;
  invalid.erase("address");
  invalid["nickname"] = "Countess";
  CHECK(sign_up("/signups/party", invalid) == 201);
}

TEST_CASE("docs/types.md: handlers read and send their types") {
  TestApp app(fairway_app(), config_of("middlewares"));
  using Json = fw::Json;
  const Json parcel = Json::parse(R"({
    "weights": [2.5, 1.0], "destination": {"kind": "doorstep", "street": "High Street 1"}
  })");
  const TestResponse sent = app.request("POST", "/parcels").json(parcel).send();
  CHECK(sent.status == 201);
  Json stored = parcel;
  stored["speed"] = "standard";
  stored["id"] = 7;
  CHECK(sent.json().at("data") == stored);

  const Json wrong = {{"weights", Json::array()}, {"destination", {{"kind", "locker"}}}};
  const TestResponse rejected = app.request("POST", "/parcels").json(wrong).send();
  CHECK(rejected.status == 422);
  const Json errors = rejected.json().at("errors");
  Json fields;
  for (const Json& error : errors) fields.push_back(error.at("field"));
  CHECK(fields == Json{"weights", "destination/code"});

  const auto status = [&](const char* method, const char* target) {
    return app.request(method, target).send().status;
  };
  CHECK(app.request("GET", "/parcels").send().json().at("data").size() == 1);
  CHECK(app.request("GET", "/parcels?speed=express").send().json().at("data").empty());
  CHECK(status("GET", "/parcels?limit=101") == 422);
  CHECK(status("GET", "/parcels/7") == 200);
  const TestResponse moved = app.request("GET", "/parcels/1").send();
  CHECK(moved.status == 410);
  CHECK(moved.json().at("data") == Json{{"url", "/archive/1"}});
  CHECK(status("GET", "/parcels/8") == 404);
  CHECK(status("GET", "/parcels/0") == 400);
  CHECK(status("DELETE", "/parcels/7") == 204);
}

TEST_CASE("docs/errors.md: errors have their status, code and fields") {
  TestApp app(fairway_app(), config_of("middlewares"));
  const auto get_from = [&](const char* target) { return app.request("GET", target).send(); };
  CHECK(get_from("/bookings/missing") == 404);
  CHECK(get_from("/bookings/missing").json()["code"] == 404);
  fw::Json shown;
  std::ifstream(DOCS_PAGES_CONFIG "/errors.json") >> shown;
  const TestResponse conflict = get_from("/bookings/conflict");
  CHECK(conflict == 409);
  fw::Json body = conflict.json();
  shown.erase("requestId");
  body.erase("requestId");
  CHECK(body == shown);
  CHECK(get_from("/bookings/fields") == 422);
  CHECK(get_from("/bookings/fields").json()["errors"][0]["field"] == "name");
}

TEST_CASE("docs/mcp-endpoint.md: a tool has the result of its route") {
  TestApp app(fairway_app(), config_of("middlewares"));
  const auto ask = [&](const fw::Json& params) {
    return app.request("POST", "/mcp")
        .json({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", params}})
        .send()
        .json()["result"];
  };
  const fw::Json read = ask({{"name", "readMemo"}, {"arguments", {{"param", {{"id", 7}}}}}});
  CHECK(read["structuredContent"]["data"]["text"] == "Buy milk");
  const fw::Json missing = ask({{"name", "readMemo"}, {"arguments", {{"param", {{"id", 10}}}}}});
  CHECK(missing["isError"] == true);
  CHECK(missing["_meta"]["status"] == 404);
}

TEST_CASE("docs/streaming.md: events and files are streamed") {
  TestApp app(fairway_app(), config_of("middlewares"));
  const TestResponse events = app.request("GET", "/feeds/countdown").send();
  CHECK(events.body == "data: 3\n\ndata: 2\n\ndata: 1\n\n");
  CHECK(events.header("content-type") == "text/event-stream");
  const fairway::test::TemporaryDirectory folder;
  folder.write("files/2024/may.csv", "a,b\n");
  folder.write("secret.csv", "c,d\n");
  std::filesystem::current_path(folder.path());
  const TestResponse report = app.request("GET", "/feeds/files/2024/may.csv").send();
  CHECK(report.body == "a,b\n");
  CHECK(report.header("content-disposition") == "attachment; filename=\"report.csv\"");
  CHECK(app.request("GET", "/feeds/files/../secret.csv").send() == 404);
  std::filesystem::current_path("/");
}

TEST_CASE("docs/databases.md: SQLite") {
  TestApp app(fairway_app(), config_of("middlewares"));
  CHECK(app.request("POST", "/books").json({{"title", "Emma"}}).send() == 201);
  CHECK(app.request("POST", "/books").json({{"title", ""}}).send() == 422);
  CHECK(app.request("GET", "/books").send().json()["data"] ==
        fw::Json::array({{{"id", 1}, {"title", "Emma"}}}));
}

TEST_CASE("docs/databases.md: PostgreSQL") {
  fairway::test::PostgresServer server;
  std::ostringstream tables;
  tables << std::ifstream(DOCS_PAGES_TABLES).rdbuf();
  {
    pqxx::connection connection(server.url());
    pqxx::work transaction(connection);
    transaction.exec(tables.str());
    transaction.commit();
  }
  fw::Config config = config_of("middlewares");
  config.app = {{"databaseUrl", server.url()}, {"databaseConnections", 1}};
  TestApp app(fairway_app(), config);
  const auto create = [&](const std::string& customer, int cents) {
    return app.request("POST", "/invoices").json({{"customer", customer}, {"cents", cents}}).send();
  };
  const std::string name = "Robert'); DROP TABLE invoices;--";
  const TestResponse created = create(name, 1250);
  CHECK(created == 201);
  CHECK(created.json()["data"] == fw::Json{{"id", 1}, {"customer", name}, {"cents", 1250}});
  CHECK(app.request("GET", "/invoices/1").send().json()["data"]["cents"] == 1250);
  CHECK(app.request("GET", "/invoices/2").send() == 404);
  const TestResponse free = create("Ada", 0);
  CHECK(free == 409);
  CHECK(free.json()["code"] == "NOT_POSITIVE");
  CHECK(create("Ada", 5) == 201);  // the failed transaction has been rolled back
}

TEST_CASE("docs/databases.md: a database that is down") {
  fw::Config config = config_of("middlewares");
  config.app = {{"databaseUrl", "host=/nonexistent dbname=none"}};
  TestApp app(fairway_app(), config);
  const TestResponse response = app.request("GET", "/invoices/1").send();
  CHECK(response == 500);
  CHECK(response.body.find("nonexistent") == std::string::npos);
}

TEST_CASE("docs/migrating.md: a migrated route knows its user") {
  TestApp app(fairway_app(), config_of("middlewares"), identify_by_token);
  const auto place = [&](int quantity) {
    return app.request("POST", "/users/7/orders")
        .header("Authorization", "Bearer rita-token")
        .json({{"quantity", quantity}})
        .send();
  };
  CHECK(place(2) == 201);
  CHECK(place(2).json()["data"] == fw::Json{{"user", 7}, {"quantity", 2}});
  CHECK(place(0) == 422);
  CHECK(app.request("POST", "/users/7/orders").json({{"quantity", 2}}).send() == 401);
}

TEST_CASE("docs/cors.md: routes allow the origins that they declare") {
  TestApp app(fairway_app(), config_of("cors"));
  const char* const allow = "access-control-allow-origin";
  CHECK(get(app, "/embed/preview", "https://app.example").header(allow) == "https://app.example");
  CHECK(!get(app, "/embed/preview", "https://partner.example").header(allow));
  CHECK(get(app, "/partners/prices", "https://partner.example").header(allow) ==
        "https://partner.example");
  CHECK(!get(app, "/partners/internal", "https://app.example").header(allow));
}

TEST_CASE("docs/security-headers.md: routes change the fields of the configuration") {
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

TEST_CASE("docs/rate-limit.md: requests count by route and by customer") {
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
  const auto status = [&](const char* api_key) {
    auto request = customers.request("GET", "/partners/prices");
    if (*api_key != '\0') request.header("x-api-key", api_key);
    return request.send().status;
  };
  CHECK(status("4f1c") == 200);
  CHECK(status("4f1c") == 429);
  // Requests without a key or with an unknown one count by address.
  CHECK(status("") == 200);
  CHECK(status("") == 429);
  CHECK(status("a") == 429);
  CHECK(status("b") == 429);

  TestApp closed(fairway_app(), config_of("rate-limit"), close_for_maintenance);
  CHECK(closed.request("GET", "/partners/prices").send().header("retry-after") == "60");
}

TEST_CASE("docs/uploads.md: files are limited in type and size") {
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
  // Its handler uses the file without a check: no request without it may get there.
  const auto attack = [&](const std::string& type, const std::string& body) {
    auto request = app.request("POST", "/avatars");
    if (!type.empty()) request.header("Content-Type", type);
    return request.body(body).send().status;
  };
  const std::string form_type = "multipart/form-data; boundary=XX";
  CHECK(attack("application/json", "{}") == 415);
  CHECK(attack("application/x-www-form-urlencoded", "avatar=1") == 415);
  CHECK(attack("image/png", "PNG") == 415);
  CHECK(attack("text/csv", "a,b") == 415);
  CHECK(attack("", "PNG") == 415);
  CHECK(attack("", "") == 400);
  CHECK(attack("application/json", "") == 400);
  CHECK(attack(form_type, "--XX--\r\n") == 400);
  CHECK(attack(form_type, "") == 400);
  CHECK(attack(form_type,
               "--XX\r\nContent-Disposition: form-data; name=\"avatar\"\r\n\r\nme.png\r\n"
               "--XX--\r\n") == 400);
  const auto other_field =
      app.request("POST", "/avatars").file("other", "me.png", "PNG", "image/png").send();
  CHECK(other_field.status == 400);
  CHECK(other_field.json()["message"] == "Bad Request: missing required files: avatar");
  CHECK(app.request("POST", "/avatars")
            .file("other", "me.png", "PNG", "image/png")
            .file("avatar", "me.png", "PNG", "image/png")
            .send()
            .status == 413);
  CHECK(app.request("HEAD", "/avatars").send().status == 405);
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

TEST_CASE("docs/session.md: a session lasts from sign-in to sign-out") {
  TestApp app(fairway_app(), config_of("session"), identify_by_session);
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

TEST_CASE("docs/csrf.md: a request without the token is rejected") {
  TestApp app(fairway_app(), config_of("csrf"));
  Browser browser{app};
  const std::string token = browser.send("GET", "/notes/token").json()["data"]["token"];
  const fw::Json note = {{"text", "hello"}};
  CHECK(browser.send("POST", "/notes", note).json()["code"] == "CSRF_TOKEN_MISSING");
  CHECK(browser.send("POST", "/notes", note, token).status == 204);
  CHECK(browser.send("POST", "/notes/webhook").status == 204);
}

TEST_CASE("docs/stores.md: a store is chosen for all features and for one") {
  const fw::Config config = config_of("stores");
  CHECK(config.store.type == fw::StoreType::redis);
  CHECK(config.rate_limit.store.type == fw::StoreType::memory);
  TestApp app(fairway_app(), config_of("session"), keep_few_sessions);
  Browser browser{app};
  browser.send("GET", "/account/visits");
  CHECK(browser.send("GET", "/account/visits").json()["data"]["visits"] == 2);
}

TEST_CASE("docs/testing.md: a client keeps cookies, and sessions expire") {
  TestApp app(fairway_app(), config_of("session"), identify_by_session);
  auto browser = app.client();
  CHECK(browser.request("GET", "/account/me").send() == 401);
  const fw::Json ada = {{"name", "ada"}, {"password", "lovelace"}};
  CHECK(browser.request("POST", "/account/sign-in").json(ada).send() == 200);
  CHECK(browser.cookies().contains("fw.sid"));
  CHECK(browser.request("GET", "/account/me").send() == 200);
  CHECK(app.client().request("GET", "/account/me").send() == 401);
  app.advance(std::chrono::hours(24 * 365));
  CHECK(browser.request("GET", "/account/me").send() == 401);
  CHECK(browser.request("POST", "/account/sign-in").json(ada).send() == 200);
  CHECK(browser.request("POST", "/account/sign-out").send() == 204);
  CHECK(browser.cookies().empty());
  CHECK_THROWS_AS(app.advance(std::chrono::seconds(-1)), std::invalid_argument);
}

TEST_CASE("docs/testing.md: windows of rate limits pass") {
  fw::Config config = config_of("rate-limit");
  config.rate_limit.max = 1;
  TestApp app(fairway_app(), config);
  CHECK(app.request("GET", "/partners/prices").send() == 200);
  CHECK(app.request("GET", "/partners/prices").send() == 429);
  app.advance(std::chrono::seconds(60));
  CHECK(app.request("GET", "/partners/prices").send() == 200);
}

TEST_CASE("docs/testing.md: stubs respond to outbound calls") {
  using fw::testing::FetchCall;
  using fw::testing::FetchReply;
  TestApp app(fairway_app(), config_of("cors"));
  std::string asked;
  app.fetch_stub("GET https://weather.example/*", [&](const FetchCall& call) {
    asked = call.url;
    return FetchReply{200, {{"temperature", 12.5}}};
  });
  const TestResponse response = app.request("GET", "/weather").send();
  CHECK(response == 200);
  CHECK(response.json()["data"]["degrees"] == 12.5);
  CHECK(asked == "https://weather.example/now?city=Oslo");
  CHECK(app.log_lines().back()["msg"].get<std::string>().find("GET /weather") == 0);

  // The longer one counts.
  app.fetch_stub("GET https://weather.example/now*",
                 [](const FetchCall&) -> FetchReply { throw std::runtime_error("out of order"); });
  CHECK(app.request("GET", "/weather").send() == 502);
  TestApp other(fairway_app(), config_of("cors"));
  other.fetch_stub("GET https://weather.example/later",
                   [](const FetchCall&) { return FetchReply{}; });
  CHECK(other.request("GET", "/weather").send() == 502);
  CHECK_THROWS_AS(other.fetch_stub("https://weather.example", nullptr), std::invalid_argument);
}

TEST_CASE("docs/testing.md: a response explains itself") {
  TestApp app(fairway_app(), config_of("cors"));
  std::ostringstream text;
  text << app.request("GET", "/nowhere").send();
  CHECK(text.str().starts_with("404 Not Found, the response to "));
  CHECK(text.str().find("content-type: application/json; charset=utf-8\n") != std::string::npos);
  CHECK(text.str().find("\n\n{\n  \"code\": 404") != std::string::npos);
}

}  // namespace docs_pages_test
