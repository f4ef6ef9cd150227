// Pages that are rendered once for several responses: `mode`, and `cache` of a route.
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

#include "eventually.hpp"
#include "pages/page_set.hpp"
#include "pages/page_tables.hpp"
#include "support/decode.hpp"
#include "temporary_directory.hpp"

namespace stored_pages_test {

using namespace fw::pages::test;
using fairway::test::eventually;

TEST_CASE("pages: static pages are served without running a handler") {
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

TEST_CASE("pages: static pages of the build are used if the files are unchanged") {
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

TEST_CASE("pages: revalidate uses the test clock") {
  TableBuilder table;
  table.page("count.html", "<p>rendering {{n}}</p>");
  std::atomic<int> renderings = 0;
  table.routes([&](fw::Router& app) {
    app.get("/", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [&](fw::Request&, fw::Response& res) { res.render("count", {{"n", ++renderings}}); });
  });
  TestApp app(table.table());
  const auto outcome = [&] {
    return std::string(app.request("GET", "/").send().header("x-cache").value_or(""));
  };
  CHECK(outcome() == "MISS");
  app.advance(30s);
  CHECK(outcome() == "HIT");
  app.advance(31s);
  CHECK(outcome() == "STALE");
  CHECK(eventually([&] { return outcome() == "HIT"; }));
  CHECK(renderings == 2);
}

TEST_CASE("pages: revalidate renders once per interval for all requests") {
  TableBuilder table;
  table.page("count.html", "<p>rendering {{n}} for {{who}}</p>");
  std::atomic<int> renderings = 0;
  std::latch begun(1);
  table.routes([&](fw::Router& app) {
    app.get("/", {.frontend = {.mode = "revalidate", .revalidate = 600}},
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

  const auto wait_for = [&](std::string_view part) {
    app.advance(601s);
    return eventually([&] {
      const TestResponse response = app.request("GET", "/").send();
      REQUIRE(response.status == 200);
      return contains(response.body, part);
    });
  };
  CHECK(wait_for("rendering 2 for all"));
  // An error keeps the last page; the next request tries it again.
  CHECK(wait_for("rendering 4 for all"));
}

TEST_CASE("pages: requests for a stale page start one background rendering and do not wait") {
  TableBuilder table;
  table.page("count.html", "<p>rendering {{n}}</p>");
  std::atomic<int> renderings = 0;
  std::atomic<int> others = 0;
  std::promise<void> release;
  table.routes([&, released = release.get_future().share()](fw::Router& app) {
    app.get("/", {.frontend = {.mode = "revalidate", .revalidate = 1}},
            [&, released](fw::Request&, fw::Response& res) {
              const int n = ++renderings;
              if (n > 1) released.wait_for(60s);
              res.render("count", {{"n", n}});
            });
    app.get("/other", {.frontend = {.mode = "revalidate", .revalidate = 1}},
            [&](fw::Request&, fw::Response& res) { res.render("count", {{"n", ++others}}); });
  });
  TestApp app(table.table());
  const auto outcome = [&](const char* path) {
    return std::string(app.request("GET", path).send().header("x-cache").value_or(""));
  };
  REQUIRE(outcome("/") == "MISS");
  REQUIRE(outcome("/other") == "MISS");
  REQUIRE(eventually([&] { return outcome("/") == "STALE"; }));
  REQUIRE(eventually([&] { return renderings == 2; }));

  // The renewal has begun, and does not end before all of these have their responses.
  std::vector<std::thread> clients;
  std::vector<TestResponse> responses(16);
  for (TestResponse& response : responses) {
    clients.emplace_back([&] { response = app.request("GET", "/").send(); });
  }
  for (std::thread& client : clients) client.join();
  for (const TestResponse& response : responses) {
    CHECK(response.header("x-cache") == "STALE");
    CHECK(contains(response.body, "rendering 1"));
  }
  // A slow page does not delay the renewal of another one.
  REQUIRE(eventually([&] { return outcome("/other") == "STALE"; }));
  REQUIRE(eventually([&] { return others == 2; }));
  CHECK(renderings == 2);
  release.set_value();
  CHECK(eventually([&] { return contains(app.request("GET", "/").send().body, "rendering 2"); }));
}

TEST_CASE("pages: a background rendering is cancelled when the timeout of its route has passed") {
  TableBuilder table;
  table.page("count.html", "<p>rendering {{n}}</p>");
  std::atomic<int> renderings = 0;
  std::atomic<bool> is_renewal = false;
  std::atomic<bool> is_cancelled = false;
  table.routes([&](fw::Router& app) {
    app.get("/", {.timeout = 100, .frontend = {.mode = "revalidate", .revalidate = 60}},
            [&](fw::Request& req, fw::Response& res) {
              if (is_renewal.exchange(false)) {
                const auto stop = req.signal();
                is_cancelled = eventually([&] { return stop.stop_requested(); });
              }
              res.render("count", {{"n", ++renderings}});
            });
  });
  TestApp app(table.table());
  const auto outcome = [&] {
    return std::string(app.request("GET", "/").send().header("x-cache").value_or(""));
  };
  // On a busy machine, the first requests may take too long.
  CHECK(eventually([&] { return outcome() == "HIT"; }));
  const int before = renderings;
  is_renewal = true;
  app.advance(61s);
  CHECK(eventually([&] {
    const std::string stale = outcome();
    return stale == "STALE" || renderings > before;
  }));
  CHECK(eventually([&] { return renderings > before; }));
  CHECK(is_cancelled);
}

TEST_CASE("pages: many host names do not delay the background rendering of a popular page") {
  constexpr const char* kWanted = "shop.example";
  constexpr int kHosts = 300;
  TableBuilder table;
  table.page("host.html", "<p>{{host}}</p>");
  std::promise<void> release;
  std::promise<void> is_renewed;
  std::atomic<bool> is_renewal = false;
  std::atomic<int> others = 0;
  std::atomic<bool> is_first = true;
  table.routes([&, released = release.get_future().share(),
                wanted = is_renewed.get_future().share()](fw::Router& app) {
    app.get("/", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [&, released, wanted](fw::Request& req, fw::Response& res) {
              const std::string host(req.header("host").value_or(""));
              if (is_renewal && host == kWanted) {
                is_renewed.set_value();
              } else if (is_renewal && ++others <= 2) {
                released.wait_for(60s);  // these begin before it is wanted
              } else if (is_renewal) {
                if (wanted.wait_for(60s) != std::future_status::ready) is_first = false;
              }
              res.render("host", {{"host", host}});
            });
  });
  TestApp app(table.table());
  const auto outcome = [&](const std::string& host) {
    return std::string(
        app.request("GET", "/").header("Host", host).send().header("x-cache").value_or(""));
  };
  const auto flood = [&](const char* expected) {
    for (int i = 0; i < kHosts; ++i) REQUIRE(outcome(std::to_string(i) + ".example") == expected);
  };
  flood("MISS");
  REQUIRE(outcome(kWanted) == "MISS");
  app.advance(61s);
  is_renewal = true;
  flood("STALE");
  for (int i = 0; i < 3; ++i) REQUIRE(outcome(kWanted) == "STALE");
  release.set_value();
  CHECK(eventually([&] { return outcome(kWanted) == "HIT"; }));
  CHECK(is_first);
}

TEST_CASE("pages: revalidate stores a rendering per declared query and ignores other parameters") {
  TableBuilder table;
  table.page("count.html", "<p>rendering {{n}} of {{list}}</p>");
  int renderings = 0;
  table.routes([&](fw::Router& app) {
    app.get("/",
            {.validate = {.query = {{"list", "string?"}}},
             .frontend = {.mode = "revalidate", .revalidate = 60}},
            [&](fw::Request& req, fw::Response& res) {
              CHECK_FALSE(req.query("x"));
              res.render("count",
                         {{"n", ++renderings}, {"list", req.query("list").value_or("all")}});
            });
  });
  TestApp app(table.table());
  const auto check = [&](const char* target, std::string_view outcome, std::string_view part) {
    CAPTURE(target);
    const TestResponse response = app.request("GET", target).send();
    CHECK(response.header("x-cache") == outcome);
    CHECK(contains(response.body, part));
  };
  for (const char* outcome : {"MISS", "HIT"}) {
    check("/", outcome, "rendering 1 of all");
    check("/?list=new", outcome, "rendering 2 of new");
    check("/?list=old", outcome, "rendering 3 of old");
  }
  for (const char* target : {"/?x=1", "/?x=2", "/?x=1&list=new"}) {
    CAPTURE(target);
    CHECK(app.request("GET", target).send().header("x-cache") == "HIT");
  }
}

TEST_CASE(
    "pages: a slash at the end of a path is no part of its last parameter, an encoded one is") {
  TableBuilder table;
  table.page("name.html", "<p>[{{name}}]</p>");
  table.routes([](fw::Router& app) {
    app.get("/names/:name", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [](fw::Request& req, fw::Response& res) {
              res.render("name", {{"name", req.param("name").value_or("")}});
            });
  });
  TestApp app(table.table());
  const auto body = [&](const char* target) { return app.request("GET", target).send().body; };
  CHECK(contains(body("/names/x%2F/"), "[x/]"));
  CHECK(contains(body("/names/x%2F"), "[x/]"));
  CHECK(contains(body("/names/x/"), "[x]"));
  CHECK(contains(body("/names/x"), "[x]"));
}

TEST_CASE("pages: revalidate does not store responses that are not public pages") {
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
  table.page("a.js", "1;");
  TestApp app(table.table(), policy_config("script-src 'self'"));
  for (int i = 0; i < 2; ++i) {
    const TestResponse moved = app.request("GET", "/moved").send();
    CHECK(moved.status == 302);
    CHECK(moved.header("location") == "/a");
    CHECK(app.request("GET", "/missing").send().status == 404);
    const TestResponse cookie = app.request("GET", "/cookie").send();
    CHECK(cookie.header("set-cookie").has_value());
    CHECK(cookie.header("content-security-policy") ==
          "script-src 'self' 'nonce-" + attribute(cookie.body, "nonce", "") + "'");
  }
  CHECK(runs == 4);
}

TEST_CASE("pages: a stream as the response of a revalidated page is an error that says so") {
  TableBuilder table;
  bool streams = false;
  table.page("a.html", "<p>a</p>").routes([&](fw::Router& app) {
    app.get("/", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [&](fw::Request&, fw::Response& res) {
              if (!streams) return res.render("a");
              res.stream(fw::Readable(std::string("text")), "text/plain");
            });
  });
  fw::Config config = browser_config();
  config.response.hide_internal_errors = false;
  TestApp app(table.table(), config);
  const auto message = [&] {
    return app.request("GET", "/").header("accept", "*/*").send().json()["message"];
  };
  streams = true;
  CHECK(message().get<std::string>().find("GET /: the response is a stream, but with the mode "
                                          "'revalidate' of 'frontend' it must be whole") !=
        std::string::npos);
  streams = false;
  CHECK(app.request("GET", "/").send().body.find("<p>a</p>") != std::string::npos);
}

TEST_CASE("pages: revalidate does not store a page with no-store") {
  TableBuilder table;
  int runs = 0;
  table.page("a.html", "<p>a</p>").routes([&](fw::Router& app) {
    app.get("/:directive", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [&](fw::Request& req, fw::Response& res) {
              ++runs;
              res.set_header("cache-control", *req.param("directive")).render("a");
            });
  });
  TestApp app(table.table(), browser_config());
  for (const char* path : {"/no-store", "/no-store", "/no-cache", "/no-cache"}) {
    const TestResponse response = app.request("GET", path).send();
    CHECK(response.header("cache-control") == std::string(path).substr(1));
  }
  CHECK(runs == 3);
}

TEST_CASE("pages: JSON of a revalidated page has the id of each request") {
  TableBuilder table;
  table.page("a.html", "<p>a</p>").routes([](fw::Router& app) {
    app.get("/:status", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [](fw::Request& req, fw::Response& res) {
              res.json("x", std::stoi(std::string(*req.param("status"))));
            });
  });
  fw::Config config = browser_config();
  config.response.wrap = true;
  config.etag = fw::EntityTags::weak;
  TestApp app(table.table(), config);
  for (const char* path : {"/200", "/200", "/202", "/503"}) {
    CAPTURE(path);
    const TestResponse response = app.request("GET", path).send();
    CHECK(response.json()["data"] == "x");
    CHECK(response.json()["requestId"] == response.header("x-request-id").value_or(""));
    CHECK(response.header("content-type") == "application/json; charset=utf-8");
  }
  CHECK(app.request("GET", "/200").send().header("x-cache") == "HIT");
  const std::string tag(app.request("GET", "/200").send().header("etag").value());
  CHECK(app.request("GET", "/200").header("If-None-Match", tag).send().status == 304);
}

TEST_CASE("pages: what middlewares read for each request makes a page for everyone private") {
  TableBuilder table;
  table.page("a.html", "<p>a</p>").routes([](fw::Router& app) {
    app.get("/static", {.frontend = {.page = "a", .mode = "static"}},
            [](fw::Request&, fw::Response&) {});
    app.get("/renewed", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [](fw::Request&, fw::Response& res) { res.render("a"); });
  });
  TestApp app(table.table(), browser_config(), [](fw::App& application) {
    application.use([](fw::Request& req, fw::Response& res, fw::Next next) {
      if (req.query("all")) return next();
      if (const auto user = req.cookie("user")) res.set_header("x-user", *user);
      next();
    });
  });
  for (const char* path : {"/static", "/renewed"}) {
    // With the 304 for another request, a shared cache would send the field to that one.
    const TestResponse ada = app.request("GET", path).header("Cookie", "user=ada").send();
    CHECK(ada.header("x-user") == "ada");
    CHECK(ada.header("cache-control") == "private, no-cache");
    CHECK(app.request("GET", path).send().header("cache-control") == "private, no-cache");
    const std::string for_all = std::string(path) + "?all";
    CHECK(app.request("GET", for_all).send().header("cache-control") == "no-cache");
  }
}

TEST_CASE("pages: pages of a route with a cache are stored") {
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
      CHECK_FALSE(response.header("etag").has_value());
      return value;
    };
    const TestResponse first = app.request("GET", "/cached").send();
    const TestResponse second = app.request("GET", "/cached").send();
    CHECK(first.header("x-cache") == "MISS");
    CHECK(second.header("x-cache") == "HIT");
    CHECK(runs == 1);
    CHECK(nonce(first) != nonce(second));
    // No other client, and no later visit, may get the same one.
    for (const TestResponse* response : {&first, &second}) {
      CHECK(response->header("cache-control") == "private, no-cache");
    }
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

TEST_CASE("pages: two releases that share a store each send pages of their own") {
  const std::shared_ptr<fw::Store> store = fw::memory_store();
  struct Release : TableBuilder {
    explicit Release(const std::string& version) {
      page("shop.html", "<h1>" + version + " {{runs}}</h1>");
      routes([this](fw::Router& router) {
        router.get("/shop", {.cache = 60'000}, [this](fw::Request&, fw::Response& res) {
          res.render("shop", {{"runs", ++runs}});
        });
        router.get("/data", {.cache = 60'000},
                   [this](fw::Request&, fw::Response& res) { res.json(++runs); });
      });
    }
    int runs = 0;
  };
  Release old_release("old");
  Release new_release("new");
  const auto use_store = [&](fw::App& app) { app.set_store("cache", store); };
  TestApp old_app(old_release.table(), browser_config(), use_store);
  TestApp new_app(new_release.table(), browser_config(), use_store);
  for (int i = 0; i < 3; ++i) {
    CHECK(contains(old_app.request("GET", "/shop").send().body, "old 1<"));
    CHECK(contains(new_app.request("GET", "/shop").send().body, "new 1<"));
  }
  CHECK(old_app.request("GET", "/data").send().header("x-cache") == "MISS");
  // Only pages depend on them.
  CHECK(new_app.request("GET", "/data").send().header("x-cache") == "HIT");
}

TEST_CASE("pages: page content cannot contain the nonces of stored pages") {
  // All that is known of a page that is rendered for several responses.
  Pages table;
  table.page("raw.html", "{{{text}}}");
  table.page("raw.js", "1;");
  const std::string guess = "<script nonce=\"" + std::string(fw::pages::kStaticNonce) + "\">";
  table.routes([&](fw::Router& app) {
    const auto raw = [&](fw::Request&, fw::Response& res) { res.render("raw", {{"text", guess}}); };
    app.get("/cached", {.cache = 60'000}, raw);
    app.get("/kept", {.frontend = {.mode = "revalidate", .revalidate = 60}}, raw);
  });
  TestApp app(table.table(), policy_config("script-src 'self'"));
  for (const char* path : {"/cached", "/kept", "/cached", "/kept"}) {
    CAPTURE(path);
    const TestResponse response = app.request("GET", path).send();
    CHECK(contains(response.body, guess));
    const std::string policy(response.header("content-security-policy").value());
    CHECK(contains(policy, "'nonce-"));
    CHECK_FALSE(contains(policy, fw::pages::kStaticNonce));
  }
}

TEST_CASE("pages: a cached page without a nonce is not sent with a nonce policy") {
  Pages table;
  int runs = 0;
  table.routes([&](fw::Router& app) {
    app.get("/", {.cache = 60'000},
            [&runs](fw::Request&, fw::Response& res) { res.render("hello", {{"name", ++runs}}); });
  });
  TestApp app(table.table(), browser_config(), [](fw::App& set_up) {
    set_up.hooks().on<fw::hooks::RouteMatched>([](fw::hooks::RouteMatched& event) {
      if (!event.req.header("x-policy")) return;
      event.res.set_header("content-security-policy", "script-src 'self'");
    });
  });
  for (int i = 0; i < 2; ++i) {
    const TestResponse without = app.request("GET", "/").send();
    CHECK_FALSE(contains(without.body, "nonce"));
    const TestResponse with = app.request("GET", "/").header("X-Policy", "1").send();
    CHECK(contains(std::string(with.header("content-security-policy").value()),
                   "'nonce-" + attribute(with.body, "nonce", "") + "'"));
    CHECK(with.header("x-cache") == (i == 0 ? "MISS" : "HIT"));
  }
  CHECK(runs == 2);
}

TEST_CASE("pages: the first rendering for everyone knows nothing of the visitor who causes it") {
  TableBuilder table;
  table.page("who.html", "<p>for {{who}} ({{id}})</p>");
  std::string headers;
  table.routes([&](fw::Router& app) {
    app.get("/", {.frontend = {.mode = "revalidate", .revalidate = 60}},
            [&](fw::Request& req, fw::Response& res) {
              const auto current = fw::current_request();
              REQUIRE(current);
              try {
                req.app().fetch.get("http://127.0.0.1:1/");
              } catch (const fw::FetchError&) {
              }
              res.render("who", {{"who", current->caller ? current->caller->user_id : "nobody"},
                                 {"id", current->id}});
            });
  });
  fw::Config config = TestApp::test_config();
  config.fetch.propagate_headers = {"Authorization"};
  TestApp app(table.table(), config, [&](fw::App& application) {
    application.use(fw::auth({.verify = [](std::string_view, fw::Request&) {
      return fw::AuthIdentity{.user_id = "ada"};
    }}));
    application.hooks().on<fw::hooks::FetchBefore>([&](fw::hooks::FetchBefore& event) {
      for (const auto& [name, value] : event.headers) headers += name + ": " + value + "\n";
    });
  });
  const TestResponse response = app.request("GET", "/")
                                    .header("Authorization", "Bearer secret")
                                    .header("X-Request-Id", "ada-1")
                                    .send();
  CHECK(response.header("x-cache") == "MISS");
  CHECK(contains(response.body, "for nobody"));
  CHECK_FALSE(contains(response.body, "ada-1"));
  CHECK_FALSE(headers.empty());
  CHECK_FALSE(contains(headers, "secret"));
  CHECK_FALSE(contains(headers, "ada-1"));
}

TEST_CASE("pages: header fields of hooks are not stored with a page") {
  TableBuilder table;
  table.page("all.html", "<p>all</p>");
  table.routes([&](fw::Router& app) {
    const auto render = [](fw::Request&, fw::Response& res) {
      res.set_header("x-own", "1");
      res.render("all");
      res.append_header("link", "</a>").append_header("link", "</b>");
    };
    app.get("/kept", {.frontend = {.mode = "revalidate", .revalidate = 60}}, render);
    app.get("/cached", {.cache = 60'000}, render);
  });
  TestApp app(table.table(), TestApp::test_config(), [](fw::App& application) {
    application.hooks().on<fw::hooks::ResponseBefore>([](fw::hooks::ResponseBefore& event) {
      event.res.append_header("x-each", "1");
      const auto tenant = event.req.header("x-tenant");
      event.res.set_header(tenant ? "x-echo" : "x-none", tenant.value_or("1"));
    });
  });
  const auto count = [](const TestResponse& response, std::string_view name) {
    return std::ranges::count_if(response.headers,
                                 [&](const auto& field) { return field.first == name; });
  };
  for (const char* path : {"/kept", "/cached"}) {
    for (const char* tenant : {"a", "b", ""}) {
      CAPTURE(path);
      CAPTURE(tenant);
      auto request = app.request("GET", path);
      if (*tenant != 0) request.header("X-Tenant", tenant);
      const TestResponse response = request.send();
      CHECK(response.header("x-cache") == (tenant == std::string_view("a") ? "MISS" : "HIT"));
      CHECK(count(response, "x-each") == 1);
      CHECK(count(response, "link") == 2);
      CHECK(response.header("x-own") == "1");
      CHECK(response.header("x-echo").value_or("") == tenant);
      CHECK(response.header("x-none").has_value() == (*tenant == 0));
    }
  }
}

TEST_CASE("pages: the default document has the language of the messages in the page") {
  TableBuilder table;
  table.page("hello.html", "<p>{{text}}</p>");
  table.routes([](fw::Router& app) {
    const auto greet = [](fw::Request& req, fw::Response& res) {
      res.render("hello", {{"text", req.t("hello")}});
    };
    app.get("/", greet);
    app.get("/stored", {.frontend = {.mode = "revalidate", .revalidate = 600}}, greet);
    app.get("/cached", {.cache = fw::RouteCacheOptions{.ttl = 60'000}}, greet);
    app.get("/fixed",
            [](fw::Request&, fw::Response& res) { res.render("hello", {{"text", "Hello"}}); });
    app.get("/outer", {.cache = fw::RouteCacheOptions{.ttl = 60'000}},
            [](fw::Request&, fw::Response& res) { res.render("hello", {{"text", "any"}}); });
  });
  const fairway::test::TemporaryDirectory folder;
  folder.write("en.json", R"({"hello": "Hello"})");
  folder.write("de-AT.json", R"({"hello": "Servus"})");
  fw::Config config = TestApp::test_config();
  config.locale.directory = folder.path();
  config.locale.default_language = "en";
  TestApp app(table.table(), config, [](fw::App& application) {
    // This middleware runs for each request, and the handler of the page reads nothing.
    application.use([](fw::Request& req, fw::Response&, fw::Next next) {
      if (req.path() == "/outer") req.t("hello");
      next();
    });
  });
  const auto begin_of = [&](const std::string& path, const std::string& language) {
    const std::string html =
        app.request("GET", path).header("Accept-Language", language).send().body;
    return html.substr(0, html.find("<head>"));
  };
  const std::string english = "<!doctype html>\n<html lang=\"en\">\n";
  const std::string german = "<!doctype html>\n<html lang=\"de-AT\">\n";
  for (const std::string path : {"/", "/stored", "/cached", "/outer"}) {
    CAPTURE(path);
    for (int i = 0; i < 2; ++i) {
      CHECK(begin_of(path, "de-AT") == german);
      CHECK(begin_of(path, "en") == english);
    }
  }
  CHECK(begin_of("/fixed", "de-AT") == english);
}

}  // namespace stored_pages_test
