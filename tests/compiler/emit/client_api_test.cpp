// What a typed client offers, read from documents of our own emitter and from written ones.
#include "emit/clients/client_api.hpp"

#include <doctest/doctest.h>

#include "emit/openapi.hpp"
#include "support/builders.hpp"

namespace client_api_test {

using namespace fairway;
using namespace fairway::testing;
using emit::ParameterLocation;
using model::Json;

namespace {

emit::ClientApi api_of(std::vector<model::Registration> routes,
                       const model::OpenApiOptions& options = {}) {
  const auto resolution = checked({route_file("routes/index.cpp", std::move(routes))});
  REQUIRE(summary(resolution.diagnostics) == "");
  return emit::read_client_api(emit::openapi_document(resolution.application, options));
}

emit::ClientOperation operation_of(const std::string& method, const std::string& path,
                                   const model::Value& options) {
  const auto api = api_of({route(method, path, options)});
  REQUIRE(api.operations.size() == 1);
  return api.operations.front();
}

/// A document with one operation, GET /x, of these responses.
Json document_with(const char* responses, const char* schemas) {
  Json document = Json::parse(R"({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}})");
  document["paths"]["/x"]["get"]["operationId"] = "getX";
  document["paths"]["/x"]["get"]["responses"] = Json::parse(responses);
  document["components"]["schemas"] = Json::parse(schemas);
  return document;
}

constexpr const char* kEnvelope = R"({
  "type": "object",
  "properties": {"code": {"type": "integer", "const": 0},
                 "data": {"$ref": "#/components/schemas/Thing"},
                 "requestId": {"type": "string"}},
  "required": ["code", "data", "requestId"]})";

}  // namespace

TEST_CASE("client api: titles and operations are in document order") {
  const auto api = api_of({route("GET", "/b"), route("DELETE", "/a"), route("POST", "/a")},
                          {.title = "Shop", .version = "2.0.0"});
  CHECK(api.title == "Shop");
  CHECK(api.version == "2.0.0");
  REQUIRE(api.operations.size() == 3);
  CHECK(api.operations[0].id == "getB");
  CHECK(api.operations[1].id == "createA");
  CHECK(api.operations[1].method == "POST");
  CHECK(api.operations[1].path == "/a");
  CHECK(api.operations[2].id == "deleteA");
  CHECK(!api.operations[2].body);
}

TEST_CASE("client api: parameters of every location are read, including wildcards") {
  const auto operation = operation_of(
      "GET", "/:id/*",
      options({{"validate",
                record("Validate", {{"param", entries({{"id", text("integer:1-")}})},
                                    {"query", entries({{"q", text("string?")}})},
                                    {"header", entries({{"X-Trace", text("uuid")}})},
                                    {"cookie", entries({{"theme", text("enum:a,b?")}})}})}}));
  REQUIRE(operation.parameters.size() == 5);
  CHECK(operation.parameters[0].name == "id");
  CHECK(operation.parameters[0].location == ParameterLocation::path);
  CHECK(operation.parameters[0].required);
  CHECK(operation.parameters[0].schema["type"] == "integer");
  CHECK(operation.parameters[1].name == "wildcard");
  CHECK(operation.parameters[1].wildcard);
  CHECK(operation.parameters[2].location == ParameterLocation::query);
  CHECK(!operation.parameters[2].required);
  CHECK(operation.parameters[3].location == ParameterLocation::header);
  CHECK(operation.parameters[3].required);
  CHECK(operation.parameters[4].location == ParameterLocation::cookie);
}

TEST_CASE("client api: documentation, security and bodies are read") {
  const auto operation = operation_of(
      "POST", "/up",
      options(
          {{"auth", flag(true)},
           {"validate", validate("body", {{"name", text("string")}})},
           {"multipart", record("Multipart", {{"files", entries({{"avatar", text("A face")}})}})},
           {"docs", record("Docs", {{"summary", text("Upload")},
                                    {"description", text("Long")},
                                    {"deprecated", flag(true)},
                                    {"operation_id", text("upload")}})}}));
  CHECK(operation.id == "upload");
  CHECK(operation.summary == "Upload");
  CHECK(operation.description == "Long");
  CHECK(operation.deprecated);
  CHECK(operation.secured);
  REQUIRE(operation.body);
  CHECK(operation.body->required);
  CHECK(!operation.body->json.is_null());
  CHECK(!operation.body->form.is_null());
}

TEST_CASE("client api: the envelope is removed and error responses are left out") {
  const auto data = entries({{"id", text("integer")}});
  const auto wrapped = api_of(
      {route("GET", "/", options({{"responses", entries({{"200", data}, {"404", data}})}}))});
  CHECK(wrapped.envelope);
  REQUIRE(wrapped.operations[0].responses.size() == 1);
  CHECK(wrapped.operations[0].responses[0].selector == "200");
  CHECK(wrapped.operations[0].responses[0].media_type == "application/json");
  const auto& reference = wrapped.operations[0].responses[0].schema;
  REQUIRE(reference.contains("$ref"));
  const std::string target = reference["$ref"];
  const auto component = wrapped.schemas.find(target.substr(target.rfind('/') + 1));
  REQUIRE(component != wrapped.schemas.end());
  CHECK(component->at("properties").contains("id"));
  const auto plain = api_of({route("GET", "/", options({{"responses", entries({{"200", data}})}}))},
                            {.envelope = false});
  CHECK(!plain.envelope);
  CHECK(plain.operations[0].responses[0].schema == wrapped.operations[0].responses[0].schema);
}

