// Streams of events and of lines: what is wrong with their declaration.
#include <doctest/doctest.h>

#include <string>

#include "rules/lints.hpp"
#include "support/builders.hpp"

namespace stream_rules_test {

using namespace fairway;
using namespace fairway::testing;
using model::Value;

namespace {

const Value kId = entries({{"id", text("integer")}});

Value events(const Named& pairs) { return call("events", {entries(pairs)}); }
Value lines(Value schema) { return call("lines", {std::move(schema)}); }

Value with(Named responses, Named others = {}) {
  others.emplace_back("responses", entries(responses));
  return options(std::move(others));
}

std::string errors(const Value& value, const std::string& method = "GET") {
  const auto resolution = checked({route_file("routes/live.cpp", {route(method, "/", value)})});
  std::string found;
  for (const auto& diagnostic : resolution.diagnostics) {
    found += diagnostic.id + ": " + diagnostic.message + "\n";
  }
  return found;
}

model::SentResponse sent(const std::string& function) {
  return {.function = function, .statuses = {200}, .range = {"src/routes/live.cpp", 3, 5, 3, 9}};
}

model::Registration live(Value value, std::vector<model::SentResponse> responses = {}) {
  model::Registration result = route("GET", "/", std::move(value));
  result.handler.sent = std::move(responses);
  result.handler.sends_others = false;
  return result;
}

std::string mismatches(const model::Registration& registration) {
  return summary(checked({route_file("routes/live.cpp", {registration})}).diagnostics);
}

const Value kLive = with(
    {{"200", events({{"created", entries({{"id", text("integer")}, {"note", text("string?")}})},
                     {"tick", text("integer:0-")}})}});

}  // namespace

TEST_CASE("[bad-stream] each event has one declaration") {
  CHECK(errors(with({{"200", events({{"a", kId}, {"b", text("string")}})}})) == "");
  CHECK(errors(with({{"200", lines(kId)}})) == "");
  CHECK(errors(with({{"200", events({})}})) == "bad-stream: 'fw::events' declares no event\n");
  CHECK(errors(with({{"200", events({{"a", kId}, {"a", text("string")}})}})) ==
        "bad-stream: the event 'a' is declared twice\n");
  CHECK(errors(with({{"200", events({{"", kId}})}})) == "bad-stream: an event has no name\n");
  CHECK(errors(with({{"200", events({{"a\nb", kId}})}})) ==
        "bad-stream: the name of an event cannot contain control characters\n");
  CHECK(errors(with({{"200", events({{"a b", kId}, {"a-b", kId}})}})) ==
        "same-cpp-name: the events 'a b' and 'a-b' have the same name in C++, 'AB_'\n");
}

TEST_CASE("[bad-stream] a stream is the only success with data, and has the status 200") {
  CHECK(errors(with({{"201", events({{"a", kId}})}})) ==
        "bad-stream: a stream of events must have the status 200, not '201'\n");
  CHECK(errors(with({{"2xx", lines(kId)}})) ==
        "bad-stream: a stream of lines must have the status 200, not '2xx'\n");
  CHECK(errors(with({{"200", events({{"a", kId}})}, {"201", lines(kId)}})) ==
        "bad-stream: a stream of lines must have the status 200, not '201'\n");
  CHECK(errors(with({{"200", events({{"a", kId}})}, {"202", kId}})) ==
        "bad-stream: 'responses' declares a stream for '200' and data for '202'\n");
  CHECK(errors(with({{"200", events({{"a", kId}})}, {"404", kId}, {"default", kId}})) == "");
  CHECK(errors(with({{"200", events({{"a", kId}})}}), "HEAD") ==
        "bad-stream: a HEAD route sends no events\n");
  CHECK(errors(with({{"200", events({{"a", kId}})}}), "POST") == "");
}

TEST_CASE("[bad-stream] a stream is no part of another schema") {
  const std::string error =
      "bad-stream: a stream must be the response to a selector of "
      "'responses'\n";
  CHECK(errors(with({{"200", events({{"a", lines(kId)}})}})) == error);
  const auto docs =
      record("Docs",
             {{"responses", entries({{"200", record("ResponseDocs", {{"schema", lines(kId)}})}})}});
  CHECK(errors(options({{"docs", docs}})) == error);
}

TEST_CASE("[bad-schema] the schemas of events and lines are checked") {
  CHECK(errors(with({{"200", events({{"a", text("intege")}})}})).starts_with("bad-schema: "));
  CHECK(errors(with({{"200", lines(entries({{"a?", text("integer")}}))}}))
            .starts_with("bad-schema: "));
  CHECK(errors(with({{"200", events({{"a", call("json_schema", {text("{")})}})}}))
            .starts_with("bad-json-schema: "));
}

TEST_CASE("[conflicting-options] a stream excludes some options, and 'events' needs one") {
  const Named stream = {{"200", events({{"a", kId}})}};
  CHECK(errors(with(stream, {{"cache", integer(5000)}})) ==
        "conflicting-options: a stream of events excludes 'cache'\n");
  CHECK(errors(with(stream, {{"cache", flag(false)}})) == "");
  CHECK(errors(with({{"200", lines(kId)}}, {{"cache", integer(5000)}})) ==
        "conflicting-options: a stream of lines excludes 'cache'\n");
  const auto queue = record("EventOptions", {{"overflow", text("coalesce")}});
  CHECK(errors(with(stream, {{"events", queue}})) == "");
  CHECK(errors(with({{"200", lines(kId)}}, {{"events", queue}})) ==
        "conflicting-options: a stream of lines excludes 'events.overflow' 'coalesce'\n");
  CHECK(errors(with({{"200", kId}}, {{"events", queue}})) ==
        "conflicting-options: 'events' needs a stream\n");
  for (const char* name : {"content_type", "example"}) {
    CAPTURE(name);
    const auto docs = record(
        "Docs",
        {{"responses", entries({{"200", record("ResponseDocs", {{name, text("text/plain")}})}})}});
    CHECK(errors(with(stream, {{"docs", docs}})) == "bad-stream: 'docs.responses' declares '" +
                                                        std::string(name) +
                                                        "' for '200', which is a stream\n");
  }
}

TEST_CASE("[response-mismatch] a handler begins the stream that is declared") {
  const Value stream = with({{"200", events({{"a", kId}})}});
  CHECK(mismatches(live(stream, {sent("events")})) == "");
  CHECK(mismatches(live(with({{"200", lines(kId)}}), {sent("lines")})) == "");
  CHECK(mismatches(live(stream, {sent("lines")})) ==
        "src/routes/live.cpp:3:5 response-mismatch: the handler begins a stream of lines, which "
        "'responses' does not declare for status 200\n");
  CHECK(mismatches(live(with({{"200", kId}}), {sent("events")})) ==
        "src/routes/live.cpp:3:5 response-mismatch: the handler begins a stream of events, which "
        "'responses' does not declare for status 200\n");
  const Value other_status = with({{"201", events({{"a", kId}})}});
  CHECK(mismatches(live(other_status, {sent("events")})).find("response-mismatch") ==
        std::string::npos);
  CHECK(mismatches(live(options({}), {sent("events")})) ==
        "src/routes/live.cpp:3:5 response-mismatch: the handler begins a stream of events, which "
        "'responses' does not declare for status 200\n");
  CHECK(mismatches(live(stream, {sent("json")})) ==
        "src/routes/live.cpp:3:5 response-mismatch: status 200 is a stream of events, and the "
        "handler calls 'res.json'\n");
  model::SentResponse text_response = sent("text");
  text_response.range = {};
  CHECK(mismatches(live(stream, {text_response}))
            .ends_with("response-mismatch: status 200 is a stream of events, and the handler calls "
                       "'res.text'\n"));
  model::SentResponse other = sent("json");
  other.statuses = {404};
  CHECK(mismatches(live(stream, {sent("events"), other})) == "");
}

TEST_CASE("[response-mismatch] options that could not be resolved may declare a stream") {
  model::Registration unresolved = live(options({}), {sent("events")});
  CHECK(mismatches(unresolved) != "");
  unresolved.options_resolved = false;
  CHECK(mismatches(unresolved) == "");
}

TEST_CASE("[stream-not-begun] a handler that never begins its stream is reported") {
  const auto found = [](model::Registration registration) {
    const std::vector files = {route_file("routes/live.cpp", {std::move(registration)})};
    const auto resolution = checked(files);
    REQUIRE(summary(resolution.diagnostics) == "");
    std::string texts;
    for (const auto& each : rules::lint(resolution.application, files)) {
      if (each.id == "stream-not-begun") texts += each.message;
    }
    return texts;
  };
  CHECK(found(live(kLive)) ==
        "'responses' declares events, and the handler never calls "
        "'res.events()'");
  CHECK(found(live(with({{"200", lines(kId)}}))) ==
        "'responses' declares lines, and the handler never calls 'res.lines()'");
  CHECK(found(live(kLive, {sent("events")})) == "");
  model::Registration unknown = live(kLive);
  unknown.handler.sends_others = true;
  CHECK(found(unknown) == "");
}

}  // namespace stream_rules_test
