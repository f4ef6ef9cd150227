#include <doctest/doctest.h>
#include <fmt/format.h>

#include "rules/lints.hpp"
#include "support/builders.hpp"

namespace undeclared_cache_dependency_test {

using namespace fairway;
using namespace fairway::testing;
using model::Value;

namespace {

const model::Range kRead = {"", 9, 1, 9, 2};

Value cache(Named members) { return record("RouteCacheOptions", std::move(members)); }

model::InputRead read(std::string location, std::string name) {
  return {.location = std::move(location),
          .path = {std::move(name)},
          .validated = false,
          .range = kRead};
}

model::Diagnostics found(model::Registration registration) {
  const auto resolution = checked({route_file("routes/index.cpp", {registration})});
  REQUIRE(summary(resolution.diagnostics).empty());
  auto result =
      rules::lint(resolution.application, {route_file("routes/index.cpp", {registration})});
  std::erase_if(result, [](const model::Diagnostic& diagnostic) {
    return diagnostic.id != "undeclared-cache-dependency";
  });
  return result;
}

/// The lints of a GET route with this cache whose handler reads these headers.
model::Diagnostics of_headers(Value cached, const std::vector<std::string>& headers) {
  auto registration = route("GET", "/", options({{"cache", std::move(cached)}}));
  for (const std::string& name : headers)
    registration.handler.reads.push_back(read("header", name));
  return found(std::move(registration));
}

/// The help for the only lint of a GET route with this cache.
std::string help(Value cached, std::vector<model::InputRead> reads,
                 std::vector<model::RequestCall> calls = {}) {
  auto registration = route("GET", "/", options({{"cache", std::move(cached)}}));
  registration.handler.reads = std::move(reads);
  registration.handler.calls = std::move(calls);
  const auto lints = found(std::move(registration));
  REQUIRE(lints.size() == 1);
  return lints[0].help;
}

/// The registration is in line 2: "column text" of the fix when a handler reads the header 'x-new';
/// empty if there is none.
std::string fix(Value headers) {
  Value cached = cache({{"headers", std::move(headers)}});
  auto registration = route("GET", "/", options({{"cache", std::move(cached)}}));
  registration.handler.reads = {read("header", "X-New")};
  const auto lints = found(std::move(registration));
  REQUIRE(lints.size() == 1);
  if (lints[0].fixes.empty()) return {};
  const model::FixIt& only = lints[0].fixes.at(0);
  CHECK(only.range.column == only.range.end_column);
  return fmt::format("{} {}", only.range.column, only.text);
}

Value written(unsigned line, std::vector<Value> items) {
  Value value = list(std::move(items));
  value.range = {"", line, 20, line, 40};
  return value;
}

}  // namespace

TEST_CASE("[undeclared-cache-dependency] a header that is not in the list is reported once") {
  const auto lints = of_headers(integer(5000), {"X-Currency", "x-currency", "accept-language"});
  REQUIRE(lints.size() == 2);
  CHECK(lints[0].range.line == 9);
  CHECK(lints[0].notes.size() == 1);
  CHECK(of_headers(cache({{"headers", list({text("x-currency")})}}), {"X-Currency"}).empty());
  CHECK(of_headers(cache({{"headers", list({text("x-other")})}}), {"X-Currency"}).size() == 1);
  CHECK(of_headers(cache({{"key", text("fixed")}}), {"X-Currency"}).size() == 1);
  CHECK(of_headers(cache({{"key", function()}}), {"X-Currency"}).empty());
  CHECK(of_headers(cache({{"partition_key", function()}}), {"X-Currency"}).empty());
  CHECK(of_headers(integer(5000), {"Authorization", "x-request-id", "If-None-Match"}).size() == 3);
  CHECK(of_headers(integer(5000), {"Host"}).empty());
  CHECK(of_headers(flag(false), {"X-Currency"}).empty());
}

TEST_CASE("[undeclared-cache-dependency] other parts of the key cover a dependency") {
  const auto reported = [](Value cached, std::vector<model::InputRead> reads,
                           std::vector<model::RequestCall> calls = {}) {
    auto registration = route("GET", "/:id", options({{"cache", std::move(cached)}}));
    registration.handler.reads = std::move(reads);
    registration.handler.calls = std::move(calls);
    return found(std::move(registration)).size();
  };
  // Without the permission, only responses to anonymous requests are stored.
  CHECK(reported(integer(1), {}, {{"auth", kRead}}) == 0);
  const Value cookies = cache({{"headers", list({text("Cookie")})}});
  CHECK(reported(cookies, {read("cookie", "a")}, {{"cookies", kRead}}) == 0);
  CHECK(reported(cookies, {}, {{"session", kRead}}) == 1);
  // A key of its own replaces the path, the query and the body.
  const std::vector<model::InputRead> inputs = {read("param", "id"), read("query", "page"),
                                                read("body", "a"), read("body", "b")};
  CHECK(reported(integer(1), inputs) == 0);
  CHECK(reported(cache({{"key", text("k")}}), inputs) == 3);
  CHECK(reported(cache({{"key", function()}}), inputs) == 0);
}

TEST_CASE("[undeclared-cache-dependency] the help names the option") {
  const auto of_header = [](const std::string& name, Value cached) {
    return help(std::move(cached), {read("header", name)});
  };
  const auto of_call = [](const std::string& function, Value cached) {
    return help(std::move(cached), {}, {{function, kRead}});
  };
  CHECK(of_header("X-A", integer(1)) == "add it: '.headers = {\"x-a\"}'");
  CHECK(of_header("x-a", cache({{"headers", list({text("X-B")})}})) ==
        "add it: '.headers = {\"x-b\", \"x-a\"}'");
  CHECK(of_header("traceparent", integer(1)) == "do not read it in the handler, or remove 'cache'");
  CHECK(of_header("authorization", integer(1)) ==
        "add '.partition_key', a function that returns the user or the tenant, or remove 'cache'");
  CHECK(of_call("auth", cache({{"allow_authorization_cache", flag(true)}})) ==
        "add '.partition_key', a function that returns the user or the tenant, or remove 'cache'");
  CHECK(of_call("headers", integer(1)) ==
        "read single headers with 'req.header', and name them in '.headers'");
  CHECK(of_call("session", integer(1)) ==
        "add '.partition_key', a function that returns its user, and '.allow_cookie_cache = true', "
        "or remove 'cache'");
  CHECK(of_call("session", cache({{"allow_cookie_cache", flag(true)}})) ==
        "add '.partition_key', a function that returns its user, or remove 'cache'");
  CHECK(of_call("ip", integer(1)) ==
        "add '.partition_key', a function that returns it, or remove 'cache'");
  CHECK(help(cache({{"query", list({text("page")})}}), {read("query", "sort")}) ==
        "add it: '.query = {\"page\", \"sort\"}'");
}

TEST_CASE("[undeclared-cache-dependency] the fix adds a name to a list in the registration") {
  CHECK(fix(written(2, {text_at(2, 21, "x-a"), text_at(2, 28, "x-b")})) == "33 , \"x-new\"");
  // The list, or its last name, is a constant elsewhere; the name is computed; the list is empty.
  CHECK(fix(written(5, {text_at(5, 21, "x-a")})) == "");
  CHECK(fix(written(2, {text_at(5, 21, "x-a")})) == "");
  CHECK(fix(written(2, {text("x-a")})) == "");
  CHECK(fix(written(2, {})) == "");
}

}  // namespace undeclared_cache_dependency_test
