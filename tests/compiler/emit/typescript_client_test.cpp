#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <regex>
#include <string>

#include "emit/clients/client_language.hpp"
#include "emit/clients/typescript/typescript_parts.hpp"
#include "support/golden.hpp"

namespace typescript_client_test {

using namespace fairway;
using namespace fairway::testing;
using model::Json;

namespace {

emit::ClientOperation operation(const std::string& id, const std::string& method,
                                const std::string& path) {
  emit::ClientOperation result;
  result.id = id;
  result.method = method;
  result.path = path;
  return result;
}

emit::ClientResponse json_response(const std::string& selector, const std::string& schema) {
  return {.selector = selector, .media_type = "application/json", .schema = Json::parse(schema)};
}

emit::ClientApi api(std::vector<emit::ClientOperation> operations) {
  emit::ClientApi result;
  result.title = "Shop";
  result.version = "1.0";
  result.operations = std::move(operations);
  return result;
}

/// What the generator writes for these operations, without what every client has.
std::string client(const emit::ClientApi& of) {
  const std::string text = emit::emit_typescript_client(of, "shop");
  const std::size_t support = text.find(emit::typescript_support());
  REQUIRE(support != std::string::npos);
  return text.substr(0, support);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string type_of(const std::string& schema, const Json& schemas = Json::object()) {
  emit::TypeScriptTypes types(schemas, "ShopClient");
  return types.expression(Json::parse(schema));
}

}  // namespace

TEST_CASE("typescript client: the output has types, a class and the shared part") {
  auto create = operation("createOrder", "POST", "/orders");
  create.summary = "Place an order";
  create.secured = true;
  create.body =
      emit::ClientBody{.required = true,
                       .json = Json::parse(R"({"$ref": "#/components/schemas/NewOrder"})"),
                       .form = nullptr};
  create.responses = {json_response("201", R"({"$ref": "#/components/schemas/Order"})")};
  auto list = operation("listOrders", "GET", "/orders");
  list.deprecated = true;
  list.parameters = {{.name = "status",
                      .schema = Json::parse(R"({"type": "string", "enum": ["open", "paid"]})"),
                      .description = "Those in this state"}};
  list.responses = {json_response(
      "200", R"({"type": "array", "items": {"$ref": "#/components/schemas/Order"}})")};
  auto file = operation("readFile", "GET", "/files/{path}");
  file.parameters = {{.name = "path",
                      .location = emit::ParameterLocation::path,
                      .required = true,
                      .wildcard = true,
                      .schema = Json::parse(R"({"type": "string"})"),
                      .description = ""}};
  file.responses = {{.selector = "200", .media_type = "image/png", .schema = Json::object()},
                    {.selector = "204", .media_type = "", .schema = nullptr}};
  emit::ClientApi shop = api({create, list, file});
  shop.schemas = Json::parse(R"({
    "NewOrder": {"type": "object", "properties": {"note": {"type": "string"}}},
    "Order": {"type": "object", "description": "An order as it is kept",
              "properties": {"id": {"type": "integer"}, "parent": {"$ref": "#/components/schemas/Order"}},
              "required": ["id"]},
    "Unused": {"type": "object"}
  })");
  const std::string text = client(shop);
  CHECK(golden_difference("typescript_client.ts", text) == "");
  CHECK(emit::emit_typescript_client(shop, "shop") == emit::emit_typescript_client(shop, "shop"));
}

TEST_CASE("typescript client: schemas map to types") {
  CHECK(type_of(R"({})") == "unknown");
  CHECK(type_of("true") == "unknown");
  CHECK(type_of("false") == "never");
  CHECK(type_of(R"({"type": "integer"})") == "number");
  CHECK(type_of(R"({"type": ["string", "null"]})") == "string | null");
  CHECK(type_of(R"({"type": "string", "nullable": true})") == "string | null");
  CHECK(type_of(R"({"type": "string", "enum": ["a", "b\"\u2028"]})") == R"("a" | "b\"\u2028")");
  CHECK(type_of(R"({"const": 7})") == "7");
  CHECK(type_of(R"({"enum": [1, null, true, {"a": 1}]})") == "1 | null | true | unknown");
  CHECK(type_of(R"({"type": "array"})") == "unknown[]");
  CHECK(type_of(R"({"type": "array", "items": {"enum": ["|", "b"]}})") == R"(("|" | "b")[])");
  CHECK(type_of(R"({"type": "array", "items": {"const": "a|b"}})") == R"("a|b"[])");
  CHECK(type_of(R"({"type": "array", "prefixItems": [{"type": "string"}]})") ==
        "[string?, ...unknown[]]");
  CHECK(type_of(R"({"prefixItems": [{"type": "string"}], "items": false})") == "[string?]");
  CHECK(type_of(R"({"type": "object"})") == "{ [name: string]: unknown }");
  CHECK(type_of(R"({"type": "object", "additionalProperties": {"type": "number"}})") ==
        "{ [name: string]: number }");
  CHECK(type_of(R"({"type": "object", "additionalProperties": false})") == "Record<string, never>");
  CHECK(type_of(R"({"properties": {"a": {"type": "string"}}, "required": ["b"]})") ==
        "{\n  a?: string;\n  b: unknown;\n}");
  CHECK(type_of(R"({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "integer"}]})") ==
        "string | number");
  CHECK(type_of(R"({"allOf": [{"type": "string"}, {"enum": ["a", "b"]}]})") ==
        R"(string & ("a" | "b"))");
  CHECK(type_of(R"({"type": "string", "format": "binary"})") == "FileInput");
}

TEST_CASE("typescript client: references map to names, also into components and to missing ones") {
  const Json schemas = Json::parse(R"({
    "Tree": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Tree"}},
             "$defs": {"a/b": {"type": "string", "enum": ["x", "y"]}},
             "anyOf": [{"type": "object", "properties": {"i": {"type": "integer"}}}]},
    "Loop": {"$ref": "#/components/schemas/Loop"},
    "Promise": {"type": "integer"}
  })");
  CHECK(type_of(R"({"$ref": "#/components/schemas/Tree"})", schemas) == "Tree");
  CHECK(type_of(R"({"$ref": "#/components/schemas/Promise"})", schemas) == "Promise_");
  CHECK(type_of(R"({"$ref": "#/components/schemas/Tree/$defs/a~1b"})", schemas) == "TreeAB");
  CHECK(type_of(R"({"$ref": "#/components/schemas/Tree/anyOf/0"})", schemas) == "Tree_0");
  CHECK(type_of(R"({"$ref": "#/components/schemas/Tree/anyOf/7"})", schemas) == "unknown");
  CHECK(type_of(R"({"$ref": "https://example.com/schema"})", schemas) == "unknown");

  emit::TypeScriptTypes types(schemas, "ShopClient");
  types.expression(Json::parse(R"({"$ref": "#/components/schemas/Loop"})"));
  types.expression(Json::parse(R"({"$ref": "#/components/schemas/Tree/$defs/a~1b"})"));
  const std::string declared = types.declarations();
  CHECK(has(declared, "export type Loop = unknown;"));
  CHECK(has(declared, "export type TreeAB = \"x\" | \"y\";"));
  CHECK_FALSE(has(declared, "Promise_"));
}

TEST_CASE("typescript client: hostile names and strings do not break the file") {
  auto hostile = operation("delete-all", "DELETE", "/things/{id}");
  hostile.summary = "Ends */ here\n@deprecated not really\r";
  hostile.description = "back\\slash *\\/ **/ `tick` ${x}";
  hostile.parameters = {{.name = "a\"b",
                         .schema = Json::parse(R"({"type": "string", "description": "*/"})"),
                         .description = ""}};
  hostile.body = emit::ClientBody{
      .required = false,
      .json = Json::parse(R"({"type": "object", "properties": {"__proto__": {}, "new": {},
                              "a-b": {}, "1": {}, "é": {}}, "required": ["new"]})"),
      .form = nullptr};
  const std::string text =
      client(api({hostile, operation("constructor", "GET", "/a"), operation("then", "GET", "/b"),
                  operation("promise", "GET", "/c")}));
  CHECK(has(text, "   * Ends *\\/ here\n   * \\@deprecated not really\n"));
  CHECK(has(text, "back\\slash *\\/ **\\/ `tick` ${x}"));
  CHECK(has(text, "\"a\\\"b\"?: string;"));
  CHECK(has(text,
            "  \"__proto__\"?: unknown;\n  new: unknown;\n  \"a-b\"?: unknown;\n"
            "  \"1\"?: unknown;\n  \"\\u00e9\"?: unknown;\n"));
  CHECK(has(text, "\n  \"delete-all\"(input: DeleteAllInput = {}, options"));
  CHECK(has(text, "\n  constructor_(input: ConstructorInput = {}, options"));
  CHECK(has(text, "\n  then_(input: ThenInput = {}, options"));
  CHECK(has(text, "\n  promise(input: PromiseInput = {}, options"));
}

TEST_CASE("typescript client: a schema gets another name than what every client declares") {
  const std::string support =
      std::string(emit::typescript_support()) + std::string(emit::typescript_socket_support());
  const std::regex declaration(R"(\n(?:export )?(?:abstract )?(?:class|interface|type) (\w+))");
  int declared = 0;
  for (std::sregex_iterator found(support.begin(), support.end(), declaration), end; found != end;
       ++found, ++declared) {
    const std::string name = found->str(1);
    CAPTURE(name);
    const Json schemas = {
        {name, {{"type", "object"}, {"properties", {{"a", {{"type", "integer"}}}}}}}};
    emit::TypeScriptTypes types(schemas, "ShopClient", true);
    CHECK(types.expression({{"$ref", "#/components/schemas/" + name}}) != name);
  }
  CHECK(declared > 30);
}

TEST_CASE("typescript client: comments and member names are quoted") {
  CHECK(emit::typescript_doc({}) == "");
  CHECK(emit::typescript_doc({"", ""}) == "");
  CHECK(emit::typescript_doc({"one"}) == "/** one */\n");
  CHECK(emit::typescript_doc({"one", "two\n\nthree"}) ==
        "/**\n * one\n *\n * two\n *\n * three\n */\n");
  CHECK(emit::typescript_doc({}, true) == "/** @deprecated */\n");
  CHECK(emit::typescript_member("$a_1") == "$a_1");
  CHECK(emit::typescript_member("") == "\"\"");
  CHECK(emit::typescript_string("\xff") == "\"\\ufffd\"");
}

TEST_CASE("typescript client: responses are read by their media types") {
  const auto result = [](const std::string& media_type) {
    auto get = operation("get", "GET", "/x");
    get.responses = {{.selector = "200",
                      .media_type = media_type,
                      .schema = Json::parse(R"({"type":"number"})")}};
    const std::string text = client(api({get}));
    const std::size_t begin = text.find("Promise<");
    const std::size_t reads = text.find("reads: ");
    return text.substr(begin, text.find(' ', begin) - begin) + ' ' +
           text.substr(reads, text.find(',', reads) - reads);
  };
  CHECK(result("application/json") == "Promise<number> reads: \"data\"");
  CHECK(result("application/problem+json") == "Promise<number> reads: \"data\"");
  CHECK(result("text/csv; charset=utf-8") == "Promise<string> reads: \"text\"");
  CHECK(result("text/event-stream") == "Promise<Response> reads: \"response\"");
  CHECK(result("image/png") == "Promise<Blob> reads: \"blob\"");
  CHECK(result("") == "Promise<void> reads: \"nothing\"");
  auto any = operation("get", "GET", "/x");
  any.responses = {json_response("2XX", R"({"type": "number"})")};
  CHECK(has(client(api({any})), "Promise<number>"));
  CHECK(has(client(api({any})), "reads: \"data\","));
  auto plain = api({operation("get", "GET", "/x")});
  plain.envelope = false;
  plain.operations[0].responses = {json_response("200", R"({"type": "number"})")};
  CHECK(has(client(plain), "reads: \"json\","));
}

TEST_CASE("typescript client: a body that fetch cannot send is not in the input") {
  auto get = operation("get", "GET", "/x");
  get.body = emit::ClientBody{
      .required = true, .json = Json::parse(R"({"type": "object"})"), .form = nullptr};
  CHECK(has(client(api({get})), "export type GetInput = Record<string, never>;"));
}

TEST_CASE("typescript client: the comment of cookies says what a browser does") {
  auto get = operation("get", "GET", "/x");
  get.parameters = {{.name = "theme",
                     .location = emit::ParameterLocation::cookie,
                     .schema = Json::parse(R"({"type": "string"})"),
                     .description = ""}};
  const std::string text = client(api({get}));
  CHECK(has(text, "throws a TypeError in browsers"));
  CHECK_FALSE(has(text, "Ignored"));
}

TEST_CASE("typescript client: a title cannot end its comment") {
  emit::ClientApi hostile = api({});
  hostile.title = "Shop\xE2\x80\xA8throw 1;";
  CHECK(client(hostile).starts_with("// Typed client of Shop throw 1; 1.0.\n"));
}

TEST_CASE("typescript client: circular aliases map to unknown") {
  const Json schemas = Json::parse(R"({
    "A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"},
    "C": {"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/C"}]},
    "D": {"type": "array", "items": {"$ref": "#/components/schemas/D"}}})");
  emit::TypeScriptTypes types(schemas, "ShopClient");
  for (const char* name : {"A", "B", "C", "D"}) {
    CHECK(types.expression({{"$ref", std::string("#/components/schemas/") + name}}) == name);
  }
  const std::string text = types.declarations();
  CHECK(has(text, "export type A = unknown;"));
  CHECK(has(text, "export type B = unknown;"));
  CHECK(has(text, "export type C = unknown;"));
  CHECK(has(text, "export type D = D[];"));
}

TEST_CASE("typescript client: each error code has a class, and each operation its errors") {
  auto get = operation("getThing", "GET", "/things");
  get.responses = {json_response("200", R"({"type": "string"})")};
  get.errors = {{"404", 0}, {"409", 1}, {"410", 0}};
  emit::ClientApi things = api({get, operation("ping", "GET", "/ping")});
  // The support part uses the global `Request`.
  things.errors = {{"ThingGone", "THING_GONE"}, {"Request", 7}};
  const std::string text = emit::emit_typescript_client(things, "things");
  CHECK(has(text, "export type GetThingError = ThingGone | Request_;"));
  CHECK(has(text, "Promise<void>"));
  CHECK(has(text, "ApiCall<string, GetThingError>"));
  CHECK(has(text, "    errors: [ThingGone, Request_],\n"));
  CHECK(has(text, "new Transport(options, [ThingGone, Request_]);"));
  CHECK(has(text, R"(
export class ThingGone extends ApiError {
  static readonly code = "THING_GONE";
  override readonly name: string = "ThingGone";
  declare readonly code: typeof ThingGone.code;
}

export class Request_ extends ApiError {
  static readonly code = 7;
)"));
  // A class must follow the one that it extends.
  CHECK(text.find("class ApiError") < text.find("class ThingGone"));
}

}  // namespace typescript_client_test
