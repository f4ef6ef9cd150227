#include "openapi/openapi_document.hpp"

#include <doctest/doctest.h>

#include "openapi/documentation.hpp"

namespace openapi_document_test {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson envelope(const OrderedJson& data) {
  OrderedJson schema = OrderedJson::parse(R"({"type": "object", "properties": {
      "code": {"type": "integer", "const": 0}, "data": {}, "requestId": {"type": "string"}},
      "required": ["code", "data", "requestId"]})");
  schema["properties"]["data"] = data;
  return schema;
}

OrderedJson document_with(const OrderedJson& media) {
  OrderedJson document = {{"openapi", "3.1.0"}};
  document["paths"]["/a"]["get"]["responses"]["200"]["content"]["application/json"] = media;
  return document;
}

const OrderedJson& media_of(const OrderedJson& document) {
  return document.at("paths")
      .at("/a")
      .at("get")
      .at("responses")
      .at("200")
      .at("content")
      .at("application/json");
}

}  // namespace

TEST_CASE("envelope removal: schemas and examples lose exactly one envelope") {
  const OrderedJson text = {{"type", "string"}};
  OrderedJson document = document_with(
      {{"schema", envelope(text)},
       {"example", {{"code", 0}, {"data", "x"}, {"requestId", "r"}}},
       {"examples", {{"one", {{"value", {{"code", 0}, {"data", "y"}, {"requestId", "r"}}}}}}}});
  fw::openapi::remove_envelopes(document);
  CHECK(media_of(document).at("schema") == text);
  CHECK(media_of(document).at("example") == "x");
  CHECK(media_of(document).at("examples").at("one").at("value") == "y");

  document = document_with({{"schema", envelope(envelope(text))}});
  fw::openapi::remove_envelopes(document);
  CHECK(media_of(document).at("schema") == envelope(text));
}

TEST_CASE("envelope removal: alternatives, named schemas and the enum notation of a constant") {
  const OrderedJson error = {{"$ref", "#/components/schemas/Error"}};
  OrderedJson old_style = envelope({{"type", "number"}});
  old_style["properties"]["code"] = {{"type", "integer"}, {"enum", {0}}};
  OrderedJson document = document_with(
      {{"schema", {{"anyOf", {old_style, {{"$ref", "#/components/schemas/Wrapped"}}, error}}}}});
  document["components"]["schemas"]["Wrapped"] = envelope({{"type", "boolean"}});
  document["components"]["schemas"]["Error"] = {{"type", "object"}};
  fw::openapi::remove_envelopes(document);
  const OrderedJson& any = media_of(document).at("schema").at("anyOf");
  CHECK(any.at(0) == OrderedJson{{"type", "number"}});
  CHECK(any.at(1) == OrderedJson{{"type", "boolean"}});
  CHECK(any.at(2) == error);
}

TEST_CASE("envelope removal: similar schemas are kept, with their examples") {
  OrderedJson schema = envelope({{"type", "string"}});
  schema["properties"]["more"] = {{"type", "string"}};
  const OrderedJson media = {{"schema", schema},
                             {"example", {{"code", 0}, {"data", 1}, {"requestId", "r"}}}};
  OrderedJson document = document_with(media);
  fw::openapi::remove_envelopes(document);
  CHECK(media_of(document) == media);
}

