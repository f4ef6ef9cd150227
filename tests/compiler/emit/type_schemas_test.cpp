// Schemas of C++ types in documents and clients.
#include <doctest/doctest.h>

#include "emit/clients/client_language.hpp"
#include "emit/openapi.hpp"
#include "model/option_reader.hpp"
#include "support/typed_application.hpp"

namespace type_schemas_test {

using namespace fairway;
using namespace fairway::testing;
using model::Json;

namespace {

Json document(model::OpenApiVersion version = model::OpenApiVersion::v3_1) {
  model::OpenApiOptions options;
  options.openapi = version;
  options.envelope = false;
  return emit::openapi_document(typed_application(), options);
}

Json schema_of(const Json& response_or_body) {
  return response_or_body["content"]["application/json"]["schema"];
}

std::string client(std::string_view language) {
  model::OpenApiOptions options;
  options.envelope = false;
  const auto api = emit::client_api(typed_application(), options);
  for (const auto& each : emit::client_languages()) {
    if (each.ending.ends_with(language)) return each.emit(api, "typed");
  }
  FAIL("no language ", language);
  return {};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string errors_of(const char* options) {
  model::Route route;
  std::string errors;
  model::read_options(Json::parse(options), route,
                      [&](const std::string& error) { errors += error + "\n"; });
  return errors;
}

}  // namespace

TEST_CASE("type schemas: types are components with their names, shared by all operations") {
  const Json all = document();
  std::string names;
  for (const auto& [name, schema] : all["components"]["schemas"].items()) names += name + " ";
  CHECK(names ==
        "Address Card Category Channel Error Error_ Has Item NewOrder NewOrderInput Not Order "
        "PayBody "
        "PayResponse200 Rule Transfer ValidationError ");
  const Json& orders = all["paths"]["/orders"];
  CHECK(schema_of(orders["post"]["requestBody"]).dump() ==
        R"({"$ref":"#/components/schemas/NewOrderInput"})");
  CHECK(schema_of(orders["post"]["responses"]["201"]).dump() ==
        R"({"$ref":"#/components/schemas/Order"})");
  CHECK(schema_of(orders["get"]["responses"]["200"]).dump() ==
        R"({"type":"array","items":{"$ref":"#/components/schemas/Order"}})");
  CHECK(schema_of(all["paths"]["/orders/{id}/labels"]["put"]["requestBody"]).dump() ==
        R"({"type":"object","additionalProperties":{"type":"integer"}})");
  CHECK(schema_of(all["paths"]["/orders/{id}/labels"]["put"]["responses"]["200"]).dump() ==
        R"({"$ref":"#/components/schemas/Channel"})");
  CHECK(all.dump().find("$defs") == std::string::npos);
}

TEST_CASE("type schemas: responses always have the members with defaults") {
  const Json components = document()["components"]["schemas"];
  CHECK(components["NewOrderInput"]["required"].dump() ==
        R"(["customerId","items","payment","labels","category"])");
  CHECK(components["NewOrder"]["required"].dump() ==
        R"(["customerId","items","channel","payment","labels","category","gift"])");
  CHECK(components["Order"]["properties"]["order"].dump() ==
        R"({"$ref":"#/components/schemas/NewOrder"})");
  // Types without defaults are the same in both.
  CHECK(components["NewOrderInput"]["properties"]["items"]["items"] ==
        components["NewOrder"]["properties"]["items"]["items"]);
}

TEST_CASE("type schemas: a type with the name of the error response has another one") {
  const Json all = document();
  CHECK(all["components"]["schemas"]["Error_"]["properties"].contains("reason"));
  CHECK(all["components"]["schemas"]["Error"]["properties"].contains("requestId"));
  const Json conflict = schema_of(all["paths"]["/orders/{id}"]["get"]["responses"]["409"]);
  // Another one may be raised.
  CHECK(conflict["anyOf"][0].dump() == R"({"$ref":"#/components/schemas/Error_"})");
}

TEST_CASE("type schemas: components refer to each other and to themselves") {
  const Json components = document()["components"]["schemas"];
  const Json& order = components["NewOrderInput"]["properties"];
  CHECK(components["NewOrderInput"]["description"] == "What a customer sends to place an order.");
  CHECK(order["items"]["items"].dump() == R"({"$ref":"#/components/schemas/Item"})");
  CHECK(
      order["channel"].dump() ==
      R"({"$ref":"#/components/schemas/Channel","default":"web","description":"Where it came from."})");
  CHECK(
      order["payment"].dump() ==
      R"({"oneOf":[{"$ref":"#/components/schemas/Card"},{"$ref":"#/components/schemas/Transfer"}],)"
      R"("discriminator":{"propertyName":"kind","mapping":{"card":"#/components/schemas/Card",)"
      R"("transfer":"#/components/schemas/Transfer"}}})");
  CHECK(components["Category"]["properties"]["children"]["items"].dump() ==
        R"({"$ref":"#/components/schemas/Category"})");
  CHECK(components["Not"]["properties"]["rule"].dump() ==
        R"({"$ref":"#/components/schemas/Rule"})");
}

TEST_CASE("type schemas: members are parameters") {
  const Json all = document();
  CHECK(all["paths"]["/orders"]["get"]["parameters"] == Json::parse(R"([
    {"name": "channel", "in": "query", "required": false, "description": "Orders of it.",
     "schema": {"$ref": "#/components/schemas/Channel", "default": "phone",
                "description": "Orders of it."}},
    {"name": "limit", "in": "query", "required": false,
     "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}},
    {"name": "since", "in": "query", "required": false, "deprecated": true,
     "schema": {"type": "string", "format": "date", "deprecated": true}},
    {"name": "tags", "in": "query", "required": false,
     "schema": {"type": "array", "items": {"type": "string"}}}])"));
  CHECK(all["paths"]["/orders/{id}"]["get"]["parameters"] == Json::parse(R"([
    {"name": "id", "in": "path", "required": true, "description": "Of an order.",
     "schema": {"type": "integer", "minimum": 1, "description": "Of an order."}}])"));
}

TEST_CASE("type schemas: in OpenAPI 3.0, references have no siblings") {
  const Json components = document(model::OpenApiVersion::v3_0)["components"]["schemas"];
  const Json& order = components["NewOrderInput"]["properties"];
  CHECK(order["channel"].dump() == R"({"default":"web","description":"Where it came from.",)"
                                   R"("allOf":[{"$ref":"#/components/schemas/Channel"}]})");
  CHECK(order["payment"]["discriminator"]["mapping"]["card"] == "#/components/schemas/Card");
  CHECK(order["payment"]["oneOf"].size() == 2);
  CHECK(order["labels"].dump() == R"({"type":"object","additionalProperties":{"type":"string"}})");
  CHECK(order["priority"]["deprecated"] == true);
}

TEST_CASE("type schemas: TypeScript has the types by their names") {
  const std::string text = client(".ts");
  CHECK(has(text, "export interface NewOrderInput {\n  customerId: number;\n  items: Item[];\n"));
  CHECK(has(text, "export type Channel = \"web\" | \"phone\";"));
  CHECK(has(text, "  /** Where it came from. */\n  channel?: Channel;\n"));
  CHECK(has(text, "  payment: Card | Transfer;\n  reference?: string | number;\n"));
  CHECK(has(text, "export interface Card {\n  kind: \"card\";\n  number: string;\n}"));
  CHECK(has(text, "  labels: { [name: string]: string };\n"));
  CHECK(has(text, "  places?: { [name: string]: Address };\n"));
  CHECK(has(text, "  /** @deprecated */\n  priority?: number;\n  extra?: unknown;\n"));
  CHECK(has(text,
            "export interface Category {\n  name: string;\n  children?: Category[];\n"
            "  parent?: Category;\n  byName?: { [name: string]: Category };\n}"));
  CHECK(has(text, "export interface Rule {\n  when: Not | Has;\n}"));
  CHECK(has(text, "    /** Orders of it. */\n    channel?: Channel;\n"));
}

TEST_CASE("type schemas: C++ has the types by their names") {
  const std::string text = client(".hpp");
  CHECK(has(text, "/// What a customer sends to place an order.\nstruct NewOrderInput {"));
  CHECK(has(text, "  Channel channel = {};\n"));
  CHECK(has(text, "  std::vector<Item> items = {};\n"));
  CHECK(has(text, "  std::optional<Channel> channel = {};\n"));
  CHECK(has(text, "  std::variant<Card, Transfer> payment = {};\n"));
  CHECK(has(text, "  std::optional<std::variant<std::string, std::int64_t>> reference = {};\n"));
  CHECK(has(text, "  std::map<std::string, std::string> labels = {};\n"));
  CHECK(has(text, "  std::optional<std::map<std::string, Address>> places = {};\n"));
  CHECK(has(text, "enum class Channel { web, phone };"));
  CHECK(has(text, "  std::optional<std::vector<Category>> children = {};\n"));
  CHECK(has(text, "  std::optional<Box<Category>> parent = {};\n"));
}

TEST_CASE("type schemas: the schema of a type must be one that types have") {
  CHECK(errors_of(R"({"validate": {"body": {"$type": {"type": "strin"}}}})") ==
        "'$type': the schema at '/type' is unknown: 'strin'\n");
  CHECK(errors_of(R"({"responses": {"200": {"$type": {"$ref": "#/$defs/A"}}}})") ==
        "'$type': the schema at '/$ref' names no type: '#/$defs/A'\n");
  CHECK(errors_of(R"({"responses": {"200": {"$type": {
      "anyOf": [{"$ref": "#/$defs/A"}, {"type": "integer"}], "$defs": {"A": {}}}}}})") == "");
}

}  // namespace type_schemas_test
