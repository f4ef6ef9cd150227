#include <doctest/doctest.h>

#include "support/builders.hpp"

using namespace fairway::testing;

TEST_CASE("reports of the front end name the route as it is served") {
  auto file = route_file("routes/api/users.cpp", {});
  auto& escapes = file.diagnostics.emplace_back();
  escapes.id = "router-escapes";
  auto& bad = file.diagnostics.emplace_back();
  bad.id = "bad-registration";
  bad.method = "GET";
  bad.route = "/:id";
  const auto resolution = resolve({file});
  REQUIRE(resolution.diagnostics.size() == 2);
  for (const auto& diagnostic : resolution.diagnostics) {
    CAPTURE(diagnostic.id);
    CHECK(diagnostic.route == (diagnostic.id == "bad-registration" ? "/api/users/:id" : ""));
  }
}
