// The endpoint for agents, through the whole pipeline.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "http/request_head.hpp"
#include "support/failing_store.hpp"
#include "support/table_builder.hpp"
#include "testing/memory_transaction.hpp"

namespace mcp_endpoint_test {

namespace {

using fw::Json;
using fw::support::RecordingSink;
using fw::support::TableBuilder;
using fw::testing::TestApp;
using fw::testing::TestResponse;
using namespace std::chrono_literals;

constexpr const char* kDocument = R"({"openapi": "3.1.0",
  "info": {"title": "Notes", "version": "2.0.0", "description": "Notes of a team"},
  "paths": {
    "/notes": {
      "get": {"operationId": "listNotes", "summary": "List notes",
        "parameters": [{"name": "tag", "in": "query", "required": false,
                        "schema": {"type": "array", "items": {"type": "string"}}},
                       {"name": "limit", "in": "query", "required": false,
                        "schema": {"type": "integer", "maximum": 100}}],
        "responses": {"200": {"content": {"application/json": {"schema": {"type": "array"}}}}}},
      "post": {"operationId": "createNote", "summary": "Create a note",
        "description": "The text has at most 20 characters.",
        "parameters": [{"name": "x-team", "in": "header", "required": true,
                        "schema": {"type": "string"}},
                       {"name": "X-CSRF-Token", "in": "header", "required": false,
                        "schema": {"type": "string"}}],
        "requestBody": {"required": true, "content": {"application/json": {
          "schema": {"$ref": "#/components/schemas/NewNote"}}}},
        "responses": {"201": {"content": {"application/json": {
                        "schema": {"$ref": "#/components/schemas/Note"}}}},
                      "default": {"content": {"application/json": {"schema": {}}}}}}},
    "/notes/{id}": {
      "get": {"operationId": "getNote",
        "parameters": [{"name": "id", "in": "path", "required": true,
                        "schema": {"type": "string"}}],
        "responses": {"200": {"content": {"application/json": {
                        "schema": {"$ref": "#/components/schemas/Note"}}}}}},
      "delete": {"operationId": "deleteNote",
        "parameters": [{"name": "id", "in": "path", "required": true,
                        "schema": {"type": "string"}}],
        "responses": {"204": {}}}},
    "/secret": {"get": {"operationId": "readSecret", "responses": {"200": {}},
                        "x-fw-docs-access": {"visible": false}}},
    "/private": {"get": {"operationId": "readPrivate", "responses": {"200": {}}}},
    "/slow": {"get": {"operationId": "waitLong", "responses": {"200": {}}}},
    "/picture": {"get": {"operationId": "picture", "responses": {"200": {}}}},
    "/bytes": {"get": {"operationId": "bytes", "responses": {"200": {}}}},
    "/large": {"get": {"operationId": "large", "responses": {"200": {}}}},
    "/moved": {"get": {"operationId": "moved", "responses": {"302": {}}}},
    "/sign-in": {"post": {"operationId": "signIn", "responses": {"200": {}}}},
    "/sign-out": {"post": {"operationId": "signOut", "responses": {"200": {}}}},
    "/add": {"post": {"operationId": "add", "responses": {"200": {}}}},
    "/token": {"get": {"operationId": "token", "responses": {"200": {}}}},
    "/stateless": {"get": {"operationId": "stateless", "responses": {"200": {}}}},
    "/who": {"get": {"operationId": "who", "responses": {"200": {}}}},
    "/echo": {"get": {"operationId": "echo", "responses": {"200": {}}}}},
  "components": {"schemas": {
    "NewNote": {"type": "object", "properties": {"text": {"type": "string", "maxLength": 20},
                                                 "parent": {"$ref": "#/components/schemas/Note"}},
                "required": ["text"]},
    "Note": {"type": "object", "properties": {"id": {"type": "string"}},
             "required": ["id"]}}}})";

std::optional<fw::AuthIdentity> verify(std::string_view credential, fw::Request&) {
  if (credential != "good") return std::nullopt;
  return fw::AuthIdentity{.user_id = "ann"};
}

