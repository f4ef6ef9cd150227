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

}  // namespace

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
