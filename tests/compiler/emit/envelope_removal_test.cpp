// The embedded document from which the runtime removes the envelope equals what the
// compiler writes for such an application.
#include <doctest/doctest.h>

#include "emit/openapi.hpp"
#include "openapi/openapi_document.hpp"
#include "support/builders.hpp"

namespace envelope_removal_test {

using namespace fairway;
using namespace fairway::testing;

namespace {

model::Value documented(const std::string& selector, Named config) {
  return options(
      {{"docs",
        record("Docs", {{"responses",
                         entries({{selector, record("ResponseDocs", std::move(config))}})}})}});
}

model::Value declared(const std::string& selector) {
  return options({{"responses", entries({{selector, entries({{"id", text("uuid")}})}})}});
}

}  // namespace

TEST_CASE("envelope: the runtime and the compiler remove the same envelope") {
  const auto example = entries({{"id", integer(1)}});
  const auto named =
      entries({{"one", record("ResponseExample", {{"summary", text("s")}, {"value", example}})}});
  const auto resolution = checked({route_file(
      "routes/index.cpp",
      {route("GET", "/plain"), route("GET", "/declared", declared("201")),
       route("GET", "/default", declared("default")), route("GET", "/error", declared("404")),
       route("GET", "/family", declared("2xx")),
       route("GET", "/none", documented("204", {{"description", text("none")}})),
       route("HEAD", "/head", declared("200")),
       route("GET", "/example", documented("200", {{"example", example}})),
       route("GET", "/examples", documented("200", {{"examples", named}})),
       route("GET", "/failed", documented("409", {{"example", example}})),
       route("GET", "/typed", documented("200", {{"schema", text("string")}})),
       route(
           "GET", "/csv",
           documented("200", {{"content_type", text("text/csv")}, {"schema", text("string")}}))})});
  REQUIRE(summary(resolution.diagnostics) == "");
  const auto& application = resolution.application;
  model::Json document = emit::openapi_document(application, {.envelope = true});
  const model::Json plain = emit::openapi_document(application, {.envelope = false});
  REQUIRE(document != plain);
  const auto unused = fw::openapi::unused_components(document);
  fw::openapi::remove_envelopes(document);
  fw::openapi::remove_unused_components(document, unused);
  CHECK(document.dump(2) == plain.dump(2));
}

}  // namespace envelope_removal_test
