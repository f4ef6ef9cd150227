// Applications with a cached route, for tests of what clients share.
#pragma once

#include <fairway/testing.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace fw::support {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// The responses of a route GET /c with these options, whose handler sends what `respond` returns
/// together with the number of its calls.
struct Cached {
  using Respond = std::function<Json(Request&, Response&)>;

  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
  OneFileApp app;

  explicit Cached(RouteOptions options, Respond respond = {},
                  Config config = testing::TestApp::test_config(),
                  const std::function<void(App&)>& set_up = {})
      : app(
            [this, options, respond](Router& router) {
              const auto handler = [this, respond](Request& req, Response& res) {
                const int call = ++*calls;
                Json data = {{"hits", call}};
                if (respond) data["value"] = respond(req, res);
                res.json(data);
              };
              router.get("/c", options, handler);
            },
            std::move(config),
            [this, set_up](App& application) {
              application.set_logger(Logger(sink));
              if (set_up) set_up(application);
            }) {}

  testing::TestResponse get(const Headers& headers = {}, const std::string& target = "/c") {
    auto request = app.request("GET", target);
    for (const auto& [name, value] : headers) request.header(name, value);
    return request.send();
  }
};

/// An application in which each response to a client that has signed in sends its cookie again.
class RollingSessions : public OneFileApp {
 public:
  explicit RollingSessions(const std::function<void(Router&)>& routes)
      : OneFileApp(
            [routes](Router& router) {
              router.post("/sign-in", [](Request& req, Response& res) {
                req.session().set("user", "ada");
                res.end();
              });
              routes(router);
            },
            config()) {}

  testing::TestClient sign_in() {
    auto signed_in = client();
    signed_in.request("POST", "/sign-in").send();
    return signed_in;
  }

 private:
  static Config config() {
    Config config = testing::TestApp::test_config();
    config.session.enabled = true;
    config.session.rolling = true;
    return config;
  }
};

/// Locale files in English and German.
class Languages {
 public:
  Languages() {
    folder_.write("en.json", R"({"hello": "Hello"})");
    folder_.write("de.json", R"({"hello": "Guten Tag"})");
  }

  Config config() const {
    Config config = testing::TestApp::test_config();
    config.locale.directory = folder_.path();
    config.locale.default_language = "en";
    return config;
  }

 private:
  fairway::test::TemporaryDirectory folder_;
};

inline std::string tenant_of(Request& req) {
  return std::string(req.header("x-tenant").value_or(""));
}

inline RouteCacheOptions cached() { return {.ttl = 60'000}; }

}  // namespace fw::support
