// What is emitted for sockets.
#include <doctest/doctest.h>

#include <string>

#include "emit/application_files.hpp"
#include "emit/clients/client_api.hpp"
#include "emit/openapi.hpp"
#include "support/builders.hpp"

namespace socket_outputs_test {

using namespace fairway;
using namespace fairway::testing;
using model::Json;
using model::Value;

namespace {

const Value kText = entries({{"text", text("string:1-500")}});
const Value kSaid = entries({{"by", text("string")}, {"text", text("string")}});

Value room(Named others = {}) {
  others.emplace_back("receive", entries({{"say", kText}, {"typing", entries({})}}));
  others.emplace_back("send", entries({{"said", kSaid}, {"typing", entries({})}}));
  others.emplace_back("socket", record("SocketOptions", {{"protocols", list({text("chat.v1")})}}));
  return options(std::move(others));
}

rules::CheckedApplication application_of(Value value) {
  auto resolution =
      checked({route_file("routes/rooms.cpp", {route("SOCKET", "/:id", std::move(value))})});
  REQUIRE(summary(resolution.diagnostics) == "");
  return resolution;
}

bool has(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("sockets: a socket is a row of the table with a fingerprint") {
  const auto resolution = application_of(room());
  const auto table = emit::emit_app_table(resolution.application, Json::object(), false);
  CHECK(has(table, R"({"SOCKET", "/:id", "/rooms/:id", "openRoomsById", )"));
  const auto other = application_of(options({{"receive", entries({{"say", kSaid}})}}));
  const auto fingerprint = [](const rules::CheckedApplication& of) {
    return of.application.files.front().routes.front().fingerprint;
  };
  CHECK(fingerprint(resolution) != fingerprint(other));
}

TEST_CASE("sockets: messages have structs, and rows for each direction") {
  const auto resolution = application_of(room());
  const auto& application = resolution.application;
  const auto files = emit::emit_route_types(application, application.files.front());
  CHECK(has(files.header,
            "  struct Say {\n    static constexpr std::string_view kEventName = \"say\";\n"));
  CHECK(has(files.header, "  struct Typing {\n"));
  CHECK(has(files.header, "  using Send = std::variant<Said, Typing>;\n"));
  CHECK(has(files.source,
            "constexpr fw::detail::MessageType kOpenRoomsByIdReceive[] = {\n"
            "    {\"say\", &typeid(OpenRoomsById::Say), "
            "fw::detail::decode_message<OpenRoomsById::Say>},\n};\n"));
  CHECK(has(files.source,
            "constexpr fw::detail::MessageType kOpenRoomsByIdSend[] = {\n"
            "    {\"typing\", &typeid(OpenRoomsById::Typing)},\n"
            "    {\"said\", &typeid(OpenRoomsById::Said)},\n};\n"));
  CHECK(has(files.source, ".receive = routes::rooms::kOpenRoomsByIdReceive,\n"));
  // Only what is sent is written, and only what is received is read.
  CHECK(has(files.source, "void fw_decode(fw::detail::JsonReader& in, OpenRoomsById::Say& out)"));
  CHECK_FALSE(has(files.source, "OpenRoomsById::Said& out)"));
  CHECK_FALSE(has(files.source, "const OpenRoomsById::Say& value)"));
}

TEST_CASE("openapi: a socket is a GET operation with its messages as an extension") {
  const auto resolution = application_of(room());
  for (const auto version :
       {model::OpenApiVersion::v3_0, model::OpenApiVersion::v3_1, model::OpenApiVersion::v3_2}) {
    const Json document = emit::openapi_document(resolution.application, {.openapi = version});
    const Json& item = document["paths"]["/rooms/{id}"];
    CHECK(item.size() == 1);
    const Json& operation = item["get"];
    CHECK(operation["operationId"] == "openRoomsById");
    CHECK(operation["responses"]["101"] == Json({{"description", "Switching Protocols"}}));
    CHECK_FALSE(operation["responses"].contains("200"));
    const Json& socket = operation["x-fw-socket"];
    CHECK(socket["protocols"] == Json({"chat.v1"}));
    CHECK(socket["receive"]["say"]["$ref"] == "#/components/schemas/OpenRoomsByIdSay");
    CHECK(socket["send"]["said"]["$ref"] == "#/components/schemas/OpenRoomsByIdSaid");
    CHECK(
        document["components"]["schemas"]["OpenRoomsByIdSay"]["properties"]["text"]["maxLength"] ==
        500);
  }
}

TEST_CASE("asyncapi: a socket is a channel with an operation for each direction") {
  const auto resolution = application_of(room({{"auth", flag(true)}}));
  model::OpenApiOptions options;
  options.title = "Chat";
  options.servers = {{.url = "https://chat.example/v1", .description = "here"}};
  const Json document =
      emit::asyncapi_document(emit::openapi_document(resolution.application, options));
  CHECK(document["asyncapi"] == "3.0.0");
  CHECK(document["info"]["title"] == "Chat");
  CHECK(document["servers"]["server1"] == Json::parse(R"({
    "host": "chat.example", "protocol": "wss", "pathname": "/v1", "description": "here"})"));
  const Json& channel = document["channels"]["openRoomsById"];
  CHECK(channel["address"] == "/rooms/{id}");
  CHECK(channel["parameters"].contains("id"));
  CHECK(channel["messages"]["say"]["payload"] == Json::parse(R"({
    "type": "object",
    "properties": {"type": {"type": "string", "const": "say"},
                   "text": {"type": "string", "minLength": 1, "maxLength": 500}},
    "required": ["type", "text"]})"));
  // A client need not offer a protocol.
  CHECK(channel["bindings"]["ws"]["headers"] == Json::parse(R"({
    "type": "object",
    "properties": {"Sec-WebSocket-Protocol": {"type": "string", "enum": ["chat.v1"]}}})"));
  const Json& send = document["operations"]["openRoomsById.send"];
  CHECK(send["action"] == "send");
  CHECK(send["channel"]["$ref"] == "#/channels/openRoomsById");
  CHECK(send["messages"][0]["$ref"] == "#/channels/openRoomsById/messages/said");
  CHECK(send["security"][0]["$ref"] == "#/components/securitySchemes/bearerAuth");
  CHECK(document["operations"]["openRoomsById.receive"]["messages"].size() == 2);
  CHECK_FALSE(document["components"].contains("schemas"));
}

TEST_CASE("asyncapi: an application without sockets has no document, and raw messages no schema") {
  const auto without = checked({route_file("routes/rooms.cpp", {route("GET", "/")})});
  CHECK(emit::asyncapi_document(emit::openapi_document(without.application, {})).is_null());
  const auto resolution = application_of(options({{"receive", call("raw", {})}}));
  const Json openapi = emit::openapi_document(resolution.application, {});
  CHECK(openapi["paths"]["/rooms/{id}"]["get"]["x-fw-socket"] ==
        Json::parse(R"({"receive": "raw", "send": {}})"));
  const Json document = emit::asyncapi_document(openapi);
  CHECK(document["channels"]["openRoomsById"]["messages"].contains("raw"));
  CHECK(document["operations"].size() == 1);
}

TEST_CASE("asyncapi: a declared message may have the name of the raw one") {
  const Value members = entries({{"text", text("string")}});
  const auto resolution = application_of(
      options({{"receive", call("raw", {})}, {"send", entries({{"raw", members}})}}));
  const Json document = emit::asyncapi_document(emit::openapi_document(resolution.application, {}));
  const Json& messages = document["channels"]["openRoomsById"]["messages"];
  CHECK(messages["raw"]["name"] == "raw");
  CHECK(messages["raw_"]["contentType"] == "application/octet-stream");
  const Json& receive = document["operations"]["openRoomsById.receive"];
  CHECK(receive["messages"][0]["$ref"] == "#/channels/openRoomsById/messages/raw_");
}

TEST_CASE("clients: a socket has the directions of the client") {
  const auto resolution = application_of(room());
  const emit::ClientApi api = emit::client_api(resolution.application, {});
  REQUIRE(api.operations.size() == 1);
  const emit::ClientSocket& socket = *api.operations.front().socket;
  REQUIRE(socket.send.size() == 2);
  CHECK(socket.send.front().name == "say");
  CHECK(socket.receive.front().name == "said");
  CHECK(socket.protocols == std::vector<std::string>{"chat.v1"});
}

}  // namespace socket_outputs_test
