// Pages as responses: res.render, the document, and the options of `frontend`.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "pages/page_set.hpp"
#include "pages/page_tables.hpp"
#include "support/decode.hpp"
#include "temporary_directory.hpp"

namespace pages_test {

using namespace fw::pages::test;

TEST_CASE("pages: res.render sends a document with data, metadata and assets") {
  Pages table;
  table.routes([](fw::Router& app) {
    app.get("/", {.frontend = {.seo = {{"title", "All"}, {"description", "Of <all>"}}}},
            [](fw::Request&, fw::Response& res) {
              res.render(
                  "hello", {{"name", "<Ada>"}},
                  {.seo = {{"title", "One"}, {"canonical", "/hello"}, {"og:type", "website"}},
                   .status = 203});
            });
    app.get("/plain", [](fw::Request&, fw::Response& res) {
      res.status(201).render("plain", {{"text", "</script>"}});
    });
  });
  TestApp app(table.table());
  const TestResponse hello = app.request("GET", "/").send();
  CHECK(hello.status == 203);
  CHECK(hello.header("content-type") == "text/html; charset=utf-8");
  const std::string& html = hello.body;
  CHECK(html.starts_with("<!doctype html>\n<html lang=\"en\">\n"));
  CHECK(contains(html, "<h1>Hello &lt;Ada&gt;</h1>"));
  CHECK(contains(html, "<title>One</title>\n<meta property=\"og:title\" content=\"One\">"));
  CHECK(contains(html, "<meta name=\"description\" content=\"Of &lt;all&gt;\">"));
  CHECK(contains(html, "<link rel=\"canonical\" href=\"/hello\">"));
  CHECK(contains(html, "<meta property=\"og:type\" content=\"website\">"));
  CHECK(contains(html, "id=\"page-data\">{\"name\":\"\\u003cAda\\u003e\"}</script>"));
  const std::string script = attribute(html, "src", "/_pages/hello.");
  CHECK(contains(html, "<link rel=\"modulepreload\" href=\"" + script + "\">"));
  const std::string style = attribute(html, "href", "/_pages/hello.");
  const TestResponse asset = app.request("GET", script).send();
  CHECK(asset.status == 200);
  CHECK(asset.body == "console.log(1);\n");
  CHECK(asset.header("content-type") == "text/javascript; charset=utf-8");
  CHECK(asset.header("cache-control") == "public, max-age=31536000, immutable");
  CHECK(app.request("GET", style).send().header("content-type") == "text/css; charset=utf-8");
  CHECK(app.request("GET", "/_pages/hello.0000000000000000.js").send().status == 404);

  const TestResponse plain = app.request("GET", "/plain").send();
  CHECK(plain.status == 201);
  CHECK(contains(plain.body, "<p>&lt;/script&gt;</p>"));
  CHECK_FALSE(contains(plain.body, "<script"));
  const TestResponse head = app.request("HEAD", "/plain").send();
  CHECK(head.header("content-length") == std::to_string(plain.body.size()));
}

namespace shop {

struct Visitor {
  std::string name;
  std::string password;
  std::optional<int> visits;
  FW_JSON(Visitor, name, password, visits)
};

}  // namespace shop

TEST_CASE("pages: a struct can be the data") {
  Pages table;
  table.page("visits.html",
             "{{name}} {{#visits}}{{visits}} times{{/visits}}{{^visits}}new{{/visits}}");
  table.routes([](fw::Router& app) {
    app.get("/hello", [](fw::Request&, fw::Response& res) {
      res.render("hello", shop::Visitor{"<Ada> \"A\"", "é", 3});
    });
    app.get("/visits", [](fw::Request& req, fw::Response& res) {
      res.render("visits",
                 shop::Visitor{"Ada", "", req.query("n") ? std::optional(2) : std::nullopt});
    });
    app.get("/list", [](fw::Request&, fw::Response& res) {
      res.render("hello", std::vector<shop::Visitor>(1));
    });
  });
  fw::Config config = TestApp::test_config();
  for (const bool is_typed : {true, false}) {
    CAPTURE(is_typed);
    config.typed_path = is_typed;
    TestApp app(table.table(), config);
    const std::string hello = app.request("GET", "/hello").send().body;
    CHECK(contains(hello, "<h1>Hello &lt;Ada&gt; &quot;A&quot;</h1>"));
    CHECK(contains(
        hello, R"(id="page-data">{"name":"\u003cAda\u003e \"A\"","password":"é","visits":3}<)"));
    CHECK(contains(app.request("GET", "/visits").send().body, "Ada new"));
    CHECK(contains(app.request("GET", "/visits?n=1").send().body, "Ada 2 times"));
    CHECK(app.request("GET", "/list").send().status == 500);
  }
}

TEST_CASE("pages: frontend.data shapes the data, response schemas do not") {
  Pages table;
  table.routes([](fw::Router& app) {
    const auto ada = [](fw::Request&, fw::Response& res) {
      res.render("hello", {{"name", 7}, {"password", "secret"}});
    };
    app.get("/data", {.frontend = {.data = {{"name", "string"}}}}, ada);
    app.get(
        "/json",
        {.frontend = {.data = fw::json_schema(
                          R"({"type": "object", "properties": {"name": {"type": "string"}}})")}},
        ada);
    app.get("/responses",
            {.responses = {{"default", {{"error", "string"}}}, {200, {{"id", "integer"}}}}}, ada);
    app.get("/struct", {.frontend = {.data = {{"name", "string"}}}},
            [](fw::Request&, fw::Response& res) {
              res.status(422).render("hello", shop::Visitor{"7", "secret", {}});
            });
    app.get("/both",
            {.responses = {{200, {{"password", "string"}}}},
             .frontend = {.data = {{"name", "string"}}}},
            ada);
    app.get("/missing", {.frontend = {.data = {{"name", "string"}, {"title", "string"}}}}, ada);
  });
  fw::Config config = TestApp::test_config();
  config.response.hide_internal_errors = false;
  TestApp app(table.table(), config);
  for (const char* path : {"/data", "/json", "/struct", "/both"}) {
    CAPTURE(path);
    const std::string body = app.request("GET", path).send().body;
    CHECK(contains(body, "<h1>Hello 7</h1>"));
    CHECK(contains(body, R"(id="page-data">{"name":"7"}</script>)"));
  }
  CHECK(contains(app.request("GET", "/responses").send().body,
                 R"(id="page-data">{"name":7,"password":"secret"}</script>)"));
  CHECK(contains(app.request("GET", "/missing").send().body,
                 "the data for the page 'hello' of GET /missing is not as declared: 'title'"));
}

TEST_CASE("pages: an error page has its own body and data, whatever the route declares") {
  Pages table;
  table.page("error.html", "<h1>{{status}} {{message}}</h1>");
  table.routes([](fw::Router& app) {
    app.get("/",
            {.frontend = {.page = "hello",
                          .data = {{"name", "string"}},
                          .client_only = true,
                          .seo = {{"description", "Hello"}}}},
            [](fw::Request&, fw::Response&) { throw fw::HttpError(409, "No"); });
  });
  TestApp app(table.table(), browser_config());
  const std::string body = browse(app, "/").body;
  CHECK(contains(body, "<h1>409 No</h1>"));
  CHECK_FALSE(contains(body, "Hello"));
}

TEST_CASE("pages: an unknown page and data that is no object are errors") {
  Pages table;
  table.routes([](fw::Router& app) {
    app.get("/name", [](fw::Request&, fw::Response& res) { res.render("helo"); });
    app.get("/data", [](fw::Request&, fw::Response& res) { res.render("hello", Json(7)); });
  });
  fw::Config config = TestApp::test_config();
  config.response.hide_internal_errors = false;
  TestApp app(table.table(), config);
  CHECK(app.request("GET", "/name").send().json()["message"] ==
        "there is no page 'helo'; did you mean 'hello'?");
  CHECK(contains(app.request("GET", "/data").send().body, "must be an object"));
}

TEST_CASE("pages: errors in pages fail the start") {
  TableBuilder table;
  table.page("a.html", "<p>\n{{#x}}</p>").page("b.html", "");
  table.routes([](fw::Router& app) {
    app.get("/", {.frontend = {.page = "bb"}}, [](fw::Request&, fw::Response&) {});
  });
  try {
    const TestApp app(table.table());
    FAIL("it starts");
  } catch (const fw::StartupError& error) {
    REQUIRE(error.errors().size() == 2);
    CHECK(error.errors()[0] ==
          "a.html:2:1: the section 'x' is not closed; write '{{/x}}' after it");
    CHECK(error.errors()[1] ==
          "src/routes/index.cpp:10: GET /: frontend.page: there is no page 'bb'");
  }
}

TEST_CASE("pages: the application can provide the document") {
  Pages table;
  table.page("_document.html",
             "<!doctype html><html lang=\"{{seo.lang}}\"><head>{{{head}}}</head>"
             "<body class=\"{{page}}\"><main>{{{body}}}</main>{{> _foot}}{{{scripts}}}</body>");
  table.page("_foot.html", "<footer>{{name}}</footer>").page("_document.css", "body {}");
  table.routes([](fw::Router& app) {
    app.get("/", [](fw::Request&, fw::Response& res) {
      res.render("hello", {{"name", "Ada"}}, {.seo = {{"lang", "de"}}});
    });
  });
  TestApp app(table.table());
  const std::string html = app.request("GET", "/").send().body;
  CHECK(contains(html, "<html lang=\"de\">"));
  CHECK(contains(html, "<body class=\"hello\"><main><h1>Hello Ada</h1>"));
  CHECK(contains(html, "</main><footer>Ada</footer>"));
  CHECK(contains(html, "href=\"/_pages/_document."));
}

TEST_CASE("pages: client_only and hydration 'none'") {
  Pages table;
  table.routes([](fw::Router& app) {
    const auto hello = [](fw::Request&, fw::Response& res) {
      res.render("hello", {{"name", "Ada"}});
    };
    app.get("/client", {.frontend = {.page = "hello", .client_only = true}}, hello);
    app.get("/static", {.frontend = {.hydration = "none"}}, hello);
  });
  TestApp app(table.table());
  const std::string client = app.request("GET", "/client").send().body;
  CHECK_FALSE(contains(client, "<h1>"));
  CHECK(contains(client, "{\"name\":\"Ada\"}"));
  CHECK(contains(client, "type=\"module\""));
  CHECK(contains(client, ".css\""));
  const std::string without = app.request("GET", "/static").send().body;
  CHECK(contains(without, "<h1>Hello Ada</h1>"));
  CHECK(contains(without, ".css\""));
  CHECK_FALSE(contains(without, "script"));
  CHECK_FALSE(contains(without, "preload"));
  CHECK_FALSE(contains(without, "page-data"));
}

TEST_CASE("pages: the content security policy allows the scripts of the page") {
  Pages table;
  table.routes([](fw::Router& app) {
    const auto hello = [](fw::Request&, fw::Response& res) {
      res.render("hello", {{"name", "Ada"}});
    };
    app.get("/", hello);
    app.get("/kept", {.frontend = {.mode = "revalidate", .revalidate = 60}}, hello);
    app.get("/static", {.frontend = {.page = "hello", .mode = "static"}},
            [](fw::Request&, fw::Response&) {});
    app.get("/json", [](fw::Request&, fw::Response& res) { res.json({}); });
  });
  TestApp app(table.table(), policy_config("default-src 'none'; img-src 'self'"));
  const auto nonce_of = [&](const char* target) {
    const TestResponse response = app.request("GET", target).send();
    const std::string nonce = attribute(response.body, "nonce", "");
    const std::string policy(response.header("content-security-policy").value());
    CHECK(nonce.size() == 24);
    CHECK(policy == "default-src 'none'; img-src 'self'; script-src 'nonce-" + nonce +
                        "'; style-src 'nonce-" + nonce + "'");
    CHECK(contains(response.body, "<script type=\"module\" src=\"" +
                                      attribute(response.body, "src", "/_pages/hello.") +
                                      "\" nonce=\"" + nonce + "\">"));
    return nonce;
  };
  CHECK(nonce_of("/") != nonce_of("/"));
  CHECK(nonce_of("/kept") != nonce_of("/kept"));
  CHECK(nonce_of("/static") != nonce_of("/static"));
  CHECK(app.request("GET", "/json").send().header("content-security-policy") ==
        "default-src 'none'; img-src 'self'");
  using fw::pages::policy_with_nonce;
  CHECK(policy_with_nonce("script-src 'self' 'unsafe-inline'; style-src 'self'", "n") ==
        "script-src 'self' 'unsafe-inline'; style-src 'self' 'nonce-n'");
  CHECK(policy_with_nonce("img-src 'self'", "n") == "img-src 'self'");
}

TEST_CASE("pages: large pages are compressed, except those with a CSRF token") {
  Pages table;
  const std::string text(5000, 'x');
  table.page("long.html", "<p>" + text + "</p>{{token}}");
  table.routes([&](fw::Router& app) {
    const auto render = [&](fw::Request&, fw::Response& res) { res.render("long"); };
    app.get("/each", render);
    app.get("/cached", {.cache = 60'000}, render);
    app.get("/kept", {.frontend = {.mode = "revalidate", .revalidate = 60}}, render);
    app.get("/static", {.frontend = {.page = "long", .mode = "static"}}, render);
    app.get("/small", [](fw::Request&, fw::Response& res) { res.render("plain"); });
    app.get("/token", [&](fw::Request& req, fw::Response& res) {
      res.render("long", {{"token", req.csrf_token()}});
    });
  });
  fw::Config config = TestApp::test_config();
  config.csrf.enabled = true;
  config.csrf.secret = std::string(32, 's');
  config.compression.enabled = true;
  TestApp app(table.table(), config);
  const auto get = [&](const char* path) {
    return app.request("GET", path).header("Accept-Encoding", "gzip").send();
  };
  for (const char* path : {"/each", "/cached", "/cached", "/kept", "/kept", "/static"}) {
    CAPTURE(path);
    const TestResponse page = get(path);
    CHECK(page.header("content-encoding") == "gzip");
    CHECK(page.header("content-type") == "text/html; charset=utf-8");
    CHECK(contains(fw::support::decode("gzip", page.body), text + "</p>"));
  }
  CHECK_FALSE(get("/small").header("content-encoding").has_value());
  // Compressed, the length of the page could tell the token (BREACH).
  const TestResponse with_token = get("/token");
  CHECK_FALSE(with_token.header("content-encoding").has_value());
  CHECK(contains(with_token.body, text));
}

TEST_CASE("pages: browsers get an error page") {
  Pages table;
  table.page("error.html", "<h1>{{status}} {{message}}</h1><p>{{requestId}}</p>");
  table.routes([](fw::Router& app) {
    app.get("/", [](fw::Request&, fw::Response&) { throw fw::HttpError(418, "<teapot>"); });
  });
  TestApp app(table.table(), browser_config());
  const TestResponse page = browse(app, "/");
  CHECK(page.status == 418);
  CHECK(page.header("content-type") == "text/html; charset=utf-8");
  CHECK(page.header("cache-control") == "no-store");
  CHECK(contains(page.body, "<h1>418 &lt;teapot&gt;</h1>"));
  CHECK(contains(page.body, "<title>&lt;teapot&gt;</title>"));
  CHECK(contains(browse(app, "/none").body, "<h1>404 Not Found</h1>"));
  const TestResponse json = app.request("GET", "/").header("Accept", "application/json").send();
  CHECK(json.json()["message"] == "<teapot>");
  fw::Config development = TestApp::test_config();
  development.environment = "development";
  TestApp developed(table.table(), development);
  CHECK(contains(browse(developed, "/").body, "shown in development only"));
}

TEST_CASE("pages: an error that caches may store varies by what the client accepts") {
  Pages table;
  table.page("error.html", "<h1>{{message}}</h1>");
  table.routes([](fw::Router& app) {
    app.get("/", [](fw::Request&, fw::Response&) { fw::raise(404, "none"); });
  });
  const auto vary = [&](const fw::Config& config, const char* accept, bool lasts) {
    TestApp app(table.table(), config);
    if (lasts) {
      app.app().hooks().on<fw::hooks::ErrorBeforeResponse>(
          [](fw::hooks::ErrorBeforeResponse& event) {
            event.res.set_header("cache-control", "max-age=60");
          });
    }
    const TestResponse response = app.request("GET", "/").header("Accept", accept).send();
    return std::string(response.header("vary").value_or(""));
  };
  for (const char* accept : {"text/html", "application/json"}) {
    CHECK(vary(browser_config(), accept, true) == "Origin, Accept");
    CHECK(vary(browser_config(), accept, false) == "Origin");  // "no-store"
  }
}

TEST_CASE("pages: in development pages are read from disk") {
  const fairway::test::TemporaryDirectory directory;
  const auto before = std::filesystem::current_path();
  std::filesystem::create_directories(directory.path() / "src/pages");
  const auto file = directory.path() / "src/pages/plain.html";
  std::ofstream(file) << "<b>{{text}}</b>";
  std::filesystem::current_path(directory.path());
  Pages table;
  table.routes([](fw::Router& app) {
    const auto render = [](fw::Request&, fw::Response& res) {
      res.render("plain", {{"text", "x"}});
    };
    app.get("/", render);
    app.get("/cached", {.cache = 3'600'000}, render);
    app.get("/json", {.cache = 3'600'000}, [](fw::Request&, fw::Response& res) { res.json(1); });
  });
  fw::Config config = TestApp::test_config();
  config.environment = "development";
  const auto outcome = [](TestApp& app, const char* path) {
    return std::string(app.request("GET", path).send().header("x-cache").value_or(""));
  };
  TestApp app(table.table(), config);
  CHECK(contains(app.request("GET", "/").send().body, "<b>x</b>"));
  for (const char* path : {"/cached", "/json"}) {
    CHECK(outcome(app, path) == "MISS");
    CHECK(outcome(app, path) == "HIT");
  }
  std::ofstream(file) << "<i>{{text}}</i> again";
  std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + 1s);
  CHECK(contains(app.request("GET", "/").send().body, "<i>x</i> again"));
  CHECK(contains(app.request("GET", "/cached").send().body, "<i>x</i> again"));
  CHECK(outcome(app, "/cached") == "HIT");
  CHECK(outcome(app, "/json") == "HIT");
  std::ofstream(file) << "<i>{{#text}}</i>";
  std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + 2s);
  const TestResponse broken = browse(app, "/");
  CHECK(broken.status == 500);
  // A page with an error concerns pages only.
  CHECK(app.request("GET", "/cached").send().status == 500);
  CHECK(outcome(app, "/json") == "HIT");
  CHECK(contains(broken.body, "plain.html:1:4: the section &#39;text&#39; is not closed"));
  std::filesystem::current_path(before);
}

}  // namespace pages_test
