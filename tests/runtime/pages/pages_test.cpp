// Pages as responses: res.render, the document, and the options of `frontend`.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "pages/page_set.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace {

using fw::Json;
using fw::support::TableBuilder;
using fw::testing::TestApp;
using fw::testing::TestResponse;
using namespace std::chrono_literals;

/// A table with a page, its script and its style sheet.
struct Pages : TableBuilder {
  Pages() {
    page("hello.html", "<h1>Hello {{name}}</h1>\n");
    page("hello.js", "console.log(1);\n");
    page("hello.css", "h1 { color: navy; }\n");
    page("plain.html", "<p>{{text}}</p>\n");
  }
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The value of the first attribute that begins so: `href="/_pages/hello.`.
std::string attribute(const std::string& html, const std::string& name, const std::string& begin) {
  const std::string start = name + "=\"" + begin;
  const std::size_t at = html.find(start);
  REQUIRE(at != std::string::npos);
  const std::size_t value = at + name.size() + 2;
  return html.substr(value, html.find('"', value) - value);
}

fw::Config browser_config() {
  fw::Config config = TestApp::test_config();
  config.environment = "production";
  return config;
}

TestResponse browse(TestApp& app, const std::string& target) {
  return app.request("GET", target).header("Accept", "text/html").send();
}

}  // namespace

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