TEST_CASE("components: newly unused ones are removed, others are kept with their references") {
  OrderedJson document = OrderedJson::parse(R"({
    "paths": {"/a": {"get": {"x": {"$ref": "#/components/schemas/A"}, "security": [{"key": []}]}},
              "/b": {"get": {"x": {"$ref": "#/components/schemas/B"}, "security": [{"oauth": []}]}}},
    "components": {
      "schemas": {"A": {"$ref": "#/components/schemas/Inner/properties/x"}, "Inner": {}, "B": {},
                  "Extra": {"$ref": "#/components/schemas/OfExtra"}, "OfExtra": {},
                  "Loop": {"$ref": "#/components/schemas/Loop"}},
      "securitySchemes": {"key": {"type": "http"}, "oauth": {"type": "oauth2"}}}})");
  const auto unused = fw::openapi::unused_components(document);
  CHECK(unused == fw::openapi::ComponentNames{"schemas/Extra", "schemas/OfExtra", "schemas/Loop"});
  document["paths"].erase("/a");
  fw::openapi::remove_unused_components(document, unused);
  CHECK(document["components"]["schemas"].size() == 4);
  CHECK(document["components"]["schemas"].contains("B"));
  CHECK_FALSE(document["components"]["schemas"].contains("Inner"));
  CHECK(document["components"]["securitySchemes"] == OrderedJson{{"oauth", {{"type", "oauth2"}}}});
  document["paths"].erase("/b");
  fw::openapi::remove_unused_components(document, {});
  CHECK_FALSE(document.contains("components"));
}

TEST_CASE("documents of several tables: merged, and differences reported by name") {
  std::vector<std::string> errors;
  OrderedJson document;
  fw::openapi::add_document(document, R"({"info": {"title": "One"}, "tags": [{"name": "t"}],
      "paths": {"/a": {"get": {"operationId": "a"}}},
      "components": {"schemas": {"Same": {"type": "string"}, "Other": {"type": "string"}}}})",
                            errors);
  fw::openapi::add_document(document,
                            R"({"info": {"title": "Two"}, "tags": [{"name": "t"}, {"name": "u"}],
      "paths": {"/a": {"put": {"operationId": "b"}}, "/b": {"get": {}}},
      "components": {"schemas": {"Same": {"type": "string"}}}})",
                            errors);
  CHECK(errors.empty());
  CHECK(document["info"]["title"] == "One");
  CHECK(document["tags"].size() == 2);
  CHECK(document["paths"]["/a"].size() == 2);
  CHECK(document["paths"].contains("/b"));
  fw::openapi::add_document(
      document, R"({"components": {"schemas": {"Other": {"type": "number"}}}})", errors);
  fw::openapi::add_document(document, "[", errors);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].find("schemas 'Other'") != std::string::npos);
  CHECK(errors[1].find("is not a JSON object") != std::string::npos);
}

TEST_CASE("settings: configured info, servers and schemes override the embedded ones") {
  OrderedJson document = OrderedJson::parse(R"({"openapi": "3.1.0",
    "info": {"title": "Built", "version": "1", "license": {"name": "MIT"}},
    "servers": [{"url": "/"}],
    "components": {"securitySchemes": {"key": {"type": "http"}, "bearerAuth": {"type": "http"}}}})");
  const OrderedJson built = document;
  fw::openapi::apply_settings(document, fw::Json::parse(R"({"enabled": true, "servers": [],
    "info": {"title": "", "license": {"name": ""}, "contact": {"name": ""}},
    "securitySchemes": {"other": {"type": "oauth2"}}})"));
  CHECK(document == built);
  const fw::Json settings = fw::Json::parse(R"({"servers": [{"url": "https://a.test"}],
    "info": {"title": "Live", "summary": "s", "license": {"url": "https://l.test", "identifier": "i"},
             "contact": {"name": "Ada", "email": ""}},
    "securitySchemes": {"key": {"type": "apiKey"}}})");
  fw::openapi::apply_settings(document, settings);
  CHECK(document["info"].dump() ==
        R"({"title":"Live","version":"1","license":{"name":"MIT","identifier":"i",)"
        R"("url":"https://l.test"},"contact":{"name":"Ada"},"summary":"s"})");
  CHECK(document["servers"].dump() == R"([{"url":"https://a.test"}])");
  CHECK(document["components"]["securitySchemes"].dump() ==
        R"({"key":{"type":"apiKey"},"bearerAuth":{"type":"http"}})");
  OrderedJson old = {{"openapi", "3.0.3"}};
  fw::openapi::apply_settings(old, settings);
  CHECK(old["info"].dump() ==
        R"({"contact":{"name":"Ada"},"license":{"url":"https://l.test"},"title":"Live"})");
}

}  // namespace openapi_document_test
