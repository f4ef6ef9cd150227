// The part of a C++ client that is of one API; what the fixed part does is shown end to end.
#include <doctest/doctest.h>

#include "emit/clients/client_api.hpp"
#include "emit/clients/client_language.hpp"
#include "support/golden.hpp"

namespace cpp_client_test {

using namespace fairway;
using namespace fairway::testing;
using model::Json;

namespace {

/// Everything after the fixed part.
std::string own_part(const emit::ClientApi& api, const std::string& name) {
  const std::string header = emit::emit_cpp_client(api, name);
  const std::string mark = "namespace detail = fairway_client::detail;\n";
  const auto found = header.find(mark);
  REQUIRE(found != std::string::npos);
  return header.substr(found + mark.size());
}

emit::ClientApi api_of(const char* components, std::vector<emit::ClientOperation> operations) {
  emit::ClientApi api;
  api.title = "Things";
  api.version = "1.0.0";
  api.schemas = Json::parse(components);
  api.operations = std::move(operations);
  return api;
}

emit::ClientOperation operation_with(const char* schema) {
  emit::ClientOperation operation;
  operation.id = "getThing";
  operation.method = "GET";
  operation.path = "/thing";
  operation.responses = {{"200", "application/json", Json::parse(schema)}};
  return operation;
}

/// The type that a method has for data of this schema.
std::string result_type(const char* schema, const char* components = "{}") {
  const std::string text = own_part(api_of(components, {operation_with(schema)}), "things");
  const auto end = text.find(" getThing(const CallOptions&");
  REQUIRE(end != std::string::npos);
  const auto begin = text.rfind("\n  ", end) + 3;
  return text.substr(begin, end - begin);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("cpp client: schemas map to C++ types") {
  CHECK(result_type(R"({"type": "string", "format": "uuid"})") == "std::string");
  CHECK(result_type(R"({"type": "integer"})") == "std::int64_t");
  CHECK(result_type(R"({"type": "integer", "maximum": 9223372036854775807})") == "std::int64_t");
  CHECK(result_type(R"({"type": "integer", "maximum": 18446744073709551615})") == "std::uint64_t");
  CHECK(result_type(R"({"type": "number"})") == "double");
  CHECK(result_type(R"({"type": "boolean"})") == "bool");
  CHECK(result_type("{}") == "Json");
  CHECK(result_type("true") == "Json");
  CHECK(result_type(R"({"type": "object"})") == "Json");
  CHECK(result_type(R"({"type": "array"})") == "std::vector<Json>");
  CHECK(result_type(
            R"({"type": "array", "items": {"type": "array", "items": {"type": "number"}}})") ==
        "std::vector<std::vector<double>>");
  CHECK(result_type(R"({"type": "array", "prefixItems": [{}], "items": {"type": "number"}})") ==
        "std::vector<Json>");
  CHECK(result_type(R"({"type": "object", "additionalProperties": {"type": "integer"}})") ==
        "std::map<std::string, std::int64_t>");
  CHECK(result_type(R"({"enum": ["a", "b"]})") == "GetThingResponse");
  CHECK(result_type(R"({"const": "a"})") == "GetThingResponse");
  CHECK(result_type(R"({"enum": [1, 2]})") == "std::int64_t");
  CHECK(result_type(R"({"enum": [1, "a"]})") == "Json");
  CHECK(result_type(R"({"type": "object", "properties": {"a": {}}})") == "GetThingResponse");
}

TEST_CASE("cpp client: null and alternatives map to optional and variant") {
  CHECK(result_type(R"({"type": ["string", "null"]})") == "std::optional<std::string>");
  CHECK(result_type(R"({"type": ["integer", "string"]})") ==
        "std::variant<std::int64_t, std::string>");
  CHECK(result_type(R"({"anyOf": [{"type": "number"}, {"type": "null"}]})") ==
        "std::optional<double>");
  CHECK(result_type(R"({"oneOf": [{"type": "string"}, {"type": "string", "format": "date"}]})") ==
        "std::string");
  CHECK(result_type(R"({"anyOf": [{"type": "string"}, {}]})") == "Json");
  CHECK(result_type(R"({"type": "array", "items": {"type": ["boolean", "null"]}})") ==
        "std::vector<std::optional<bool>>");
  CHECK(result_type(R"({"type": "null"})") == "std::monostate");
  CHECK(result_type(R"({"enum": ["a", null]})") == "std::optional<GetThingResponse>");
}

TEST_CASE("cpp client: components and recursive schemas are structs") {
  const char* kThing = R"({"Thing": {"type": "object", "properties": {"a": {}}},
                           "Names": {"type": "array", "items": {"type": "string"}},
                           "Loop": {"$ref": "#/components/schemas/Loop"},
                           "Lists": {"type": "array", "items": {"$ref": "#/components/schemas/Lists"}}})";
  CHECK(result_type(R"({"$ref": "#/components/schemas/Thing"})", kThing) == "Thing");
  CHECK(result_type(R"({"type": "array", "items": {"$ref": "#/components/schemas/Thing"}})",
                    kThing) == "std::vector<Thing>");
  CHECK(result_type(R"({"$ref": "#/components/schemas/Names"})", kThing) ==
        "std::vector<std::string>");
  CHECK(result_type(R"({"$ref": "#/components/schemas/Loop"})", kThing) == "Json");
  CHECK(result_type(R"({"$ref": "#/components/schemas/Lists"})", kThing) == "std::vector<Json>");
  CHECK(result_type(R"({"$ref": "#/components/schemas/Missing"})", kThing) == "Json");

  const auto tree = own_part(api_of(R"({"Tree": {"type": "object",
    "properties": {"left": {"$ref": "#/components/schemas/Tree"},
                   "all": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
                   "named": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Tree"}}},
    "required": ["all"]}})",
                                    {operation_with(R"({"$ref": "#/components/schemas/Tree"})")}),
                             "things");
  CHECK(contains(tree, "\nstruct Tree;\n"));
  CHECK(contains(tree, "std::optional<Box<Tree>> left = {};"));
  CHECK(contains(tree, "std::vector<Tree> all = {};"));
  CHECK(contains(tree, "std::optional<std::map<std::string, Tree>> named = {};"));
}

TEST_CASE("cpp client: references into a component, allOf and additionalProperties") {
  const auto text = own_part(
      api_of(
          R"({"Tree": {"type": "object", "properties": {"n": {"$ref": "#/components/schemas/Tree/$defs/node"}},
                 "$defs": {"node": {"type": "object", "properties": {"x": {"type": "integer"}}}}},
                 "Base": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}})",
          {operation_with(R"({"type": "object", "additionalProperties": {"type": "boolean"},
                "properties": {"t": {"$ref": "#/components/schemas/Tree"},
                "m": {"allOf": [{"$ref": "#/components/schemas/Base"},
                                {"type": "object", "properties": {"extra": {"type": "string"}}}]}}})")}),
      "things");
  CHECK(contains(text, "std::optional<TreeNode> n = {};"));
  CHECK(contains(text, "    std::int64_t id = {};\n    std::optional<std::string> extra = {};"));
  CHECK(contains(text, "std::map<std::string, bool> additional_properties = {};"));
}

TEST_CASE("cpp client: several responses are a variant selected by the status") {
  auto operation = operation_with(R"({"type": "string"})");
  operation.responses = {{"2XX", "application/json", Json::parse(R"({"type": "integer"})")},
                         {"200", "text/csv", Json::object()},
                         {"204", "", nullptr}};
  const auto text = own_part(api_of("{}", {operation}), "things");
  CHECK(contains(text,
                 "using GetThingResponse = std::variant<RawBody, std::monostate, std::int64_t>;"));
  CHECK(contains(text,
                 "    if (received.has_status(200)) return detail::read_raw(std::move(received));\n"
                 "    if (received.has_status(204)) return std::monostate();\n"
                 "    return detail::read_data<std::int64_t>(received);\n"));
}

TEST_CASE("cpp client: a response of a family is read with each status of it") {
  auto operation = operation_with(R"({"type": "integer"})");
  operation.responses[0].selector = "2XX";
  const auto text = own_part(api_of("{}", {operation}), "things");
  CHECK(contains(text, "std::int64_t getThing("));
  CHECK(contains(text, "    return detail::read_data<std::int64_t>(received);\n"));
  CHECK_FALSE(contains(text, "has_status"));
}

TEST_CASE("cpp client: names of the namespace and the class") {
  const auto api = api_of("{}", {});
  CHECK(contains(emit::emit_cpp_client(api, "my_shop"), "class MyShopClient {"));
  // Names that C and C++ have already.
  for (const std::string name : {"std", "class", "log", "time", "index", "signal", "main"}) {
    CHECK(contains(emit::emit_cpp_client(api, name), "\nnamespace " + name + "_api {\n"));
  }
  CHECK(contains(emit::emit_cpp_client(api, "orders_api"), "\nnamespace orders_api {\n"));
}

TEST_CASE("cpp client: clients share one header and reject another version of it") {
  const std::string support = emit::emit_cpp_support();
  const std::string define = "#define FAIRWAY_CLIENT_SUPPORT ";
  const auto begin = support.find(define);
  REQUIRE(begin != std::string::npos);
  const std::string version =
      support.substr(begin + define.size(), support.find('\n', begin) - begin - define.size());
  CHECK(contains(support, "#ifndef FAIRWAY_CLIENT_SUPPORT\n"));
  CHECK(contains(support, "#elif FAIRWAY_CLIENT_SUPPORT != " + version + "\n#error "));
  CHECK(contains(support, "class ApiError : public ClientError {"));
  for (const char* name : {"shop", "stock"}) {
    const std::string client = emit::emit_cpp_client(api_of("{}", {}), name);
    CHECK(contains(client, "#include \"fairway_client_support.hpp\"\n"));
    CHECK(contains(client, "#if FAIRWAY_CLIENT_SUPPORT != " + version + "\n#error "));
    CHECK(contains(client, "\nusing fairway_client::ApiError;\n"));
    CHECK_FALSE(contains(client, "class ApiError"));
  }
}

TEST_CASE("cpp client: circular aliases map to any JSON value") {
  const char* components = R"({"A": {"$ref": "#/components/schemas/B"},
                               "B": {"$ref": "#/components/schemas/A"},
                               "C": {"anyOf": [{"$ref": "#/components/schemas/C"}]}})";
  CHECK(result_type(R"({"$ref": "#/components/schemas/A"})", components) == "Json");
  CHECK(result_type(R"({"$ref": "#/components/schemas/C"})", components) == "Json");
}

TEST_CASE("cpp client: types, requests and methods of one API") {
  emit::ClientOperation create;
  create.id = "createThing";
  create.method = "POST";
  create.path = "/things/{owner}/{rest}";
  create.summary = "Make a thing";
  create.description = "In *Markdown*.\n\nWith a backslash \\";
  create.deprecated = true;
  create.secured = true;
  create.parameters = {{"owner", emit::ParameterLocation::path, true, false,
                        Json::parse(R"({"type": "integer"})"), ""},
                       {"rest", emit::ParameterLocation::path, true, true,
                        Json::parse(R"({"type": "string"})"), "The rest"},
                       {"owner", emit::ParameterLocation::query, false, false,
                        Json::parse(R"({"type": "array", "items": {"type": "string"}})"), ""},
                       {"X-Kind", emit::ParameterLocation::header, true, false,
                        Json::parse(R"({"enum": ["new", "in-use"]})"), ""},
                       {"theme", emit::ParameterLocation::cookie, false, false,
                        Json::parse(R"({"type": "string"})"), ""}};
  create.body = emit::ClientBody{.required = true,
                                 .json = Json::parse(R"({"$ref": "#/components/schemas/Thing"})"),
                                 .form = Json::parse(R"({"type": "object", "properties": {
                 "photo": {"type": "string", "format": "binary", "description": "JPEG"},
                 "more": {"type": "array", "items": {"type": "string", "format": "binary"}}},
               "required": ["photo"]})")};
  create.responses = {
      {"201", "application/json", Json::parse(R"({"$ref": "#/components/schemas/Thing"})")}};
  const auto text =
      own_part(api_of(R"({"Thing": {"type": "object", "description": "A thing.", "properties": {
                   "name": {"type": "string", "description": "What it is called"},
                   "class": {"type": ["string", "null"]},
                   "parts": {"type": "array", "items": {"type": "object",
                     "properties": {"size": {"type": "number"}}, "required": ["size"]}}},
                 "required": ["name", "class"]}})",
                      {create}),
               "things");
  CHECK(golden_difference("cpp_client/things_client.txt", text) == "");
}

TEST_CASE("cpp client: a socket has a type for each message, and a method") {
  emit::ClientOperation room;
  room.id = "openRoom";
  room.method = "GET";
  room.path = "/rooms/{id}";
  room.parameters = {{"id", emit::ParameterLocation::path, true, false,
                      Json::parse(R"({"type": "integer"})"), ""}};
  const Json typing = Json::parse(R"({"type": "object"})");
  const Json say = Json::parse(
      R"({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]})");
  room.socket = {.send = {{"say", say}, {"typing", typing}},
                 .receive = {{"typing", typing}},
                 .protocols = {"chat.v1", "chat.v2"}};
  emit::ClientOperation echo;
  echo.id = "echo";
  echo.method = "GET";
  echo.path = "/echo";
  echo.socket = {.sends_raw = true, .receives_raw = false};
  const std::string text = own_part(api_of("{}", {room, echo}), "rooms");
  CHECK(contains(text,
                 "struct OpenRoomSayMessage {\n"
                 "  static constexpr std::string_view fw_type = \"say\";\n"
                 "  OpenRoomSayData data = {};\n"));
  CHECK(contains(text,
                 "using OpenRoomSends = std::variant<OpenRoomSayMessage, "
                 "OpenRoomTypingMessage>;\n"
                 "using OpenRoomReceives = std::variant<OpenRoomTypingMessage>;\n"
                 "using OpenRoomSocket = Socket<OpenRoomSends, OpenRoomReceives>;\n"));
  CHECK(contains(text, R"(  /// A socket at /rooms/{id}
  OpenRoomSocket openRoom(const OpenRoomRequest& request, const OpenRoomSocket::Options& options = {}) {
    detail::Call call = transport_->call("openRoom", "GET");
    call.path("/rooms/");
    call.segment("id", request.id);
    return OpenRoomSocket(*transport_, std::move(call), {"chat.v1", "chat.v2"}, options);
  }
)"));
  CHECK(contains(text, "using EchoSends = RawMessage;\nusing EchoReceives = NoMessage;\n"));
}

TEST_CASE("cpp client: only sockets take the names of sockets") {
  const char* components = R"({"Socket": {"type": "object", "properties": {"size": {}}}})";
  auto plug = operation_with(R"({"$ref": "#/components/schemas/Socket"})");
  CHECK(contains(own_part(api_of(components, {plug}), "plugs"), "struct Socket {"));
  emit::ClientOperation echo;
  echo.id = "echo";
  echo.path = "/echo";
  echo.socket = {.sends_raw = true, .receives_raw = true};
  CHECK(contains(own_part(api_of(components, {plug, echo}), "plugs"), "struct Socket_ {"));
  // Others do not compile the code of sockets.
  const std::string define = "#define FAIRWAY_CLIENT_WITH_SOCKETS\n";
  CHECK_FALSE(contains(emit::emit_cpp_client(api_of(components, {plug}), "plugs"), define));
  CHECK(contains(emit::emit_cpp_client(api_of(components, {plug, echo}), "plugs"), define));
}

TEST_CASE("cpp client: each error code has an exception") {
  auto operation = operation_with(R"({"$ref": "#/components/schemas/ThingGone"})");
  operation.errors = {{"404", 0}, {"409", 1}};
  // A schema has the name already, and the support header has the other one.
  auto api = api_of(R"({"ThingGone": {"type": "object", "properties": {"a": {}}}})", {operation});
  api.errors = {{"ThingGone", "THING_GONE"}, {"ApiError", 7}};
  const std::string text = own_part(api, "things");
  CHECK(contains(text,
                 "/// The code \"THING_GONE\".\nclass ThingGone_ : public ApiError {\n"
                 " public:\n  using ApiError::ApiError;\n};\n"));
  CHECK(contains(text, "{ErrorCode(\"THING_GONE\"), detail::raise<ThingGone_>},"));
  CHECK(contains(text, "{ErrorCode(std::int64_t{7}), detail::raise<ApiError_>},"));
  CHECK(contains(text, "Transport>(std::move(options), known_errors())"));
  CHECK(contains(text, "/// Throws ThingGone_ (404), ApiError_ (409)\n"));
  const std::string without = own_part(api_of("{}", {operation_with("{}")}), "things");
  CHECK(contains(without, "Transport>(std::move(options))"));
  CHECK_FALSE(contains(without, "known_errors"));
}

}  // namespace cpp_client_test