TEST_CASE("pages: a struct as data") {
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

TEST_CASE("pages: frontend.data, or the schema of the response, shapes the data") {
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
    app.get("/response", {.responses = {{200, {{"name", "string"}}}}}, ada);
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
  for (const char* path : {"/data", "/json", "/response", "/struct", "/both"}) {
    CAPTURE(path);
    const std::string body = app.request("GET", path).send().body;
    CHECK(contains(body, "<h1>Hello 7</h1>"));
    CHECK(contains(body, R"(id="page-data">{"name":"7"}</script>)"));
  }
  CHECK(contains(app.request("GET", "/missing").send().body,
                 "the data for the page 'hello' of GET /missing is not as declared: 'title'"));
}

TEST_CASE("pages: an error page has its body and data, whatever the route says") {
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

TEST_CASE("pages: a page that does not exist, and data that is no object") {
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

TEST_CASE("pages: errors keep the application from starting") {
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

TEST_CASE("pages: a document of the application") {
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

TEST_CASE("pages: client_only and hydration none") {
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

TEST_CASE("pages: static pages run no handler") {
  TableBuilder table;
  table.page("item.html", "<p>item {{params.id}}{{params.name}}</p>")
      .page("about.html", "<p>about</p>");
  table.routes([](fw::Router& app) {
    const auto never = [](fw::Request&, fw::Response&) { throw std::logic_error("it runs"); };
    app.get(
        "/items/:id",
        {.frontend = {.page = "item",
                      .mode = "static",
                      .static_params = Json::array({{{"id", "a b"}, {"name", "A"}}, {{"id", 2}}})}},
        never);
    app.get("/about", {.frontend = {.page = "about", .mode = "static"}}, never);
  });
  fw::Config config = TestApp::test_config();
  config.etag = fw::EntityTags::strong;
  TestApp app(table.table(), config);
  INFO(app.request("GET", "/items/a%20b").send());
  CHECK(contains(app.request("GET", "/items/a%20b").send().body, "<p>item a bA</p>"));
  CHECK(contains(app.request("GET", "/items/2").send().body, "<p>item 2</p>"));
  CHECK(app.request("GET", "/items/3").send().status == 404);
  const TestResponse about = app.request("GET", "/about").send();
  CHECK(contains(about.body, "<p>about</p>"));
  CHECK(about.header("cache-control") == "no-cache");
  const std::string tag(about.header("etag").value());
  CHECK(app.request("GET", "/about").header("If-None-Match", tag).send().status == 304);
}

TEST_CASE("pages: static pages are those of the build, if it had the same files") {
  const std::string source = "<p>item {{params.id}}</p>";
  std::vector<std::string> errors;
  const std::string version = fw::pages::PageSet({{"item.html", source}}, errors).version();
  REQUIRE(errors.empty());
  const auto body_of = [&](const std::string& built_from, std::size_t count) {
    TableBuilder table;
    table.page("item.html", source);
    for (std::size_t i = 0; i < count; ++i) {
      table.static_page("/items/:id", "built " + std::to_string(i), built_from);
    }
    table.routes([](fw::Router& app) {
      app.get("/items/:id",
              {.frontend = {.page = "item",
                            .mode = "static",
                            .static_params = Json::array({{{"id", 1}}, {{"id", 2}}}),
                            .seo = {{"title", "No. {{params.id}} & <more>"}}}},
              [](fw::Request&, fw::Response&) {});
    });
    TestApp app(table.table());
    return app.request("GET", "/items/2").send().body;
  };
  CHECK(body_of(version, 2) == "built 1");
  for (const std::string& rendered : {body_of("other", 2), body_of(version, 1)}) {
    CHECK(contains(rendered, "<p>item 2</p>"));
    CHECK(contains(rendered, "<title>No. 2 &amp; &lt;more&gt;</title>"));
  }
}

TEST_CASE("pages: revalidate renders once per interval for all requests") {
  TableBuilder table;
  table.page("count.html", "<p>rendering {{n}} for {{who}}</p>");
  std::atomic<int> renderings = 0;
  std::latch begun(1);
  table.routes([&](fw::Router& app) {
    app.get("/", {.frontend = {.mode = "revalidate", .revalidate = 1}},
            [&](fw::Request& req, fw::Response& res) {
              const int n = ++renderings;
              // The first rendering waits until there are requests that wait for it.
              if (n == 1) begun.wait();
              if (n == 3) throw fw::HttpError(500, "not now");
              res.render("count", {{"n", n}, {"who", req.cookie("name").value_or("all")}});
            });
  });
  TestApp app(table.table());
  std::vector<std::thread> clients;
  std::vector<std::string> bodies(8);
  for (std::string& body : bodies) {
    clients.emplace_back([&] { body = app.request("GET", "/").cookie("name", "Ada").send().body; });
  }
  begun.count_down();
  for (std::thread& client : clients) client.join();
  for (const std::string& body : bodies) CHECK(contains(body, "rendering 1 for all"));
  CHECK(renderings == 1);

  const auto deadline = std::chrono::steady_clock::now() + 60s;
  const auto wait_for = [&](std::string_view part) {
    while (std::chrono::steady_clock::now() < deadline) {
      const TestResponse response = app.request("GET", "/").send();
      REQUIRE(response.status == 200);
      if (contains(response.body, part)) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  };
  CHECK(wait_for("rendering 2 for all"));
  // An error keeps the last page; the next request tries it again.
  CHECK(wait_for("rendering 4 for all"));
}

TEST_CASE("pages: revalidate passes on what is not a page for everyone") {
  TableBuilder table;
  table.page("a.html", "<p>a</p>");
  int runs = 0;
  table.routes([&](fw::Router& app) {
    app.get("/moved", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [&](fw::Request&, fw::Response& res) {
              ++runs;
              res.redirect("/a");
            });
    app.get("/missing", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [&](fw::Request&, fw::Response&) { throw fw::HttpError(404, "no such page"); });
    app.get("/cookie", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [&](fw::Request&, fw::Response& res) {
              ++runs;
              res.set_cookie("a", "b").render("a");
            });
  });
  TestApp app(table.table());
  for (int i = 0; i < 2; ++i) {
    const TestResponse moved = app.request("GET", "/moved").send();
    CHECK(moved.status == 302);
    CHECK(moved.header("location") == "/a");
    CHECK(app.request("GET", "/missing").send().status == 404);
    CHECK(app.request("GET", "/cookie").send().header("set-cookie").has_value());
  }
  CHECK(runs == 4);
}

TEST_CASE("pages: a content security policy allows the scripts of the page") {
  Pages table;
  table.routes([](fw::Router& app) {
    const auto hello = [](fw::Request&, fw::Response& res) {
      res.render("hello", {{"name", "Ada"}});
    };
    app.get("/", hello);
    app.get("/kept", {.frontend = {.mode = "revalidate", .revalidate = 60}}, hello);
    app.get("/json", [](fw::Request&, fw::Response& res) { res.json({}); });
  });
  fw::Config config = TestApp::test_config();
  config.security_headers.enabled = true;
  config.security_headers.content_security_policy.policy = "default-src 'none'; img-src 'self'";
  TestApp app(table.table(), config);
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
  CHECK(app.request("GET", "/json").send().header("content-security-policy") ==
        "default-src 'none'; img-src 'self'");
  using fw::pages::policy_with_nonce;
  CHECK(policy_with_nonce("script-src 'self' 'unsafe-inline'; style-src 'self'", "n") ==
        "script-src 'self' 'unsafe-inline'; style-src 'self' 'nonce-n'");
  CHECK(policy_with_nonce("img-src 'self'", "n") == "img-src 'self'");
}

TEST_CASE("pages: cached pages") {
  Pages table;
  int runs = 0;
  table.routes([&runs](fw::Router& app) {
    const auto count = [&runs](fw::Request&, fw::Response& res) {
      res.set_header("x-made", "yes").render("hello", {{"name", ++runs}});
    };
    app.get("/cached", {.cache = 60'000}, count);
    app.get("/own", {.cache = 60'000}, [&runs](fw::Request&, fw::Response& res) {
      res.set_header("content-security-policy", "script-src 'self'")
          .render("hello", {{"name", ++runs}});
    });
    app.get("/cookie", {.cache = 60'000}, [&runs](fw::Request&, fw::Response& res) {
      res.set_cookie("a", "b").render("hello", {{"name", ++runs}});
    });
    app.get("/error", {.cache = 60'000},
            [](fw::Request&, fw::Response&) { throw fw::HttpError(409, "No"); });
  });
  table.page("error.html", "<h1>{{message}}</h1>").page("error.js", "1;");
  fw::Config config = browser_config();
  config.etag = fw::EntityTags::strong;

  SUBCASE("without a policy") {
    TestApp app(table.table(), config);
    const TestResponse first = app.request("GET", "/cached").send();
    CHECK(first.header("x-cache") == "MISS");
    CHECK(first.header("cache-control") == "public, max-age=60");
    CHECK_FALSE(contains(first.body, "nonce"));
    const TestResponse second = app.request("GET", "/cached").send();
    CHECK(second.header("x-cache") == "HIT");
    CHECK(second.header("x-made") == "yes");
    CHECK(second.header("content-type") == "text/html; charset=utf-8");
    CHECK(second.body == first.body);
    CHECK(runs == 1);
    const std::string tag(first.header("etag").value());
    CHECK(second.header("etag") == tag);
    CHECK(app.request("GET", "/cached").header("If-None-Match", tag).send().status == 304);
    const TestResponse head = app.request("HEAD", "/cached").send();
    CHECK(head.header("x-cache") == "HIT");
    CHECK(head.header("content-length") == std::to_string(first.body.size()));
    // A policy that only the handler knows: its nonce is in the page already.
    const TestResponse own = app.request("GET", "/own").send();
    CHECK(contains(own.body, " nonce=\""));
    CHECK(app.request("GET", "/own").send().body != own.body);
  }
  SUBCASE("with a policy, each response has its own nonce") {
    config.security_headers.enabled = true;
    config.security_headers.content_security_policy.policy = "script-src 'self'";
    TestApp app(table.table(), config);
    const auto nonce = [](const TestResponse& response) {
      const std::string value = attribute(response.body, "nonce", "");
      CHECK(contains(std::string(response.header("content-security-policy").value()),
                     "'nonce-" + value + "'"));
      CHECK_FALSE(contains(response.body, "nonce-of-the-response"));
      CHECK_FALSE(response.header("etag").has_value());
      return value;
    };
    const TestResponse first = app.request("GET", "/cached").send();
    const TestResponse second = app.request("GET", "/cached").send();
    CHECK(first.header("x-cache") == "MISS");
    CHECK(second.header("x-cache") == "HIT");
    CHECK(runs == 1);
    CHECK(nonce(first) != nonce(second));
    const TestResponse head = app.request("HEAD", "/cached").send();
    CHECK(head.header("content-length") == std::to_string(first.body.size()));
    CHECK(app.request("HEAD", "/cached?n=2").send().header("content-length") ==
          std::to_string(first.body.size()));
    // What is not stored has a nonce, too.
    for (const char* path : {"/own", "/cookie", "/error"}) {
      CAPTURE(path);
      CHECK(nonce(browse(app, path)) != nonce(browse(app, path)));
      const bool is_stored = path == std::string("/own");
      CHECK((browse(app, path).header("x-cache").value_or("") == "HIT") == is_stored);
    }
  }
}

TEST_CASE("pages: an error page for browsers") {
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

TEST_CASE("pages: in development they are read from disk") {
  const fairway::test::TemporaryDirectory directory;
  const auto before = std::filesystem::current_path();
  std::filesystem::create_directories(directory.path() / "src/pages");
  const auto file = directory.path() / "src/pages/plain.html";
  std::ofstream(file) << "<b>{{text}}</b>";
  std::filesystem::current_path(directory.path());
  Pages table;
  table.routes([](fw::Router& app) {
    app.get("/", [](fw::Request&, fw::Response& res) { res.render("plain", {{"text", "x"}}); });
  });
  fw::Config config = TestApp::test_config();
  config.environment = "development";
  TestApp app(table.table(), config);
  CHECK(contains(app.request("GET", "/").send().body, "<b>x</b>"));
  std::ofstream(file) << "<i>{{text}}</i> again";
  std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + 1s);
  CHECK(contains(app.request("GET", "/").send().body, "<i>x</i> again"));
  std::ofstream(file) << "<i>{{#text}}</i>";
  std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + 2s);
  const TestResponse broken = browse(app, "/");
  CHECK(broken.status == 500);
  CHECK(contains(broken.body, "plain.html:1:4: the section &#39;text&#39; is not closed"));
  std::filesystem::current_path(before);
}