void declare(fw::Router& app) {
  app.get("/notes",
          {.validate = {.query = {{"tag", "array<string>?"}, {"limit", "integer?"}}},
           .docs = {.operation_id = "listNotes"},
           .mcp = true},
          [](fw::Request& req, fw::Response& res) { res.raw_json(Json::array({req.url()})); });
  app.post("/notes",
           {.validate = {.header = {{"x-team", "string"}}, .body = {{"text", "string:1-20"}}},
            .docs = {.operation_id = "createNote"},
            .mcp = true},
           [](fw::Request& req, fw::Response& res) {
             res.raw_json({{"id", std::string(*req.header("x-team"))}, {"body", req.body()}}, 201);
           });
  app.get("/notes/all", [](fw::Request&, fw::Response& res) { res.json("of another route"); });
  app.get("/notes/:id", {.docs = {.operation_id = "getNote"}, .mcp = true},
          [](fw::Request& req, fw::Response& res) {
            if (*req.param("id") == "none") fw::raise(404, "no such note");
            res.raw_json({{"id", *req.param("id")}});
          });
  app.del("/notes/:id", {.docs = {.operation_id = "deleteNote"}, .mcp = true},
          [](fw::Request&, fw::Response& res) { res.status(204).end(); });
  app.get("/secret", {.docs = {.operation_id = "readSecret"}, .mcp = true},
          [](fw::Request&, fw::Response& res) { res.json(1); });
  app.get("/private", {.auth = true, .docs = {.operation_id = "readPrivate"}, .mcp = true},
          [](fw::Request& req, fw::Response& res) { res.json(req.auth().user_id); });
  app.get("/slow", {.docs = {.operation_id = "waitLong"}, .timeout = 20, .mcp = true},
          [](fw::Request& req, fw::Response& res) {
            while (!req.signal().stop_requested()) std::this_thread::sleep_for(1ms);
            res.json("late");
          });
  app.get("/picture", {.docs = {.operation_id = "picture"}, .mcp = true},
          [](fw::Request&, fw::Response& res) {
            res.set_header("content-type", "image/png").text(std::string("\xFB\xFF\xFE", 3));
          });
  app.get("/bytes", {.docs = {.operation_id = "bytes"}, .mcp = true},
          [](fw::Request&, fw::Response& res) { res.stream(std::string("\0\xFF", 2)); });
  app.get("/large", {.docs = {.operation_id = "large"}, .mcp = true},
          [](fw::Request&, fw::Response& res) { res.text(std::string(5'000, 'x')); });
  app.get("/moved", {.docs = {.operation_id = "moved"}, .mcp = true},
          [](fw::Request&, fw::Response& res) { res.redirect("/elsewhere"); });
  app.post("/sign-in", {.docs = {.operation_id = "signIn"}, .mcp = true},
           [](fw::Request& req, fw::Response& res) {
             req.session().regenerate();
             req.session().set("userId", "ann");
             res.json("ok");
           });
  app.post("/sign-out", {.docs = {.operation_id = "signOut"}, .mcp = true},
           [](fw::Request& req, fw::Response& res) {
             req.session().destroy();
             res.json("ok");
           });
  app.get("/data", [](fw::Request& req, fw::Response& res) { res.json(req.session().data()); });
  app.post("/add", {.docs = {.operation_id = "add"}, .session = true, .mcp = true},
           [](fw::Request& req, fw::Response& res) {
             req.session().set("tool", req.session().get<int>("tool").value_or(0) + 1);
             res.json(req.session().data());
           });
  app.get("/token", {.docs = {.operation_id = "token"}, .mcp = true},
          [](fw::Request& req, fw::Response& res) { res.json(req.csrf_token()); });
  app.get("/stateless", {.docs = {.operation_id = "stateless"}, .session = false, .mcp = true},
          [](fw::Request& req, fw::Response& res) { res.json(req.has_session()); });
  app.get("/who", {.docs = {.operation_id = "who"}, .mcp = true},
          [](fw::Request& req, fw::Response& res) {
            res.json(req.session().get<std::string>("userId").value_or("nobody"));
          });
  app.get("/echo", {.docs = {.operation_id = "echo"}, .mcp = true},
          [](fw::Request& req, fw::Response& res) {
            Json fields = Json::object();
            for (const auto& [name, value] : req.headers()) fields[name] = value;
            res.raw_json({{"ip", req.ip()}, {"id", req.request_id()}, {"fields", fields}});
          });
  app.get("/no-tool", {.docs = {.operation_id = "noTool"}},
          [](fw::Request&, fw::Response& res) { res.json(1); });
}

fw::Config defaults() {
  fw::Config config = TestApp::test_config();
  config.mcp.max_response_size = "4kb";
  return config;
}

class NotesApp : private TableBuilder, public TestApp {
 public:
  explicit NotesApp(const fw::Config& config = defaults(),
                    const std::function<void(fw::App&)>& set_up = {})
      : TestApp(routes(declare).openapi(kDocument).table(), config, [&](fw::App& app) {
          app.use(fw::auth({.verify = verify}));
          if (set_up) set_up(app);
        }) {}

  /// A message with the fields that clients send.
  fw::testing::TestRequest message(const Json& content) {
    return request("POST", "/mcp")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2025-06-18")
        .json(content);
  }
  fw::testing::TestRequest calling(const std::string& tool,
                                   const Json& arguments = Json::object()) {
    return message(request_of("tools/call", {{"name", tool}, {"arguments", arguments}}));
  }
  Json call(const std::string& tool, const Json& arguments = Json::object()) {
    const TestResponse response = calling(tool, arguments).send();
    CHECK(response.status == 200);
    return response.json()["result"];
  }
  Json ask(const std::string& method, const Json& params = Json::object()) {
    return message(request_of(method, params)).send().json();
  }

  static Json request_of(const std::string& method, const Json& params) {
    return {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
  }
};

std::string text_of(const Json& result) { return result["content"][0]["text"]; }

Json tool_named(NotesApp& app, const std::string& name) {
  const Json response = app.ask("tools/list");
  for (const Json& tool : response["result"]["tools"]) {
    if (tool["name"] == name) return tool;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("mcp: initialize agrees on a revision and names the application") {
  NotesApp app;
  const Json result = app.ask("initialize", {{"protocolVersion", "2024-11-05"}})["result"];
  CHECK(result == Json({{"protocolVersion", "2024-11-05"},
                        {"capabilities", {{"tools", Json::object()}}},
                        {"serverInfo", {{"name", "Notes"}, {"version", "2.0.0"}}},
                        {"instructions", "Notes of a team"}}));
  CHECK(app.ask("initialize", {{"protocolVersion", "2031-01-01"}})["result"]["protocolVersion"] ==
        "2025-06-18");
  CHECK(app.ask("initialize")["error"]["code"] == -32602);
  CHECK(app.ask("ping")["result"] == Json::object());
}

TEST_CASE("mcp: the tools have the schemas of their routes") {
  NotesApp app;
  const Json list = tool_named(app, "listNotes");
  CHECK(list["title"] == "List notes");
  CHECK(list["description"] == "List notes");
  CHECK(list["annotations"] == Json({{"readOnlyHint", true}}));
  CHECK_FALSE(list.contains("outputSchema"));  // an array
  CHECK(list["inputSchema"] ==
        Json::parse(R"({"type": "object", "additionalProperties": false, "properties": {"query": {
          "type": "object", "properties": {
            "tag": {"type": "array", "items": {"type": "string"}},
            "limit": {"type": "integer", "maximum": 100}}}}})"));
  const Json create = tool_named(app, "createNote");
  CHECK(create["description"] == "The text has at most 20 characters.");
  CHECK(create["annotations"] == Json({{"readOnlyHint", false}}));
  CHECK(create["inputSchema"]["required"] == Json({"header", "body"}));
  CHECK(create["inputSchema"]["properties"]["header"] ==
        Json::parse(R"({"type": "object", "properties": {"x-team": {"type": "string"}},
                        "required": ["x-team"]})"));
  CHECK(create["inputSchema"]["properties"]["body"] == Json({{"$ref", "#/$defs/NewNote"}}));
  CHECK(create["inputSchema"]["$defs"]["NewNote"]["properties"]["parent"]["$ref"] ==
        "#/$defs/Note");
  CHECK(create["inputSchema"]["$defs"].size() == 2);
  CHECK(create["outputSchema"]["type"] == "object");
  CHECK(tool_named(app, "deleteNote")["annotations"] ==
        Json({{"readOnlyHint", false}, {"idempotentHint", true}}));
}

TEST_CASE("mcp: routes without the option and hidden operations are no tools") {
  NotesApp app;
  CHECK(tool_named(app, "noTool") == nullptr);
  CHECK(tool_named(app, "readSecret") == nullptr);
  for (const char* const name : {"noTool", "readSecret", "nothing"}) {
    const Json error = app.ask("tools/call", {{"name", name}})["error"];
    CHECK(error["code"] == -32602);
    CHECK(error["message"] == "unknown tool '" + std::string(name) + "'");
  }
  fw::Config config = defaults();
  config.openapi.docs.access.resolver = [](fw::Request& req, const fw::DocsDescriptor&) {
    return fw::DocsVisibility{.visible = req.header("x-staff").has_value()};
  };
  NotesApp limited(config);
  CHECK(limited.ask("tools/list")["result"]["tools"].empty());
  CHECK(limited.calling("getNote", {{"param", {{"id", 7}}}}).send().json().contains("error"));
  CHECK(limited.calling("getNote", {{"param", {{"id", 7}}}})
            .header("x-staff", "1")
            .send()
            .json()
            .contains("result"));
}

TEST_CASE("mcp: a tool responds as its route does") {
  NotesApp app;
  CHECK(app.call("getNote", {{"param", {{"id", "a b/c"}}}}) ==
        Json({{"content", {{{"type", "text"}, {"text", R"({"id":"a b/c"})"}}}},
              {"structuredContent", {{"id", "a b/c"}}},
              {"isError", false},
              {"_meta", {{"status", 200}}}}));
  CHECK(text_of(app.call("listNotes", {{"query", {{"tag", {"a&b", "c"}}, {"limit", 5}}}})) ==
        R"(["/notes?tag=a%26b&tag=c&limit=5"])");
  const Json created =
      app.call("createNote", {{"header", {{"x-team", "blue"}}}, {"body", {{"text", "hello"}}}});
  CHECK(created["structuredContent"] == Json({{"id", "blue"}, {"body", {{"text", "hello"}}}}));
  CHECK(created["_meta"]["status"] == 201);
  const Json gone = app.call("deleteNote", {{"param", {{"id", 7}}}});
  CHECK(text_of(gone) == "204 No Content");
  CHECK(gone["isError"] == false);
}

TEST_CASE("mcp: an error of the route is the result, with the body of the error") {
  NotesApp app;
  const Json missing = app.call("getNote", {{"param", {{"id", "none"}}}});
  CHECK(missing["isError"] == true);
  CHECK_FALSE(missing.contains("structuredContent"));
  CHECK(Json::parse(text_of(missing))["message"] == "no such note");
  const Json invalid =
      app.call("createNote", {{"header", {{"x-team", "blue"}}}, {"body", {{"text", ""}}}});
  const TestResponse direct =
      app.request("POST", "/notes").header("x-team", "blue").json({{"text", ""}}).send();
  CHECK(direct.status == 422);
  CHECK(invalid["_meta"]["status"] == 422);
  CHECK(Json::parse(text_of(invalid))["errors"] == direct.json()["errors"]);
  const Json moved = app.call("moved");
  CHECK(moved["isError"] == true);
  CHECK(moved["content"][1]["text"] == "Location: /elsewhere");
}

TEST_CASE("mcp: arguments that are no request are errors for the agent") {
  NotesApp app;
  const auto error = [&](const std::string& tool, const Json& arguments) {
    const Json result = app.call(tool, arguments);
    CHECK(result["isError"] == true);
    return text_of(result);
  };
  CHECK(error("getNote", Json::object()) == "the argument 'param.id' is missing");
  CHECK(error("getNote", {{"param", {{"id", ""}}}}) == "'param.id' cannot be ''");
  CHECK(error("getNote", {{"param", {{"id", ".."}}}}) == "'param.id' cannot be '..'");
  CHECK(error("getNote", {{"param", {{"id", Json::array()}}}}) ==
        "'param.id' must be a string, a number or a boolean");
  CHECK(error("getNote", {{"param", {{"id", 1}, {"other", 2}}}}) ==
        "the tool has no argument 'param.other'");
  CHECK(error("getNote", {{"param", 7}}) == "'param' must be an object");
  CHECK(error("getNote", {{"body", 7}, {"param", {{"id", 1}}}}) ==
        "the tool has no argument 'body'");
  CHECK(error("createNote", {{"header", {{"x-team", "a\r\nCookie: b"}}}, {"body", 1}}) ==
        "'header.x-team' must not have control characters");
  CHECK(error("listNotes", {{"query", {{"tag", std::string(20'000, 'x')}}}}) ==
        "the arguments for the path, the query and the header are too long");
}

TEST_CASE("mcp: arguments do not lead to another route") {
  NotesApp app;
  CHECK(app.request("GET", "/notes/all").send().json()["data"] == "of another route");
  const Json result = app.call("getNote", {{"param", {{"id", "all"}}}});
  CHECK(result["isError"] == true);
  CHECK(text_of(result) == "the path /notes/all is not one of this tool");
}

TEST_CASE("mcp: the guard of the route decides by the credentials of the message") {
  NotesApp app;
  const Json denied = app.call("readPrivate");
  CHECK(denied["isError"] == true);
  CHECK(denied["_meta"]["status"] == 401);
  const auto with = [&](const std::string& credential) {
    return app.calling("readPrivate")
        .header("Authorization", "Bearer " + credential)
        .send()
        .json()["result"];
  };
  CHECK(Json::parse(text_of(with("good")))["data"] == "ann");
  CHECK(with("bad")["_meta"]["status"] == 401);
}

TEST_CASE("mcp: no argument sets a field of the client or of a proxy") {
  fw::Config config = defaults();
  config.trust_proxy = true;
  NotesApp app(config);
  CHECK_FALSE(
      tool_named(app, "createNote")["inputSchema"]["properties"]["header"]["properties"].contains(
          "X-CSRF-Token"));
  const auto create = [&](const std::string& name) {
    return app.call("createNote", {{"header", {{"x-team", "a"}, {name, "x"}}}, {"body", {}}});
  };
  for (const char* const name : {"X-CSRF-Token", "cookie", "authorization", "x-forwarded-for"}) {
    CHECK(text_of(create(name)) == "the tool has no argument 'header." + std::string(name) + "'");
  }
  // The field of the message counts.
  const Json created =
      app.calling("createNote", {{"header", {{"x-team", "argument"}}}, {"body", {{"text", "a"}}}})
          .header("x-team", "client")
          .send()
          .json()["result"];
  CHECK(created["structuredContent"]["id"] == "client");
}

TEST_CASE("mcp: the request of a tool has the client, the id and the fields of the message") {
  fw::Config config = defaults();
  config.trust_proxy = true;
  NotesApp app(config);
  const TestResponse response = app.calling("echo")
                                    .header("X-Forwarded-For", "203.0.113.9")
                                    .header("X-Request-Id", "abc")
                                    .header("Accept-Encoding", "gzip")
                                    .header("If-None-Match", "*")
                                    .header("Cookie", "a=b")
                                    .send();
  const Json seen = response.json()["result"]["structuredContent"];
  CHECK(seen["ip"] == "203.0.113.9");
  CHECK(seen["id"] == "abc");
  CHECK(seen["fields"]["cookie"] == "a=b");
  CHECK(seen["fields"]["accept"] == "application/json, */*;q=0.1");
  for (const char* const name : {"accept-encoding", "if-none-match", "content-type",
                                 "content-length", "mcp-protocol-version"}) {
    CHECK_FALSE(seen["fields"].contains(name));
  }
  CHECK(response.header("cache-control") == "no-store");
  const TestResponse other = app.calling("echo").send();
  CHECK(other.json()["result"]["structuredContent"]["id"] == *other.header("x-request-id"));
}

TEST_CASE("mcp: a tool has the session of the message, and its cookie is sent") {
  fw::Config config = defaults();
  config.session.enabled = true;
  config.session.rolling = true;
  config.session.cookie.secure = fw::CookieSecure::never;
  NotesApp app(config);
  const TestResponse signed_in = app.calling("signIn").send();
  const auto cookie = signed_in.header("set-cookie");
  REQUIRE(cookie);
  const std::string pair(cookie->substr(0, cookie->find(';')));
  const auto who = [&](const std::string& cookies) {
    return Json::parse(
        text_of(app.calling("who").header("Cookie", cookies).send().json()["result"]))["data"];
  };
  CHECK(who(pair) == "ann");
  CHECK(who("a=b") == "nobody");
}

TEST_CASE("mcp: the session of the message does not replace the session of the tool") {
  fw::Config config = defaults();
  config.session.enabled = true;
  config.session.rolling = true;
  config.session.cookie.secure = fw::CookieSecure::never;
  NotesApp app(config, [](fw::App& own) {
    own.use([](fw::Request& req, fw::Response&, const fw::Next& next) {
      if (req.has_session()) req.session().set("path", std::string(req.path()));
      next();
    });
  });
  const auto cookie_of = [](const TestResponse& response) {
    const std::string_view line = response.header("set-cookie").value_or("");
    return std::string(line.substr(0, line.find(';')));
  };
  const std::string first = cookie_of(app.request("GET", "/who").send());
  const std::string second = cookie_of(app.calling("signIn").header("Cookie", first).send());
  CHECK(second != first);
  CHECK(app.request("GET", "/who").header("Cookie", second).send().json()["data"] == "ann");
}

namespace {

fw::Config rolling_sessions() {
  fw::Config config = defaults();
  config.session.enabled = true;
  config.session.rolling = true;
  return config;
}

/// A client that keeps cookies, of an application that finds users by their sessions.
class Browser {
 public:
  explicit Browser(const std::function<void(fw::App&)>& set_up = {},
                   const fw::Config& config = rolling_sessions())
      : app_(config, [&](fw::App& own) {
          own.set_store("session", store_);
          own.use(fw::auth({.source = "session", .verify = [](std::string_view user, fw::Request&) {
                              return std::optional(fw::AuthIdentity{.user_id = std::string(user)});
                            }}));
          if (set_up) set_up(own);
        }) {}

  /// Sends a message, and returns the data of the tool.
  Json call(const std::string& tool) {
    const Json message = NotesApp::request_of("tools/call", {{"name", tool}});
    response_ = client_.request("POST", "/mcp").json(message).send();
    CHECK(response_.status == 200);
    // A response sets a cookie once.
    CHECK(std::ranges::count(response_.headers, "set-cookie",
                             [](const auto& field) { return field.first; }) <= 1);
    return Json::parse(text_of(response_.json()["result"])).value("data", Json());
  }
  TestResponse post(const std::string& path, const std::string& token) {
    return client_.request("POST", path).header("X-CSRF-Token", token).send();
  }
  Json get(const std::string& path) { return client_.request("GET", path).send().json()["data"]; }
  std::string id() const {
    const auto found = client_.cookies().find("fw.sid");
    return found == client_.cookies().end() ? std::string() : found->second;
  }
  const TestResponse& response() const { return response_; }
  fw::support::FailingStore& store() { return *store_; }
  int take_calls_of_store() { return store_->calls.exchange(0); }

 private:
  std::shared_ptr<fw::support::FailingStore> store_ = std::make_shared<fw::support::FailingStore>();
  NotesApp app_;
  fw::testing::TestClient client_{app_};
  TestResponse response_;
};

}  // namespace

TEST_CASE("mcp: a tool that signs in or out decides about the cookie of a rolling session") {
  Browser browser;
  browser.call("add");
  const std::string anonymous = browser.id();
  REQUIRE_FALSE(anonymous.empty());
  browser.call("signIn");
  const std::string signed_in = browser.id();
  CHECK(signed_in != anonymous);
  CHECK(browser.get("/who") == "ann");
  CHECK(browser.call("add") == Json({{"tool", 2}, {"userId", "ann"}}));
  CHECK(browser.call("who") == "ann");
  CHECK(browser.id() == signed_in);
  browser.call("signOut");
  CHECK(browser.response().header("set-cookie").value_or("").find("Max-Age=0") !=
        std::string::npos);
  CHECK(browser.id().empty());
  CHECK(browser.get("/who") == "nobody");
}

TEST_CASE("mcp: a tool without a session leaves the cookie to the message") {
  Browser browser;
  browser.call("add");
  const std::string id = browser.id();
  CHECK(browser.call("stateless") == false);
  CHECK(browser.response().header("set-cookie").value_or("").starts_with("fw.sid=" + id));
}

TEST_CASE("mcp: a tool may have a session although its message has none") {
  NotesApp app;
  const TestResponse response = app.calling("add").send();
  const std::string cookie(response.header("set-cookie").value_or(""));
  CHECK(cookie.starts_with("fw.sid="));
  const TestResponse next =
      app.calling("add").header("Cookie", cookie.substr(0, cookie.find(';'))).send();
  CHECK(Json::parse(text_of(next.json()["result"]))["data"]["tool"] == 2);
}

TEST_CASE("mcp: changes of a tool that could not be saved are not saved by its message") {
  Browser browser([&](fw::App& own) {
    own.use([&browser](fw::Request& req, fw::Response&, const fw::Next& next) {
      next();
      browser.store().failing = req.path() == "/add" && req.session().get<int>("tool") == 2;
    });
  });
  CHECK(browser.call("add")["tool"] == 1);
  CHECK(browser.call("add").is_null());
  CHECK(browser.response().json()["result"]["_meta"]["status"] == 503);
  CHECK(browser.get("/data") == Json({{"tool", 1}}));
}

TEST_CASE("mcp: middlewares of the message and the tool use the same session") {
  for (const bool rolling : {false, true}) {
    CAPTURE(rolling);
    fw::Config config = rolling_sessions();
    config.session.rolling = rolling;
    Browser browser(
        [](fw::App& own) {
          own.use([](fw::Request& req, fw::Response&, const fw::Next& next) {
            const std::string path(req.path());
            req.session().set("before " + path, true);
            next();
            if (path == "/mcp") req.session().set("after", req.session().data().size());
          });
        },
        config);
    // The client has no session yet: there is one, not one for each of the two requests.
    browser.call("signIn");
    const std::string id = browser.id();
    const Json expected = {{"before /mcp", true}, {"before /sign-in", true}, {"userId", "ann"},
                           {"after", 3},          {"before /add", true},     {"tool", 1}};
    CHECK(browser.call("add").size() == expected.size());
    CHECK(browser.id() == id);
  }
}

TEST_CASE("mcp: a message with a rolling session and its tool are one command for the store") {
  Browser browser;
  browser.call("add");
  browser.take_calls_of_store();
  browser.get("/who");
  const int of_request = browser.take_calls_of_store();
  browser.call("who");
  CHECK(browser.take_calls_of_store() == of_request);
  browser.call("stateless");
  CHECK(browser.take_calls_of_store() == of_request);
}

TEST_CASE("mcp: a CSRF token of a tool belongs to the session that the client has") {
  fw::Config config = rolling_sessions();
  config.csrf.enabled = true;
  config.csrf.mode = fw::CsrfMode::session;
  Browser browser({}, config);
  const std::string token = browser.call("token");
  const auto signs_in = [&](const std::string& with) {
    return browser.post("/sign-in", with).status == 200;
  };
  CHECK_FALSE(signs_in("wrong"));
  CHECK(signs_in(token));
  CHECK_FALSE(signs_in(token));  // of the old id
}

TEST_CASE("mcp: the check of CSRF tokens protects the routes of tools") {
  fw::Config config = defaults();
  config.csrf.enabled = true;
  config.csrf.secret = std::string(32, 's');
  NotesApp app(config);
  const auto create = [&](const std::string& credential) {
    auto request =
        app.calling("createNote", {{"header", {{"x-team", "a"}}}, {"body", {{"text", "a"}}}});
    if (!credential.empty()) request.header("Authorization", credential);
    return request.send().json()["result"];
  };
  const Json rejected = create("");
  CHECK(Json::parse(text_of(rejected))["code"] == "CSRF_TOKEN_MISSING");
  CHECK(create("Bearer good")["isError"] == false);
}

TEST_CASE("mcp: the limit of the rate counts the requests of tools") {
  fw::Config config = defaults();
  config.rate_limit.enabled = true;
  config.rate_limit.max = 3;
  NotesApp app(config);
  CHECK(app.call("echo")["isError"] == false);  // two: the message, and the request of the tool
  const Json limited = app.call("echo");
  CHECK(limited["_meta"]["status"] == 429);
  CHECK(app.calling("echo").send().status == 429);
}

TEST_CASE("mcp: a call ends at the deadline of its route") {
  NotesApp app;
  const Json result = app.call("waitLong");
  CHECK(result["isError"] == true);
  CHECK(result["_meta"]["status"] == 504);
  CHECK(Json::parse(text_of(result))["message"] == "Request Timeout");
}

TEST_CASE("mcp: bodies that are no text are in base64, and long ones are errors") {
  NotesApp app;
  CHECK(app.call("picture")["content"][0] ==
        Json({{"type", "image"}, {"data", "+//+"}, {"mimeType", "image/png"}}));
  CHECK(app.call("bytes")["content"][0] == Json({{"type", "resource"},
                                                 {"resource",
                                                  {{"uri", "http://localhost/bytes"},
                                                   {"mimeType", "application/octet-stream"},
                                                   {"blob", "AP8="}}}}));
  const Json large = app.call("large");
  CHECK(large["isError"] == true);
  CHECK(text_of(large) == "200 OK: the body is longer than a tool may respond with");
}

TEST_CASE("mcp: errors of messages") {
  NotesApp app;
  const auto post = [&](const std::string& body) {
    return app.request("POST", "/mcp")
        .header("Content-Type", "application/json")
        .header("MCP-Protocol-Version", "2025-06-18")
        .body(body)
        .send();
  };
  const auto code = [&](const std::string& body, int status) {
    const TestResponse response = post(body);
    CHECK(response.status == status);
    CHECK(response.json()["jsonrpc"] == "2.0");
    return response.json()["error"]["code"].get<int>();
  };
  CHECK(code("{", 400) == -32700);
  CHECK(code("", 400) == -32700);
  CHECK(code("1", 400) == -32600);
  CHECK(code("{}", 400) == -32600);
  CHECK(code(R"({"id": 1, "method": "ping"})", 400) == -32600);
  CHECK(code(R"({"jsonrpc": "2.0", "id": null, "method": "ping"})", 400) == -32600);
  CHECK(code(R"({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})", 400) == -32600);
  CHECK(code(R"({"jsonrpc": "2.0", "id": 1, "method": "nothing"})", 200) == -32601);
  CHECK(code(R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []})", 200) == -32602);
  CHECK(code(R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call"})", 200) == -32602);
  CHECK(app.ask("tools/call", {{"name", "echo"}, {"arguments", 1}})["error"]["code"] == -32602);
  CHECK(app.ask("tools/list", {{"cursor", "a"}})["error"]["code"] == -32602);
  for (const char* const body : {R"({"jsonrpc": "2.0", "method": "notifications/initialized"})",
                                 R"({"jsonrpc": "2.0", "id": 1, "result": {}})"}) {
    const TestResponse response = post(body);
    CHECK(response.status == 202);
    CHECK(response.body.empty());
  }
}

TEST_CASE("mcp: a request has one message, because an array would have no limits") {
  NotesApp app;
  const Json call = NotesApp::request_of("tools/call", {{"name", "waitLong"}});
  for (const Json& messages : {Json::array(), Json::array({call}), Json(2, call)}) {
    const TestResponse response = app.request("POST", "/mcp").json(messages).send();
    CHECK(response.status == 400);
    CHECK(response.json()["error"]["code"] == -32600);
  }
  const auto status = [&](const std::string& version) {
    return app.request("POST", "/mcp")
        .json(call)
        .header("MCP-Protocol-Version", version)
        .send()
        .status;
  };
  CHECK(status("2025-03-26") == 400);
  CHECK(status("2025-06-18") == 200);
  CHECK(app.ask("initialize", {{"protocolVersion", "2025-03-26"}})["result"]["protocolVersion"] ==
        "2025-06-18");
}

TEST_CASE("mcp: the transport rejects requests that are not messages") {
  NotesApp app;
  const Json ping = NotesApp::request_of("ping", Json::object());
  CHECK(app.request("POST", "/mcp").json(ping).header("MCP-Protocol-Version", "1").send().status ==
        400);
  CHECK(app.request("POST", "/mcp").header("Content-Type", "text/plain").body("{}").send().status ==
        415);
  CHECK(app.request("POST", "/mcp").json(ping).header("Accept", "text/html").send().status == 406);
  for (const char* const method : {"GET", "DELETE"}) {
    const TestResponse response = app.request(method, "/mcp").send();
    CHECK(response.status == 405);
    CHECK(response.header("allow") == "POST");
  }
}

TEST_CASE("mcp: pages of other origins are rejected, and names that may be rebound") {
  fw::Config config = defaults();
  config.mcp.origins = {"https://agent.example"};
  NotesApp app(config);
  const auto status = [&](const std::string& origin, const std::string& host) {
    return app.message(NotesApp::request_of("ping", Json::object()))
        .header("Origin", origin)
        .header("Host", host)
        .send()
        .status;
  };
  CHECK(status("https://agent.example", "shop.example") == 200);
  CHECK(status("http://localhost:3000", "localhost:3000") == 200);
  CHECK(status("http://127.0.0.1", "127.0.0.1") == 200);
  CHECK(status("https://evil.example", "shop.example") == 403);
  CHECK(status("http://rebound.example", "rebound.example") == 403);
  CHECK(status("http://localhost:4000", "localhost:3000") == 403);
  CHECK(status("null", "localhost:3000") == 403);
}

TEST_CASE("mcp: the endpoint exists only with tools, and where it is configured") {
  fw::Config config = defaults();
  config.mcp.path = "/agents";
  NotesApp moved(config);
  CHECK(moved.request("GET", "/mcp").send().status == 404);
  CHECK(moved.request("GET", "/agents").send().status == 405);
  config.mcp.enabled = false;
  NotesApp disabled(config);
  CHECK(disabled.request("GET", "/agents").send().status == 404);
  fw::support::OneFileApp without(
      [](fw::Router& app) { app.get("/a", [](fw::Request&, fw::Response& res) { res.end(); }); });
  CHECK(without.request("GET", "/mcp").send().status == 404);
}

TEST_CASE(
    "mcp: a tool without an operation, and a route that cannot be one, are errors at the start") {
  const auto errors = [](const std::function<void(fw::Router&)>& routes,
                         const std::string& document) {
    TableBuilder table;
    try {
      TestApp app(table.routes(routes).openapi(document).table());
    } catch (const fw::StartupError& error) {
      std::string all;
      for (const std::string& each : error.errors()) all += each + "\n";
      return all;
    }
    return std::string();
  };
  const auto ok = [](fw::Request&, fw::Response& res) { res.json(1); };
  CHECK(errors([&](fw::Router& app) { app.get("/a", {.mcp = true}, ok); },
               R"({"openapi": "3.1.0", "paths": {}})")
            .find("the route has the option .mcp, but the OpenAPI document has no operation") !=
        std::string::npos);
  CHECK(errors(
            [&](fw::Router& app) {
              app.post("/a", {.multipart = {.enabled = true}, .mcp = true}, ok);
            },
            "")
            .find("an upload cannot be a tool; remove '.mcp'") != std::string::npos);
}

TEST_CASE("mcp: req.on_close of a tool runs once when its client is lost, or its source throws") {
  /// The test calls its callback.
  struct Message : fw::testing::MemoryTransaction {
    using MemoryTransaction::MemoryTransaction;
    void on_disconnect(fw::http::DisconnectCallback its_callback) override {
      callback = std::move(its_callback);
    }
    fw::http::DisconnectCallback callback;
  };
  std::shared_ptr<Message> message;
  bool has_thread = false;
  int closed = 0;
  TableBuilder table;
  const auto routes = [&](fw::Router& router) {
    router.get("/wait", {.docs = {.operation_id = "wait"}, .mcp = true},
               [&](fw::Request& req, fw::Response& res) {
                 req.on_close([&] { ++closed; });
                 message->callback.mark_lost();
                 if (has_thread) message->callback();
                 CHECK(closed == (has_thread ? 1 : 0));
                 res.json(1);
               });
    router.get("/stream", {.docs = {.operation_id = "stream"}, .mcp = true},
               [&](fw::Request& req, fw::Response& res) {
                 req.on_close([&] { ++closed; });
                 res.stream([](std::span<char>) -> std::size_t { throw std::runtime_error("no"); });
               });
  };
  TestApp app(table.routes(routes)
                  .openapi(R"({"openapi": "3.1.0", "paths": {
                    "/wait": {"get": {"operationId": "wait", "responses": {"200": {}}}},
                    "/stream": {"get": {"operationId": "stream", "responses": {"200": {}}}}}})")
                  .table(),
              defaults());
  const auto call = [&](const std::string& tool) {
    closed = 0;
    const std::string body =
        NotesApp::request_of("tools/call", {{"name", tool}, {"arguments", Json::object()}}).dump();
    const std::string text =
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n";
    fw::http::RequestHead head;
    fw::http::Framing framing;
    REQUIRE_FALSE(fw::http::parse_request_head(text, 100, head, framing));
    message = std::make_shared<Message>(
        std::move(head), framing,
        [rest = std::string(body)]() mutable { return std::exchange(rest, std::string()); });
    fw::detail::Access::core(app.app()).pipeline().handle(message);
    CHECK(message->response_head().status == 200);
  };
  SUBCASE("a thread is free for it") {
    has_thread = true;
    call("wait");
  }
  SUBCASE("none is free before the tool has responded") { call("wait"); }
  SUBCASE("the source throws") { call("stream"); }
  CHECK(closed == 1);
}

TEST_CASE("mcp: each request of a tool has a line in the access log") {
  const auto sink = std::make_shared<RecordingSink>();
  NotesApp app(defaults(), [&](fw::App& own) { own.set_logger(fw::Logger(sink)); });
  app.call("echo");
  const auto messages = sink->messages();
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].starts_with("GET /echo 200 "));
  CHECK(messages[1].starts_with("POST /mcp 200 "));
}

}  // namespace mcp_endpoint_test
