#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

using fw::testing::TestApp;

TEST_CASE("hello: greets by name") {
  TestApp app(fairway_app());
  const auto response = app.request("GET", "/hello/Ada").send();
  CHECK(response.status == 200);
  CHECK(response.json()["data"]["greeting"] == "Hello, Ada!");
}

TEST_CASE("hello: the name has at most 50 characters") {
  TestApp app(fairway_app());
  CHECK(app.request("GET", "/hello/" + std::string(51, 'x')).send().status == 400);
}
