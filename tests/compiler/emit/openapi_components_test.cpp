// Which schemas become components, what they are called and which are shared.
#include <doctest/doctest.h>

#include "emit/openapi.hpp"
#include "emit/openapi_parts.hpp"
#include "support/builders.hpp"

namespace openapi_components_test {

using namespace fairway;
using namespace fairway::testing;
using model::Json;

namespace {

const model::Value kOrder = entries({{"id", text("integer")}, {"note", text("string?")}});

model::Registration responding_route(const std::string& method, const std::string& path,
                                     const std::string& id, const model::Value& schema) {
  return route(method, path,
               options({{"responses", entries({{"200", schema}})},
                        {"docs", record("Docs", {{"operation_id", text(id)}})}}));
}

model::Registration takes(const std::string& method, const std::string& path, const std::string& id,
                          const Named& fields) {
  return route(method, path,
               options({{"validate", validate("body", fields)},
                        {"docs", record("Docs", {{"operation_id", text(id)}})}}));
}

Json document(const std::vector<model::ParsedFile>& files) {
  const auto resolution = checked(files);
  REQUIRE(summary(resolution.diagnostics) == "");
  return emit::openapi_document(resolution.application, {});
}

// The names of the components besides the framework's.
std::string names(const Json& all) {
  std::string result;
  for (const auto& [name, schema] : all["components"]["schemas"].items()) {
    if (!name.ends_with("Error")) result += (result.empty() ? "" : " ") + name;
  }
  return result;
}

Json data_of(const Json& all, const std::string& path, const std::string& method) {
  return all["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"]
            ["properties"]["data"];
}

emit::SchemaUse use(const std::string& id, const std::string& part, bool is_item = false) {
  return {.file = "f", .operation_id = id, .part = part, .is_item = is_item};
}

}  // namespace

TEST_CASE("openapi components: bodies and responses are named after their operation") {
  const Json all = document({route_file(
      "routes/a.cpp", {responding_route("GET", "/", "getOrder", kOrder),
                       takes("POST", "/", "createOrder", {{"note", text("string")}})})});
  CHECK(names(all) == "CreateOrderBody GetOrderResponse200");
  CHECK(data_of(all, "/a", "get").dump() ==
        R"({"$ref":"#/components/schemas/GetOrderResponse200"})");
  CHECK(all["paths"]["/a"]["post"]["requestBody"]["content"]["application/json"]["schema"].dump() ==
        R"({"$ref":"#/components/schemas/CreateOrderBody"})");
}

TEST_CASE("openapi components: equal responses of a file share one, named after their noun") {
  const Json all = document({route_file(
      "routes/orders.cpp", {responding_route("GET", "/", "listOrders", call("array_of", {kOrder})),
                            responding_route("GET", "/:id", "getOrder", kOrder),
                            responding_route("PATCH", "/:id", "updateOrder", kOrder)})});
  CHECK(names(all) == "Order");
  CHECK(data_of(all, "/orders", "get").dump() ==
        R"({"type":"array","items":{"$ref":"#/components/schemas/Order"}})");
  CHECK(data_of(all, "/orders/{id}", "patch").dump() == R"({"$ref":"#/components/schemas/Order"})");
}

TEST_CASE("openapi components: equal schemas of two files are shared only with the same noun") {
  const Json apart =
      document({route_file("routes/a.cpp", {responding_route("GET", "/", "getOrder", kOrder)}),
                route_file("routes/b.cpp", {responding_route("GET", "/", "getUser", kOrder)})});
  CHECK(names(apart) == "GetOrderResponse200 GetUserResponse200");
  const Json shared = document(
      {route_file("routes/a.cpp", {responding_route("GET", "/", "getOrder", kOrder)}),
       route_file("routes/b.cpp", {responding_route("PUT", "/", "replaceOrder", kOrder)})});
  CHECK(names(shared) == "Order");
}

TEST_CASE("openapi components: a schema within a response refers to an equal component") {
  const auto page = entries({{"items", call("array_of", {kOrder})}, {"total", text("integer")}});
  const Json all = document({route_file(
      "routes/orders.cpp", {responding_route("GET", "/", "listOrders", page),
                            responding_route("GET", "/:id", "getOrder", kOrder),
                            responding_route("PATCH", "/:id", "updateOrder", kOrder)})});
  CHECK(names(all) == "ListOrdersResponse200 Order");
  CHECK(all["components"]["schemas"]["ListOrdersResponse200"]["properties"]["items"].dump() ==
        R"({"type":"array","items":{"$ref":"#/components/schemas/Order"}})");
}

TEST_CASE(
    "openapi components: a schema within a response stays there without a related component") {
  const auto page = entries({{"items", call("array_of", {kOrder})}, {"total", text("integer")}});
  const Json alone =
      document({route_file("routes/orders.cpp", {responding_route("GET", "/", "listOrders", page)}),
                route_file("routes/users.cpp", {responding_route("GET", "/", "getUser", kOrder)})});
  CHECK(alone["components"]["schemas"]["ListOrdersResponse200"]["properties"]["items"]["items"]
            .contains("properties"));
  const Json body = document({route_file(
      "routes/orders.cpp",
      {responding_route("GET", "/", "listOrders", page),
       takes("POST", "/", "createOrder", {{"id", text("integer")}, {"note", text("string?")}})})});
  CHECK(body["components"]["schemas"]["ListOrdersResponse200"]["properties"]["items"]["items"]
            .contains("properties"));
}

TEST_CASE("openapi components: a body and a response are never one component") {
  const Json all = document({route_file(
      "routes/a.cpp", {responding_route("GET", "/", "getOrder", entries({{"a", text("string")}})),
                       takes("POST", "/", "createOrder", {{"a", text("string")}}),
                       takes("PUT", "/", "updateOrder", {{"a", text("string")}})})});
  CHECK(names(all) == "GetOrderResponse200 OrderBody");
}

TEST_CASE("openapi components: strings, numbers and simple arrays stay inline") {
  const Json all = document(
      {route_file("routes/a.cpp", {responding_route("GET", "/", "a", text("string")),
                                   responding_route("PUT", "/", "b", text("array<integer>"))})});
  CHECK(names(all) == "");
  CHECK(data_of(all, "/a", "get").dump() == R"({"type":"string"})");
}

TEST_CASE("openapi components: a boolean JSON Schema becomes an object") {
  const Json all = document({route_file(
      "routes/a.cpp", {responding_route("GET", "/", "a", call("json_schema", {text("true")})),
                       responding_route("PUT", "/", "b", call("json_schema", {text("false")}))})});
  CHECK(data_of(all, "/a", "get").dump() == "{}");
  CHECK(data_of(all, "/a", "put").dump() == R"({"not":{}})");
}

TEST_CASE("openapi components: names are unique") {
  const Json all = document(
      {route_file("routes/a.cpp",
                  {responding_route("GET", "/1", "getError", kOrder),
                   responding_route("PUT", "/1", "updateError", kOrder),
                   responding_route("GET", "/2", "get\u00e9user", entries({{"a", text("string")}})),
                   responding_route("GET", "/3", "getUser", entries({{"b", text("string")}}))})});
  CHECK(names(all) == "GetErrorResponse200 GetUserResponse200 GetUserResponse200_");
  CHECK(all["components"]["schemas"]["Error"]["properties"].contains("message"));
}

// The components of a route whose response has the JSON Schema.
Json components_of(const std::string& schema, model::OpenApiVersion version = {}) {
  const auto resolution = checked(
      {route_file("routes/a.cpp",
                  {responding_route("GET", "/", "getTree", call("json_schema", {text(schema)}))})});
  REQUIRE(summary(resolution.diagnostics) == "");
  return emit::openapi_document(resolution.application,
                                {.openapi = version})["components"]["schemas"];
}

TEST_CASE("openapi components: targets of references in a JSON Schema become components") {
  const Json schemas = components_of(R"({"$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.com/tree", "type": "object",
    "properties": {"a": {"$ref": "#/$defs/x~1y%20z"}, "self": {"$ref": "#"},
                   "b": {"$ref": "#/properties/a"}},
    "$defs": {"x/y z": {"type": "string"}, "unused": {"$ref": "#/$defs/x~1y%20z"}}})");
  CHECK(schemas["GetTreeResponse200"].dump() ==
        R"({"type":"object","properties":{"a":{"$ref":"#/components/schemas/GetTreeResponse200A"},)"
        R"("self":{"$ref":"#/components/schemas/GetTreeResponse200"},)"
        R"("b":{"$ref":"#/components/schemas/GetTreeResponse200A"}}})");
  CHECK(schemas["GetTreeResponse200A"].dump() ==
        R"({"$ref":"#/components/schemas/GetTreeResponse200XYZ"})");
  CHECK(schemas["GetTreeResponse200XYZ"].dump() == R"({"type":"string"})");
  CHECK(schemas.size() == 4);  // and Error
}

TEST_CASE("openapi components: anchors and discriminators of a JSON Schema refer to components") {
  const Json schemas = components_of(R"({
    "oneOf": [{"$ref": "#cat"}, {"$ref": "#dog"}],
    "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/$defs/c", "dog": "Dog"}},
    "$defs": {"c": {"$anchor": "cat", "type": "object"},
              "d": {"items": {"$anchor": "dog", "$comment": "kept"}}}})");
  CHECK(schemas["GetTreeResponse200"].dump() ==
        R"({"oneOf":[{"$ref":"#/components/schemas/GetTreeResponse200C"},)"
        R"({"$ref":"#/components/schemas/GetTreeResponse200Items"}],"discriminator":)"
        R"({"propertyName":"kind","mapping":{"cat":"#/components/schemas/GetTreeResponse200C",)"
        R"("dog":"Dog"}}})");
  CHECK(schemas["GetTreeResponse200C"].dump() == R"({"type":"object"})");
  CHECK(schemas["GetTreeResponse200Items"].dump() == R"({"$comment":"kept"})");
}

TEST_CASE("openapi components: references of a JSON Schema work in OpenAPI 3.0 too") {
  const Json schemas = components_of(
      R"({"prefixItems": [{"type": "string"}], "items": {"$ref": "#/prefixItems/0"},
          "properties": {"a": {"$ref": "#/properties/b/$defs/x"},
                         "b": {"$defs": {"x": {"type": ["integer", "null"]}}}}})",
      model::OpenApiVersion::v3_0);
  CHECK(schemas["GetTreeResponse200PrefixItems0"].dump() == R"({"type":"string"})");
  CHECK(schemas["GetTreeResponse200X"].dump() == R"({"type":"integer","nullable":true})");
  CHECK(schemas["GetTreeResponse200"]["properties"].dump() ==
        R"({"a":{"$ref":"#/components/schemas/GetTreeResponse200X"},"b":{}})");
}

TEST_CASE("openapi components: data in a JSON Schema is not rewritten") {
  const std::string properties =
      R"("properties":{"link":{"const":{"$ref":"#"}},"d":{"default":{"$ref":"#/x","$id":"a"},)"
      R"("enum":[{"$ref":"#/x"}],"examples":[{"$ref":"#"}],"x-a":{"$ref":"#"}},)"
      R"("$ref":{"type":"string"}})";
  const std::string whole = R"({"type":"object",)" + properties + "}";
  CHECK(components_of(whole)["GetTreeResponse200"].dump() == whole);
  const std::string recursive = R"({"not":{"items":{"$ref":"#"}},)" + properties + "}";
  CHECK(components_of(recursive)["GetTreeResponse200"].dump() ==
        R"({"not":{"items":{"$ref":"#/components/schemas/GetTreeResponse200"}},)" + properties +
            "}");
}

TEST_CASE("openapi components: the noun of an operation follows its verb") {
  CHECK(emit::common_noun({use("createOrder", "Body"), use("getOrderById", "Body")}) == "Order");
  CHECK(emit::common_noun({use("get_order_items", ""), use("putOrderItems", "")}) == "");
  CHECK(emit::common_noun({use("getUser", ""), use("listUsersById", "")}) == "User");
  CHECK(emit::common_noun({use("listUsers", ""), use("findUsers", "")}) == "Users");
  CHECK(emit::common_noun({use("getUser", ""), use("getUserx", "")}) == "");
  CHECK(emit::common_noun({use("get2", ""), use("put2", "")}) == "");
  CHECK(emit::name_of_uses({use("listOrders", "Response200", true),
                            use("findOrders", "Response200", true)}) == "OrdersItem");
  CHECK(emit::name_of_uses({use("listOrders", "Response200", true)}) ==
        "ListOrdersResponse200Item");
}

}  // namespace openapi_components_test
