// The measured facts about the document, for the routes of the conformance cases.
#include <doctest/doctest.h>

#include <fstream>

#include "emit/openapi.hpp"
#include "openapi_facts.hpp"
#include "support/builders.hpp"
#include "support/reference_options.hpp"

namespace openapi_conformance_test {

using namespace fairway;
using namespace fairway::testing;
using nlohmann::ordered_json;

TEST_CASE("openapi: documents match the conformance cases") {
  std::ifstream stream(FAIRWAY_CONFORMANCE_DIR "/openapi.json");
  REQUIRE(stream);
  const auto cases = ordered_json::parse(stream);
  const auto& group = cases["groups"]["full"];
  std::vector<model::Registration> registrations;
  for (const auto& entry : group["routes"]) {
    REQUIRE(entry["file"] == "src/routes/index.cpp");
    registrations.push_back(
        route(entry["method"], entry["path"],
              reference_options(entry.value("options", ordered_json::object()))));
  }
  std::vector<model::ParsedFile> files = {route_file("routes/index.cpp", registrations)};
  for (const std::string name : group["config"]["middlewares"]) {
    files.push_back(component_file("middlewares/" + name + ".cpp", model::ExportKind::middleware));
  }
  const auto resolution = checked(files);
  REQUIRE(summary(resolution.diagnostics) == "");
  const auto document = emit::openapi_document(
      resolution.application, {.guard_security = group["config"]["openapi"]["guardSecurityMap"]});

  int compared = 0;
  for (const auto& measured : cases["cases"]) {
    if (!measured["expect"].contains("operation")) continue;
    CAPTURE(measured["id"].get<std::string>());
    const auto& entry = group["routes"][measured["route"].get<std::size_t>()];
    const auto missing = fairway::test::missing_operation_facts(
        document, entry["method"], entry["path"], measured["expect"]["operation"]);
    CHECK_MESSAGE(missing.empty(), ordered_json(missing).dump(2));
    ++compared;
  }
  CHECK(compared > 0);
}

}  // namespace openapi_conformance_test
