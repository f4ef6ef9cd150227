#include "schema/route_path.hpp"

#include <doctest/doctest.h>

#include "support/builders.hpp"

namespace route_path_test {

using namespace fairway::testing;
using fw::schema::join_route_paths;
using fw::schema::parse_route_path;
using fw::schema::PathError;
using fw::schema::RoutePath;

namespace {

RoutePath parsed(std::string_view path) {
  auto result = parse_route_path(path);
  REQUIRE(std::holds_alternative<RoutePath>(result));
  return std::get<RoutePath>(std::move(result));
}

// "offset+length message"
std::string error_in(std::string_view path) {
  const auto result = parse_route_path(path);
  REQUIRE(std::holds_alternative<PathError>(result));
  const auto& found = std::get<PathError>(result);
  return std::to_string(found.offset) + "+" + std::to_string(found.length) + " " + found.message;
}

std::string path_of(const std::string& file, const std::string& subpath) {
  const auto resolution = checked({route_file(file, {route("GET", subpath)})});
  REQUIRE(summary(resolution.diagnostics).empty());
  return resolution.application.files.at(0).routes.at(0).path;
}

}  // namespace

TEST_CASE("route path: the final path is the file's prefix and the subpath") {
  CHECK(path_of("routes/users.cpp", "/list") == "/users/list");
  CHECK(path_of("routes/users.cpp", "/") == "/users");
  CHECK(path_of("routes/users.cpp", "/:id") == "/users/:id");
  CHECK(path_of("routes/index.cpp", "/") == "/");
  CHECK(path_of("routes/index.cpp", "/health") == "/health");
  CHECK(path_of("routes/api/index.cpp", "") == "/api");
  CHECK(path_of("routes/api/orders.cpp", "/trail/") == "/api/orders/trail");
  CHECK(path_of("routes/index.cpp", "/MixedCase") == "/MixedCase");
  CHECK(path_of("routes/users.cpp", "list") == "/users/list");
  CHECK(path_of("routes/index/users.cpp", "/") == "/index/users");
}

TEST_CASE("route path: prefix and subpath are joined with one slash") {
  CHECK(join_route_paths("/", "") == "/");
  CHECK(join_route_paths("/users/", "/list//") == "/users/list");
}

TEST_CASE("route path: segments are literals, parameters, patterns and a wildcard") {
  using Kind = fw::schema::Segment::Kind;
  const RoutePath path = parsed("/Files/:id/:name.:ext/near/:lat-:lng/*rest");
  REQUIRE(path.segments.size() == 6);
  CHECK(path.segments[0].kind == Kind::literal);
  CHECK(path.segments[0].text == "files");
  CHECK(path.segments[1].kind == Kind::parameter);
  CHECK(path.segments[2].kind == Kind::pattern);
  REQUIRE(path.segments[2].parts.size() == 3);
  CHECK(path.segments[2].parts[1].text == ".");
  CHECK(path.segments[5].kind == Kind::wildcard);
  CHECK(path.names == std::vector<std::string>{"id", "name", "ext", "lat", "lng", "rest"});
  CHECK(path.shape() == "/files/:/:.:/near/:-:/*");
  CHECK(parsed("/a/*").names == std::vector<std::string>{"*"});
  CHECK(parsed("/").shape() == "/");
}

TEST_CASE("route path: a syntax error has an offset and a length") {
  CHECK(error_in("users") == "0+1 a path must begin with '/'");
  CHECK(error_in("/a//b") == "2+2 a path must not have empty segments");
  CHECK(error_in("/a/:/b") == "3+1 a parameter has no name");
  CHECK(error_in("/:id/x/:id") == "8+2 the parameter 'id' is declared twice");
  CHECK(error_in("/:a:b") == "3+2 there is no literal between ':a' and ':b'");
  CHECK(error_in("/a/*/b") == "3+1 a wildcard must be the last segment of the path");
  CHECK(error_in("/a/x*") == "4+1 a wildcard must be a whole segment");
  CHECK(error_in("/a/*a-b") == "3+4 a wildcard must be a whole segment");
  CHECK(error_in("/users/{id}") == "7+1 a path cannot have the character '{'");
  CHECK(error_in("/users?page") == "6+1 a path cannot have the character '?'");
  CHECK(error_in("/:id?") == "4+1 a path cannot have optional parameters");
  CHECK(error_in("/:id(\\d+)") == "4+1 a path cannot have regular expressions");
  CHECK(error_in("/a b") == "2+1 a path must not contain spaces");
  CHECK(error_in("/caf\xC3\xA9") == "4+2 a path cannot have the character '\xC3\xA9'");
  CHECK(error_in("/a%20b") == "2+1 a path cannot have the character '%'");
  CHECK(error_in(std::string_view("/a\0", 3)) ==
        "2+1 a path cannot have the control character 0x00");
  std::string many;
  for (int i = 0; i < 33; ++i) many += "/:p" + std::to_string(i);
  CHECK(error_in(many).ends_with("a path must not have more than 32 parameters"));
}

TEST_CASE("[bad-route-path] the caret points inside the registered subpath") {
  // "/users" + "/a//b": the error is at the third byte of the subpath; its quote is in column 11.
  const auto resolution = checked({route_file("routes/users.cpp", {route("GET", "/a//b")})});
  CHECK(summary(resolution.diagnostics) ==
        "src/routes/users.cpp:2:14 bad-route-path: a path must not have empty segments\n");
  CHECK(resolution.diagnostics[0].range.end_column == 16);
  CHECK(resolution.diagnostics[0].route == "/users/a//b");
  CHECK(resolution.diagnostics[0].method == "GET");
  // Without a slash of its own, and below the index at the top.
  CHECK(summary(checked({route_file("routes/users.cpp", {route("GET", "a b")})}).diagnostics) ==
        "src/routes/users.cpp:2:13 bad-route-path: a path must not contain spaces\n");
  CHECK(summary(checked({route_file("routes/index.cpp", {route("GET", "/a b")})}).diagnostics) ==
        "src/routes/index.cpp:2:14 bad-route-path: a path must not contain spaces\n");
}

TEST_CASE("[bad-route-path] an invalid file name is reported once, at the file") {
  const auto resolution =
      checked({route_file("routes/my users.cpp", {route("GET", "/"), route("POST", "/")})});
  CHECK(
      summary(resolution.diagnostics) ==
      "src/routes/my users.cpp:1:1 bad-route-path: the file's prefix '/my users' is not a path: a "
      "path must not contain spaces\n");
}

}  // namespace route_path_test
