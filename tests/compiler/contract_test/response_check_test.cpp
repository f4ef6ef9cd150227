#include "contract_test/response_check.hpp"

#include <doctest/doctest.h>

namespace fairway::contract_test {
namespace {

/// Checks a response without a body against `"2XX"` and `"3XX"` responses of JSON.
std::optional<Violation> check_empty(int status) {
  const diff::Document document("openapi.json", Json::object());
  const SchemaChecker checker(document);
  const Json response = {{"content", {{"application/json", {{"schema", {{"type", "object"}}}}}}}};
  Operation operation;
  operation.responses = {{"2XX", response}, {"3XX", response}};
  Response empty;
  empty.status = status;
  return check_response(checker, operation, {.method = "POST", .target = "/"}, empty,
                        ErrorStatuses::declared);
}

/// Checks a body against a type with an unknown status of success.
std::optional<Violation> check_any_success(int status, const std::string& body) {
  const diff::Document document("openapi.json", Json::object());
  const SchemaChecker checker(document);
  const Json schema = Json::parse(
      R"({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})");
  Operation operation;
  operation.responses = {{"2XX", {{"content", {{"application/json", {{"schema", schema}}}}}}}};
  Response response;
  response.status = status;
  response.headers = {{"Content-Type", "application/json"}};
  response.body = body;
  return check_response(checker, operation, {.method = "POST", .target = "/"}, response,
                        ErrorStatuses::declared);
}

}  // namespace

TEST_CASE("contract: a type with an unknown status describes each success") {
  for (const int status : {200, 201, 299}) {
    CAPTURE(status);
    CHECK_FALSE(check_any_success(status, R"({"a": 1})"));
    CHECK(check_any_success(status, R"({"a": "one"})"));
    CHECK(check_any_success(status, "{}"));
  }
  CHECK(check_any_success(302, R"({"a": 1})"));
}

TEST_CASE("contract: a status without content needs no body of the declared media type") {
  for (const int status : {204, 205, 304}) {
    CAPTURE(status);
    CHECK_FALSE(check_empty(status));
  }
}

TEST_CASE("contract: a status with content needs a body of the declared media type") {
  for (const int status : {200, 201, 206, 301}) {
    CAPTURE(status);
    const auto violation = check_empty(status);
    REQUIRE(violation);
    CHECK(violation->title == "undeclared media type");
  }
}

}  // namespace fairway::contract_test
