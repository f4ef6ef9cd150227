// Conditional requests: entity tags and dates of responses, cached and not (docs/cache.md).
#include <fairway/response_cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/cached_responses.hpp"
#include "support/failing_store.hpp"
#include "support/table_builder.hpp"

namespace conditional_test {

namespace {

using fw::support::count;
using fw::support::FailingStore;
using fw::support::OneFileApp;
using fw::testing::TestApp;
using fw::testing::TestResponse;

/// The status and the entity tag of GET /c with these header fields.
std::pair<int, std::string> tagged(
    OneFileApp& app, const std::vector<std::pair<std::string, std::string>>& headers) {
  auto request = app.request("GET", "/c");
  for (const auto& [name, value] : headers) request.header(name, value);
  const TestResponse response = request.send();
  CHECK((response.status != 304 || (response.body.empty() && !response.header("content-type"))));
  return {response.status, std::string(response.header("etag").value_or(""))};
}

OneFileApp tagging_app(fw::EntityTags mode, bool wraps, const std::string& own_tag = {},
                       fw::Cache cache = {}) {
  fw::Config config = TestApp::test_config();
  config.etag = mode;
  config.response.wrap = wraps;
  return OneFileApp(
      [own_tag, cache](fw::Router& app) {
        app.get("/c", {.cache = cache}, [own_tag](fw::Request& req, fw::Response& res) {
          if (!own_tag.empty()) res.set_header("etag", own_tag);
          res.json({{"value", req.query("value").value_or("1")}});
        });
        app.get("/gone", [](fw::Request&, fw::Response& res) { res.json("gone", 410); });
      },
      config);
}

}  // namespace

TEST_CASE("conditional: a matching tag gives a 304, whatever the request id") {
  for (const auto mode : {fw::EntityTags::weak, fw::EntityTags::strong}) {
    OneFileApp app = tagging_app(mode, true);
    const auto [status, tag] = tagged(app, {});
    CHECK(status == 200);
    CHECK(tag.starts_with("W/\""));
    CHECK(tagged(app, {{"if-none-match", tag}}) == std::pair(304, tag));
    CHECK(tagged(app, {{"if-none-match", "\"x\", " + tag.substr(2)}}) == std::pair(304, tag));
    CHECK(tagged(app, {{"if-none-match", "*"}}) == std::pair(304, tag));
    CHECK(tagged(app, {{"if-none-match", "\"x\""}}) == std::pair(200, tag));
    CHECK(tagged(app, {{"if-match", tag}}).first == 412);
    CHECK(tagged(app, {{"if-match", "*"}}).first == 200);
  }
}

TEST_CASE("conditional: a body without a request id has a strong tag") {
  OneFileApp app = tagging_app(fw::EntityTags::strong, false);
  const auto [status, tag] = tagged(app, {});
  CHECK(tag.starts_with("\""));
  CHECK(tagged(app, {{"if-match", tag}}) == std::pair(200, tag));
  CHECK(tagged(app, {{"if-match", "\"x\""}}).first == 412);
  CHECK(tagged(app, {{"if-none-match", "W/" + tag}}) == std::pair(304, tag));
  OneFileApp other = tagging_app(fw::EntityTags::weak, false);
  CHECK(tagged(other, {}).second == "W/" + tag);
}

TEST_CASE("conditional: tags set by handlers, other statuses, and no tags if disabled") {
  OneFileApp own = tagging_app(fw::EntityTags::weak, true, "\"v1\"");
  CHECK(tagged(own, {{"if-none-match", "\"v1\""}}) == std::pair(304, std::string("\"v1\"")));
  CHECK(own.request("GET", "/gone").send().header("etag") == std::nullopt);
  OneFileApp off = tagging_app(fw::EntityTags::off, true);
  CHECK(tagged(off, {{"if-none-match", "*"}}) == std::pair(200, std::string()));
}

TEST_CASE("conditional: a cached response keeps its tag") {
  OneFileApp app = tagging_app(fw::EntityTags::weak, true, {}, 60'000);
  const auto [status, tag] = tagged(app, {});
  CHECK(tagged(app, {}) == std::pair(200, tag));
  CHECK(tagged(app, {{"if-none-match", tag}}) == std::pair(304, tag));
  CHECK(tagged(app, {{"if-none-match", "\"x\""}}) == std::pair(200, tag));
  CHECK(tagged(app, {{"if-match", "\"x\""}}).first == 412);
  // Conditions beside one that the response meets.
  const std::string early = "Thu, 01 Jan 1970 00:00:00 GMT";
  CHECK(tagged(app, {{"if-none-match", tag}, {"if-match", "\"x\""}}).first == 412);
  CHECK(tagged(app, {{"if-none-match", tag}, {"if-modified-since", early}}).first == 304);
  CHECK(tagged(app, {{"if-none-match", tag}, {"If-None-Match", "\"x\""}}).first == 304);
  CHECK(tagged(app, {{"if-none-match", "\"y\""}, {"If-None-Match", tag}}).first == 304);
  CHECK(tagged(app, {{"if-none-match", "\"y\""}, {"If-None-Match", "\"x\""}}).first == 200);
  CHECK(tagged(app, {}) == std::pair(200, tag));
  auto request = app.request("GET", "/c");
  const TestResponse response = request.header("if-none-match", tag).send();
  CHECK(response.header("x-cache") == "HIT");
  CHECK(response.header("cache-control").value_or("").starts_with("public, max-age="));
}

TEST_CASE("conditional: a 304 from the cache has the fields of the 200 except the body's") {
  const auto fields_of = [](const TestResponse& response) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : response.headers) {
      const bool differs = name == "x-request-id" || name == "cache-control";
      lines.push_back(name + ": " + (differs ? std::string("...") : value));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  for (const bool compresses : {false, true}) {
    CAPTURE(compresses);
    OneFileApp app([compresses](fw::Router& router) {
      router.get("/c", {.cache = {{.ttl = 60'000, .headers = {"X-A"}}}, .compression = compresses},
                 [](fw::Request&, fw::Response& res) {
                   res.set_header("etag", "\"v 1, 2\"").set_header("x-own", "1");
                   res.set_header("content-disposition", "inline").set_header("link", "</a>");
                   res.json("x");
                 });
    });
    const auto get = [&](const std::string& tags) {
      auto request = app.request("GET", "/c");
      if (!tags.empty()) request.header("If-None-Match", tags);
      return request.send();
    };
    get("");
    const TestResponse hit = get("");
    REQUIRE(hit.header("x-cache") == "HIT");
    CHECK(hit.header("content-type") == "application/json; charset=utf-8");
    CHECK(hit.header("content-disposition") == "inline");
    auto expected = fields_of(hit);
    std::erase_if(expected, [](const std::string& line) { return line.starts_with("content-"); });
    for (const char* tags : {"\"v 1, 2\"", " \"v 1, 2\"", "\"x\", W/\"v 1, 2\"", "*"}) {
      CAPTURE(tags);
      const TestResponse known = get(tags);
      CHECK(known.status == 304);
      CHECK(known.body.empty());
      CHECK(fields_of(known) == expected);
    }
    for (const char* tags : {"\"v 1\"", "v 1, 2", "\"v 1, 2", "W/"}) {
      CAPTURE(tags);
      CHECK(fields_of(get(tags)) == fields_of(hit));
    }
  }
}

TEST_CASE("conditional: a 304 from the cache has the age of its entry") {
  OneFileApp app([](fw::Router& router) {
    const auto handler = [](fw::Request&, fw::Response& res) {
      res.set_header("etag", "\"1\"").json("x");
    };
    router.get("/long", {.cache = {{.ttl = 8'999'000}}}, handler);
    router.get("/short", {.cache = {{.ttl = 499'000}}}, handler);
    router.get("/none", {.cache = {{.ttl = 8'999'000, .cache_control = false}}}, handler);
  });
  const auto get = [&](const std::string& path) {
    return app.request("GET", path).header("If-None-Match", "\"1\"").send();
  };
  for (const char* path : {"/long", "/short", "/none"}) get(path);
  for (const char* path : {"/long", "/short", "/none", "/none", "/short", "/long", "/none"}) {
    CAPTURE(path);
    const TestResponse response = get(path);
    CHECK(response.status == 304);
    CHECK(count(response, "x-cache") == 1);
    CHECK(response.header("x-cache") == "HIT");
    const std::string age(response.header("cache-control").value_or("-"));
    if (path == std::string_view("/none")) {
      CHECK(age == "-");
    } else {
      CHECK(count(response, "cache-control") == 1);
      const bool is_long = path == std::string_view("/long");
      CHECK(age.starts_with(is_long ? "public, max-age=89" : "public, max-age=4"));
    }
  }
}

TEST_CASE("conditional: a malformed tag of a handler never matches") {
  for (const std::string tag : {"v1", "\"", "\"a\"b\"", "W/v1"}) {
    CAPTURE(tag);
    OneFileApp app = tagging_app(fw::EntityTags::off, true, tag, 60'000);
    CHECK(tagged(app, {}).first == 200);
    CHECK(tagged(app, {{"if-none-match", tag}}) == std::pair(200, tag));
  }
}

TEST_CASE("conditional: the tag of a cached response is computed once") {
  class StoreOfTags : public FailingStore {
   public:
    std::string entry;
    void set(std::string_view key, std::string_view value, std::chrono::milliseconds ttl) override {
      if (key.starts_with("cache:entry:")) entry = value;
      FailingStore::set(key, value, ttl);
    }
  };
  const auto store = std::make_shared<StoreOfTags>();
  fw::Config config = TestApp::test_config();
  config.etag = fw::EntityTags::weak;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/c", {.cache = 60'000},
                   [](fw::Request&, fw::Response& res) { res.json("data"); });
      },
      config, [&](fw::App& application) { application.set_store("cache", store); });
  const auto [status, tag] = tagged(app, {});
  CHECK(store->entry.find(tag) != std::string::npos);
}

TEST_CASE("conditional: Last-Modified set by the handler of a cached response is compared") {
  int calls = 0;
  OneFileApp app([&](fw::Router& router) {
    router.get("/c", {.cache = 60'000}, [&](fw::Request&, fw::Response& res) {
      ++calls;
      res.set_header("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT").json("x");
    });
  });
  const auto status = [&](const std::string& name, const std::string& value) {
    return app.request("GET", "/c").header(name, value).send().status;
  };
  CHECK(status("if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT") == 304);
  CHECK(status("if-modified-since", "Sun, 06 Nov 1994 08:49:36 GMT") == 200);
  CHECK(status("if-unmodified-since", "Sun, 06 Nov 1994 08:49:36 GMT") == 412);
  CHECK(status("if-none-match", "\"x\"") == 200);
  CHECK(calls == 1);
}

TEST_CASE("conditional: a cached response without a tag exists, and matches no tag") {
  int calls = 0;
  OneFileApp app([&](fw::Router& router) {
    router.get("/c", {.cache = 60'000}, [&](fw::Request&, fw::Response& res) {
      ++calls;
      res.json("x");
    });
  });
  const auto status = [&](const char* method, const char* name, const char* value) {
    return app.request(method, "/c").header(name, value).send().status;
  };
  for (int i = 0; i < 2; ++i) {
    for (const char* method : {"GET", "HEAD"}) {
      CAPTURE(method);
      CHECK(status(method, "If-Match", "\"x\"") == 412);
      CHECK(status(method, "If-Match", "*") == 200);
      CHECK(status(method, "If-None-Match", "*") == 304);
      CHECK(status(method, "If-None-Match", "\"x\"") == 200);
      CHECK(status(method, "If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT") == 200);
      CHECK(status(method, "If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT") == 200);
    }
  }
  CHECK(calls == 1);
}

}  // namespace conditional_test
