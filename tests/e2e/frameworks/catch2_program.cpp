#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

TEST_CASE("response: an unexpected status fails a test") {
  fw::testing::TestApp app(fairway_app());
  CHECK(app.request("GET", "/hello/ada").send() == 200);
  CHECK(app.request("GET", "/hello/ada").send() == 418);
}
