#include <doctest/doctest.h>

#include "support/builders.hpp"

namespace duplicates_test {

using namespace fairway;
using namespace fairway::testing;

namespace {

model::Value with_id(const std::string& id) {
  return options({{"docs", record("Docs", {{"operation_id", text(id)}})}});
}

}  // namespace

TEST_CASE("[duplicate-route] letter case and trailing slashes are ignored") {
  for (const char* twin : {"/x", "/X", "/x/"}) {
    CAPTURE(twin);
    const auto found =
        checked({route_file("routes/index.cpp", {route("GET", "/x"), route("GET", twin)})})
            .diagnostics;
    REQUIRE(found.size() == 1);
    CHECK(found[0].id == "duplicate-route");
    CHECK(found[0].range.line == 3);
    REQUIRE(found[0].notes.size() == 1);
    CHECK(found[0].notes[0].range.line == 2);
  }
}

TEST_CASE("[duplicate-route] routes of two files with the same path are reported") {
  CHECK(summary(checked({route_file("routes/api.cpp", {route("GET", "/orders")}),
                         route_file("routes/api/orders.cpp", {route("GET", "/")})})
                    .diagnostics) ==
        "src/routes/api/orders.cpp:2:11 duplicate-route: 'GET /api/orders' is registered twice\n");
}

TEST_CASE("[duplicate-route] different methods on one path are no duplicates") {
  CHECK(checked({route_file("routes/index.cpp", {route("GET", "/x"), route("POST", "/x")})})
            .diagnostics.empty());
}

TEST_CASE("[ambiguous-route] parameter names do not distinguish routes") {
  CHECK(summary(checked({route_file("routes/users.cpp",
                                    {route("GET", "/:id"), route("GET", "/:name")})})
                    .diagnostics) ==
        "src/routes/users.cpp:3:11 ambiguous-route: 'GET /users/:name' and 'GET /users/:id' match "
        "the same requests\n");
  CHECK(checked({route_file("routes/w.cpp", {route("GET", "/*a"), route("GET", "/*b")})})
            .diagnostics.size() == 1);
  CHECK(checked({route_file("routes/w.cpp", {route("GET", "/:a.:b"), route("GET", "/:c.:d")})})
            .diagnostics.size() == 1);
}

TEST_CASE("[ambiguous-route] routes that match different requests are not reported") {
  CHECK(checked({route_file("routes/users.cpp",
                            {route("GET", "/:id"), route("DELETE", "/:name"), route("GET", "/me"),
                             route("GET", "/:id/x"), route("GET", "/*"), route("GET", "/:a-:b"),
                             route("GET", "/:c.:d")})})
            .diagnostics.empty());
}

TEST_CASE("[duplicate-route-file] two files with one prefix are one error") {
  const auto found = checked({route_file("routes/users.cpp", {route("GET", "/")}),
                              route_file("routes/users/index.cpp", {route("GET", "/")})})
                         .diagnostics;
  CHECK(summary(found) ==
        "src/routes/users/index.cpp:1:1 duplicate-route-file: 'routes/users.cpp' and "
        "'routes/users/index.cpp' both have the prefix '/users'\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].notes.size() == 1);
  CHECK(summary(checked({route_file("routes/Users.cpp", {}), route_file("routes/users.cpp", {})})
                    .diagnostics) ==
        "src/routes/users.cpp:1:1 duplicate-route-file: 'routes/Users.cpp' and "
        "'routes/users.cpp' have prefixes that differ only in case: '/Users' and '/users'\n");
}

TEST_CASE("[duplicate-route-file] a file whose routes cannot be read occupies its prefix too") {
  const auto found = checked({route_file("routes/users.cpp", {route("GET", "/")}),
                              reexport_file("routes/users/index.cpp", "missing.cpp")})
                         .diagnostics;
  REQUIRE(found.size() == 2);
  CHECK(found[0].id == "duplicate-route-file");
  CHECK(found[1].id == "reexport-not-resolvable");
}

TEST_CASE("[duplicate-operation-id] written and inferred ids share one namespace") {
  // Two inferred ones, as in the conformance case.
  CHECK(summary(checked({route_file("routes/index.cpp",
                                    {route("GET", "/users-list"), route("GET", "/users/list")})})
                    .diagnostics) ==
        "src/routes/index.cpp:3:11 duplicate-operation-id: the operation id 'getUsersList' is used "
        "twice\n");
  // An inferred and a written one: both places are shown.
  const auto found = checked({route_file("routes/a.cpp", {route("GET", "/", with_id("getB"))}),
                              route_file("routes/b.cpp", {route("GET", "/")})})
                         .diagnostics;
  REQUIRE(found.size() == 1);
  CHECK(found[0].range.file == "src/routes/b.cpp");
  REQUIRE(found[0].notes.size() == 1);
  CHECK(found[0].notes[0].message == "first use: explicit id of 'GET /a'");
  CHECK(found[0].notes[0].range.file == "src/routes/a.cpp");
}

TEST_CASE("[duplicate-operation-id] a duplicate route is not reported a second time") {
  CHECK(checked({route_file("routes/index.cpp", {route("GET", "/x"), route("GET", "/X")})})
            .diagnostics.size() == 1);
}

TEST_CASE("[duplicate-operation-id] unresolved options give no inferred id") {
  auto unresolved = route("GET", "/users/list");
  unresolved.options_resolved = false;
  CHECK(checked({route_file("routes/index.cpp", {route("GET", "/users-list"), unresolved})})
            .diagnostics.empty());
}

}  // namespace duplicates_test
