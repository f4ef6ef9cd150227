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

/// The title of the violation of a stream; empty for none.
std::string problem_of(const std::string& type, const Json& media, const std::string& body) {
  const diff::Document document("openapi.json", Json::object());
  const SchemaChecker checker(document);
  Operation operation;
  operation.responses = {{"200", {{"content", {{type, media}}}}}};
  Response response;
  response.status = 200;
  response.headers = {{"Content-Type", type + "; charset=utf-8"}};
  response.body = body;
  const auto violation = check_response(checker, operation, {.method = "GET", .target = "/"},
                                        response, ErrorStatuses::declared);
  return violation ? violation->title : "";
}

/// Of a stream with the events `created` and `count`.
std::string problem_of_events(const std::string& body) {
  const Json events = Json::parse(R"({
    "created": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
    "count": {"type": "integer"}})");
  return problem_of("text/event-stream", {{"x-fw-events", events}}, body);
}

/// Of a stream of integers, one in each line.
std::string problem_of_lines(const std::string& body) {
  return problem_of("application/x-ndjson", {{"x-fw-lines", {{"type", "integer"}}}}, body);
}

}  // namespace

TEST_CASE("contract: each event of a stream is declared and matches its schema") {
  CHECK(problem_of_events("") == "");
  CHECK(problem_of_events(": heartbeat\n\n") == "");
  CHECK(problem_of_events("id: 7\nevent: created\ndata: {\"id\":1}\n\nevent: count\ndata: 2\n\n") ==
        "");
  CHECK(problem_of_events("event: created\ndata: {\"id\":\"1\"}\n\n") ==
        "the event 'created' does not match its schema at /id");
  CHECK(problem_of_events("event: count\ndata: 2\n\nevent: count\ndata: two\n\n") ==
        "the event 'count' is not JSON");
  CHECK(problem_of_events("event: deleted\ndata: 1\n\n") == "undeclared event 'deleted'");
  CHECK(problem_of_events("data: 1\n\n") == "undeclared event 'message'");
}

TEST_CASE("contract: an event that has not arrived completely is not compared") {
  CHECK(problem_of_events("event: count\ndata: 2\n\nevent: count\ndata: tw") == "");
  CHECK(problem_of_events("event: count\ndata: two\n") == "");
  CHECK(problem_of_lines("1\n2\nthr") == "");
}

TEST_CASE("contract: each line of a stream of lines matches the schema") {
  CHECK(problem_of_lines("1\n2\r\n\n3\n") == "");
  CHECK(problem_of_lines("1\n\"2\"\n") == "a line does not match its schema");
  CHECK(problem_of_lines("1\n{\n") == "a line is not JSON");
}

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
