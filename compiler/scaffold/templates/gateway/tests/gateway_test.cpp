#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

using fw::testing::TestApp;

namespace {

/// Nothing listens on port 1.
constexpr const char* kUnavailable = "http://127.0.0.1:1";

/// The application as it is configured for tests, without upstreams.
fw::Config config() {
  fw::Config config = fw::load_config_from("config");
  config.app["stock"] = kUnavailable;
  config.fetch.proxy.front().base_url = kUnavailable;
  return config;
}

}  // namespace

TEST_CASE("stock: without the upstream, the response is 502") {
  TestApp app(fairway_app(), config());
  const auto response = app.request("GET", "/stock/1").send();
  CHECK(response.status == 502);
  CHECK(response.json()["message"] == "the stock service is unavailable");
}

TEST_CASE("stock: the product is a number") {
  TestApp app(fairway_app(), config());
  CHECK(app.request("GET", "/stock/x").send().status == 400);
}

TEST_CASE("catalogue: without the upstream, the response is 502") {
  TestApp app(fairway_app(), config());
  CHECK(app.request("GET", "/catalogue/products/1").send().status == 502);
}

TEST_CASE("health: the service is up") {
  TestApp app(fairway_app(), config());
  CHECK(app.request("GET", "/health").send().json()["data"]["status"] == "ok");
}
