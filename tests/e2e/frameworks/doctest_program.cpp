#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

TEST_CASE("response: an unexpected status fails a test") {
  fw::testing::TestApp app(fairway_app());
  CHECK(app.request("GET", "/hello/ada").send() == 200);
  CHECK(app.request("GET", "/hello/ada").send() == 418);
}
