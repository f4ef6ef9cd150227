// Routes with `mcp`: which of them cannot be tools.
#include <doctest/doctest.h>

#include <string>

#include "support/builders.hpp"

namespace tool_rules_test {

using namespace fairway;
using namespace fairway::testing;
using model::Value;

namespace {

std::string errors(Named others, const std::string& method = "GET", const std::string& path = "/") {
  others.emplace_back("mcp", flag(true));
  const auto resolution =
      checked({route_file("routes/notes.cpp", {route(method, path, options(std::move(others)))})});
  std::string found;
  for (const auto& diagnostic : resolution.diagnostics) {
    found += diagnostic.id + ": " + diagnostic.message + "\n";
    for (const auto& note : diagnostic.notes) found += "  " + note.message + "\n";
  }
  return found;
}

}  // namespace

TEST_CASE("[not-a-tool] a tool has one request and one response") {
  const Value kFields = entries({{"n", text("integer")}});
  CHECK(errors({}) == "");
  CHECK(errors({{"validate", record("Validate", {{"body", kFields}})}}, "POST") == "");
  CHECK(
      errors({{"responses", entries({{"200", call("events", {entries({{"tick", kFields}})})}})}}) ==
      "not-a-tool: a stream cannot be a tool\n  '200' is set here\n");
  CHECK(errors({{"frontend", record("Frontend", {{"page", text("p")}})}}) ==
        "not-a-tool: a page cannot be a tool\n  'frontend' is set here\n"
        "unknown-page: there is no page 'p'\n");
  CHECK(errors({{"multipart", record("Multipart", {{"enabled", flag(true)}})}}, "POST") ==
        "not-a-tool: an upload cannot be a tool\n  'multipart' is set here\n");
  CHECK(errors({{"multipart", record("Multipart", {{"enabled", flag(false)}})}}, "POST") == "");
  CHECK(errors({{"body_parser", record("BodyParser", {{"stream", flag(true)}})}}, "POST") ==
        "not-a-tool: a route that reads its body as a stream cannot be a tool\n"
        "  'stream' is set here\n");
  CHECK(errors({{"docs", record("Docs", {{"hidden", flag(true)}})}}) ==
        "not-a-tool: a route that is not in the document cannot be a tool\n"
        "  'hidden' is set here\n");
  CHECK(errors({}, "OPTIONS") == "not-a-tool: a route of the method OPTIONS cannot be a tool\n");
}

TEST_CASE("[not-a-tool] the operation id is a name that clients accept") {
  const auto named = [](const std::string& id) {
    return errors({{"docs", record("Docs", {{"operation_id", text(id)}})}});
  };
  CHECK(named(std::string(64, 'a')) == "");
  CHECK(named("orders_list-all") == "");
  CHECK(named("orders.list") ==
        "not-a-tool: 'orders.list' cannot be the name of a tool: it must have at most 64 letters, "
        "digits, '_' and '-'\n");
  CHECK(named(std::string(65, 'a')).starts_with("not-a-tool: "));
}

}  // namespace tool_rules_test
