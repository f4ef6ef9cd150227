// What is emitted for streams of events and of lines.
#include <doctest/doctest.h>

#include <string>

#include "emit/application_files.hpp"
#include "emit/clients/client_api.hpp"
#include "emit/openapi.hpp"
#include "support/builders.hpp"

namespace stream_outputs_test {

using namespace fairway;
using namespace fairway::testing;
using model::Json;
using model::Value;

namespace {

const Value kId = entries({{"id", text("integer")}});

Value events(const Named& pairs) { return call("events", {entries(pairs)}); }
Value events_of_ids() { return events({{"a", kId}}); }
Value lines(Value schema) { return call("lines", {std::move(schema)}); }

Value with(Named responses, Named others = {}) {
  others.emplace_back("responses", entries(responses));
  return options(std::move(others));
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

Json document(const Value& value, model::OpenApiVersion version) {
  model::Registration registration = live(value, {sent("events")});
  const auto resolution = checked({route_file("routes/live.cpp", {registration})});
  REQUIRE(summary(resolution.diagnostics) == "");
  return emit::openapi_document(resolution.application, {.openapi = version});
}

const Json& content(const Json& document) {
  return document["paths"]["/live"]["get"]["responses"]["200"]["content"];
}

const Value kLive = with(
    {{"200", events({{"created", entries({{"id", text("integer")}, {"note", text("string?")}})},
                     {"tick", text("integer:0-")}})}});

}  // namespace

TEST_CASE("streams: the types of events have their names, and lines have one") {
  const auto header_of = [](const Value& value) {
    const auto resolution = checked({route_file("routes/live.cpp", {live(value)})});
    REQUIRE(summary(resolution.diagnostics) == "");
    const auto& application = resolution.application;
    return emit::emit_route_types(application, application.files.front());
  };
  const auto has = [](const std::string& whole, const std::string& part) {
    return whole.find(part) != std::string::npos;
  };
  const auto files = header_of(kLive);
  CHECK(has(files.header,
            "struct GetLive {\n  struct Created {\n    static constexpr "
            "std::string_view kEventName = \"created\";\n"));
  CHECK(has(files.header,
            "  struct Tick {\n    static constexpr std::string_view kEventName = "
            "\"tick\";\n    friend void fw_encode(fw::detail::JsonWriter& out, const "
            "Tick& value);\n\n    std::int64_t data = {};\n"));
  CHECK(has(files.header, "  using Event = std::variant<Created, Tick>;\n"));
  CHECK(has(files.source, "{\"200\", &typeid(GetLive::Created), \"created\"},\n"));
  CHECK(has(files.source,
            "void fw_encode(fw::detail::JsonWriter& out, const GetLive::Tick& value) "
            "{ out.tree(fw::Json(value)); }\n"));
  CHECK_FALSE(has(files.source, "typeid(GetLive::Tick)"));
  const auto of_lines = header_of(with({{"200", lines(kId)}}));
  CHECK(has(of_lines.header, "  struct Line {\n    std::int64_t id = {};\n"));
  CHECK(has(of_lines.source, "{\"200\", &typeid(GetLive::Line), \"\"},\n"));
}

TEST_CASE("openapi: events are an extension before 3.2, and items of the stream in 3.2") {
  const Json created = Json::parse(R"({"$ref": "#/components/schemas/GetLiveCreated"})");
  const Json tick = Json::parse(R"({"type": "integer", "minimum": 0})");
  for (const auto version : {model::OpenApiVersion::v3_1, model::OpenApiVersion::v3_0}) {
    const Json written = document(kLive, version);
    const Json& media = content(written)["text/event-stream"];
    CHECK(content(written).size() == 1);
    CHECK(media["schema"] == Json::parse(R"({"type": "string"})"));
    CHECK(media["x-fw-events"]["created"] == created);
    CHECK(media["x-fw-events"]["tick"] == tick);
    CHECK(written["paths"]["/live"]["get"]["responses"].contains("429"));
  }
  const Json written = document(kLive, model::OpenApiVersion::v3_2);
  CHECK(written["openapi"] == "3.2.0");
  const Json& media = content(written)["text/event-stream"];
  CHECK(media.size() == 1);
  const Json& choices = media["itemSchema"]["oneOf"];
  REQUIRE(choices.size() == 2);
  CHECK(choices[0]["required"] == Json({"event", "data"}));
  CHECK(choices[0]["properties"]["event"]["const"] == "created");
  CHECK(choices[0]["properties"]["data"]["contentSchema"] == created);
  CHECK(choices[1]["properties"]["data"]["contentSchema"] == tick);
}

TEST_CASE("openapi: the event 'message' is sent without a name") {
  const Value value = with({{"200", events({{"message", kId}, {"tick", kId}})}});
  const Json written = document(value, model::OpenApiVersion::v3_2);
  const Json& choices = content(written)["text/event-stream"]["itemSchema"]["oneOf"];
  CHECK(choices[0]["required"] == Json::array({"data"}));
  CHECK(choices[0]["properties"]["event"]["const"] == "message");
  CHECK(choices[1]["required"] == Json::array({"event", "data"}));
}

TEST_CASE("openapi: lines are an extension before 3.2, and items of the stream in 3.2") {
  const Value value = with({{"200", lines(kId)}});
  model::Registration registration = live(value, {sent("lines")});
  const auto resolution = checked({route_file("routes/live.cpp", {registration})});
  REQUIRE(summary(resolution.diagnostics) == "");
  const Json line = Json::parse(R"({"$ref": "#/components/schemas/GetLiveLine"})");
  const Json old = emit::openapi_document(resolution.application, {});
  CHECK(content(old)["application/x-ndjson"]["x-fw-lines"] == line);
  const Json written =
      emit::openapi_document(resolution.application, {.openapi = model::OpenApiVersion::v3_2});
  CHECK(content(written) == Json({{"application/x-ndjson", {{"itemSchema", line}}}}));
}

TEST_CASE("streams: the types that a handler returns are its events") {
  const auto returns = [](const std::string& name, const std::string& event) {
    return model::TypedResult{
        .status = 200,
        .type = {.name = "::" + name,
                 .schema = R"({"type": "object", "properties": {")" + name +
                           R"(": {"type": "integer"}}, "required": [")" + name + "\"]}"},
        .range = {},
        .stream = event.empty() ? "lines" : "events",
        .event = event};
  };
  model::Registration registration = live(options({}));
  registration.signature.results = {returns("Moved", "moved"), returns("Removed", "gone")};
  auto resolution = checked({route_file("routes/live.cpp", {registration})});
  REQUIRE(summary(resolution.diagnostics) == "");
  const model::Route& events = resolution.application.files.front().routes.front();
  CHECK(events.inferred_responses["200"]["$events"]["gone"]["$type"]["required"] ==
        Json::array({"Removed"}));
  CHECK_FALSE(events.has_generated_types());
  CHECK_FALSE(events.options.contains("responses"));
  const Json document = emit::openapi_document(resolution.application, {});
  const Json& names = content(document)["text/event-stream"]["x-fw-events"];
  CHECK(names.size() == 2);
  CHECK(names["moved"]["$ref"] == "#/components/schemas/GetLiveMoved");

  registration.signature.results = {returns("Row", "")};
  resolution = checked({route_file("routes/live.cpp", {registration})});
  REQUIRE(summary(resolution.diagnostics) == "");
  const model::Route& rows = resolution.application.files.front().routes.front();
  CHECK(rows.inferred_responses["200"]["$lines"]["$type"]["required"] == Json::array({"Row"}));

  registration.signature.results = {returns("Moved", "moved")};
  registration.options = with({{"200", events_of_ids()}});
  resolution = checked({route_file("routes/live.cpp", {registration})});
  CHECK(summary(resolution.diagnostics)
            .find("conflicting-schema: 'responses' and the result of the "
                  "handler both declare the events of status 200") != std::string::npos);
}

TEST_CASE("client api: an operation streams unless another success has data") {
  const auto read = [](const char* responses) {
    Json document = Json::parse(R"({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}})");
    document["paths"]["/x"]["get"] = {{"operationId", "getX"},
                                      {"responses", Json::parse(responses)}};
    return emit::read_client_api(document).operations.front();
  };
  const auto events = read(R"({"204": {}, "200": {"content": {"text/event-stream":
      {"schema": {}, "x-fw-events": {"a": {"type": "integer"}, "b": {}}}}}})");
  REQUIRE(events.streamed());
  REQUIRE(events.streamed()->items.size() == 2);
  CHECK(events.streamed()->items[0].name == "a");
  CHECK(events.streamed()->items[0].schema["type"] == "integer");
  const auto of_lines = read(R"({"200": {"content": {"application/x-ndjson":
      {"schema": {}, "x-fw-lines": {"type": "integer"}}}}})");
  REQUIRE(of_lines.streamed());
  CHECK(of_lines.streamed()->items[0].name == "");
  CHECK_FALSE(read(R"({"200": {"content": {"text/event-stream": {"schema": {}}}}})").streamed());
  CHECK_FALSE(read(R"({"201": {"content": {"application/json": {"schema": {}}}},
      "200": {"content": {"text/event-stream": {"x-fw-events": {"a": {}}}}}})")
                  .streamed());
}

}  // namespace stream_outputs_test