TEST_CASE("client api: a 304 changes no type") {
  const auto data = entries({{"id", text("integer")}});
  const auto responses = [&](bool has_entity_tags) {
    model::OpenApiOptions configured;
    configured.settings.config.etag = has_entity_tags ? fw::EntityTags::weak : fw::EntityTags::off;
    const auto api =
        api_of({route("GET", "/", options({{"responses", entries({{"200", data}})}}))}, configured);
    std::string all;
    for (const auto& response : api.operations.at(0).responses) {
      all += response.selector + " " + response.media_type + " " + response.schema.dump() + "\n";
    }
    return all;
  };
  CHECK(responses(true) == responses(false));
  CHECK(responses(true).starts_with("200 application/json "));
}

TEST_CASE("client api: responses without a body, with other media types and by default") {
  const auto operation_with = [](Named responses) {
    return operation_of(
               "GET", "/",
               options({{"docs", record("Docs", {{"responses", entries(std::move(responses))}})}}))
        .responses;
  };
  const auto none =
      operation_with({{"204", record("ResponseDocs", {{"description", text("gone")}})}});
  REQUIRE(none.size() == 1);
  CHECK(none[0].schema.is_null());
  const auto csv =
      operation_with({{"200", record("ResponseDocs", {{"content_type", text("text/csv")}})}});
  CHECK(csv[0].media_type == "text/csv");
  CHECK(!csv[0].schema.is_null());
  const auto moved =
      operation_with({{"302", record("ResponseDocs", {{"description", text("moved")}})}});
  REQUIRE(moved.size() == 1);
  CHECK(moved[0].selector == "default");
  CHECK(moved[0].schema.is_null());
}

TEST_CASE("client api: an envelope that is a component is removed too") {
  const auto api = emit::read_client_api(document_with(
      R"({"200": {"content": {"application/json": {
            "schema": {"$ref": "#/components/schemas/GetXResponse"}}}}})",
      ("{\"Thing\": {\"type\": \"string\"}, \"GetXResponse\": " + std::string(kEnvelope) + "}")
          .c_str()));
  CHECK(api.envelope);
  CHECK(api.operations[0].responses[0].schema.dump() == R"({"$ref":"#/components/schemas/Thing"})");
  CHECK(api.schemas.contains("Thing"));
}

TEST_CASE("client api: a success response keeps its schema if error responses have bodies") {
  const auto api = emit::read_client_api(document_with(
      R"({"default": {"content": {"application/json": {"schema": {"anyOf": [
            {"type": "integer"}, {"$ref": "#/components/schemas/Error"}]}}}}})",
      "{}"));
  CHECK(api.operations[0].responses[0].schema.dump() == R"({"type":"integer"})");
}

TEST_CASE("client api: errors with a code are apart from the schemas") {
  auto registration = route("GET", "/things");
  model::SentResponse error;
  error.function = "raise";
  error.statuses = {404};
  error.code = R"("THING_GONE")";
  registration.handler.sent = {{"json", {200}, ""}, error};
  error.statuses = {409};
  error.code = "7";
  registration.handler.sent.push_back(error);
  registration.handler.sends_others = false;
  const auto api = api_of({registration, route("GET", "/others")});
  REQUIRE(api.errors.size() == 2);
  CHECK(api.errors[0].name == "Error7");
  CHECK(api.errors[0].code == 7);
  CHECK(api.errors[1].name == "ThingGone");
  CHECK(api.errors[1].code == "THING_GONE");
  CHECK_FALSE(api.schemas.contains("ThingGone"));
  CHECK(api.schemas.contains("Error"));
  REQUIRE(api.operations[0].id == "getThings");
  REQUIRE(api.operations[0].errors.size() == 2);
  CHECK(api.operations[0].errors[0].selector == "404");
  CHECK(api.operations[0].errors[0].error == 1);
  CHECK(api.operations[0].errors[1].selector == "409");
  CHECK(api.operations[0].errors[1].error == 0);
  CHECK(api.operations[1].errors.empty());

  // A schema that only looks like one remains.
  const auto other = emit::read_client_api(document_with(
      R"({"404": {"content": {"application/json": {"schema": {"anyOf": [
            {"$ref": "#/components/schemas/Gone"}]}}}}})",
      R"({"Gone": {"type": "object", "properties": {"code": {"const": "GONE"}}}})"));
  CHECK(other.errors.empty());
  CHECK(other.schemas.contains("Gone"));
}

}  // namespace client_api_test
