// Traces of tools: the request of a tool is a part of the trace of its message.
#include <doctest/doctest.h>

#include "support/collector.hpp"
#include "support/table_builder.hpp"
#include "support/traced.hpp"

namespace tracing_tools_test {

using namespace fw::support;
using fw::testing::TestApp;

TEST_CASE("tracing: the request of a tool is within the span of its message") {
  Collector collector;
  TableBuilder table;
  table.openapi(R"({"openapi": "3.1.0", "paths": {"/notes": {"get": {"operationId": "listNotes",
                    "responses": {"200": {}}}}}})");
  table.routes([](fw::Router& app) {
    app.get("/notes", {.docs = {.operation_id = "listNotes"}, .mcp = true},
            [](fw::Request&, fw::Response& res) { res.json(1); });
  });
  TestApp app(table.table(), traced(collector.url()));
  const auto response = app.request("POST", "/mcp")
                            .header("traceparent", kSampled)
                            .json({{"jsonrpc", "2.0"},
                                   {"id", 1},
                                   {"method", "tools/call"},
                                   {"params", {{"name", "listNotes"}}}})
                            .send();
  CHECK(response.json()["result"]["isError"] == false);
  const CollectedSpan message = collector.await_named("POST /mcp");
  const CollectedSpan called = collector.await_named("GET /notes");
  CHECK(message.trace == kTrace);
  CHECK(message.parent == kCaller);
  CHECK(called.trace == kTrace);
  CHECK(called.parent != kCaller);
  // The handler of the endpoint may have a span of its own.
  const auto spans = collector.spans();
  const auto parent = std::ranges::find(spans, called.parent, &CollectedSpan::id);
  REQUIRE(parent != spans.end());
  CHECK((parent->id == message.id || parent->parent == message.id));
}

}  // namespace tracing_tools_test
