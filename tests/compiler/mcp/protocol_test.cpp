// The protocol: its messages, its life cycle, and input that breaks its rules.
#include <doctest/doctest.h>

#include <chrono>
#include <signal.h>
#include <string>
#include <unistd.h>

#include "served.hpp"

namespace mcp_protocol_test {

using namespace mcp_test;
using namespace std::chrono_literals;

namespace {

Json error_of(const Json& response) { return response.value("error", Json::object())["code"]; }

/// An application whose check never ends, and whose routes can be read.
Application endless() {
  Application application;
  application.diagnostics = [] {
    while (true) ::pause();
    return Json();
  };
  return application;
}

}  // namespace

TEST_CASE("mcp: the versions of the protocol are negotiated") {
  for (const char* version : {"2025-06-18", "2025-03-26", "2024-11-05"}) {
    Served server;
    const Json result = server.start(version);
    CHECK(result["protocolVersion"] == version);
    CHECK(result["serverInfo"]["name"] == "fairway");
    CHECK(result["serverInfo"]["version"] == "1.2.3");
    CHECK(result["capabilities"].contains("tools"));
  }
  Served server;
  CHECK(server.start("2042-01-01")["protocolVersion"] == "2025-06-18");
  CHECK(error_of(server.ask(1, "initialize", {{"protocolVersion", "2025-06-18"}})) == -32600);
  Served other;
  CHECK(error_of(other.ask(1, "initialize")) == -32602);
  CHECK(error_of(other.ask(2, "initialize", {{"protocolVersion", 1}})) == -32602);
}

TEST_CASE("mcp: before initialize, only ping has a result") {
  Served server;
  CHECK(server.ask(1, "ping")["result"] == Json::object());
  CHECK(error_of(server.ask("a", "tools/list")) == -32600);
  CHECK(error_of(server.ask(2, "tools/call", {{"name", "routes"}})) == -32600);
  server.start();
  CHECK(server.ask(3, "tools/list")["result"]["tools"].size() == 4);
}

TEST_CASE("mcp: messages that are not requests have the errors of JSON-RPC") {
  Served server;
  server.start();
  const auto error = [&](const std::string& text) {
    server.send_text(text + '\n');
    const Json response = server.receive();
    CHECK(response["id"].is_null());
    return error_of(response);
  };
  CHECK(error("{\"jsonrpc\":\"2.0\",") == -32700);
  CHECK(error("Content-Length: 12") == -32700);
  CHECK(error("\xff\xfe") == -32700);
  CHECK(error("[]") == -32600);
  CHECK(error("7") == -32600);
  CHECK(error(R"({"id":null,"jsonrpc":"2.0","method":"ping"})") == -32600);
  CHECK(error(R"({"id":1.5,"jsonrpc":"2.0","method":"ping"})") == -32600);
  CHECK(error(R"({"id":{},"jsonrpc":"2.0","method":"ping"})") == -32600);
  CHECK(error(std::string(100'000, '[')) == -32600);
  CHECK(error(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + std::string(100'000, '[') +
              std::string(100'000, ']') + "}") == -32600);
  server.send_text(R"({"id":9,"method":"ping"})"
                   "\n");
  const Json response = server.receive();
  CHECK(response["id"] == 9);
  CHECK(error_of(response) == -32600);
  CHECK(error_of(server.ask(10, "resources/list")) == -32601);
  CHECK(error_of(server.ask(11, "tools/call", Json::array())) == -32602);
  // Neither blank lines, responses nor notifications have a response.
  server.send_text("\r\n \n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/other\"}\r\n");
  server.send_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  server.send_text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":[]}\n");
  CHECK(server.ask(12, "ping")["result"] == Json::object());
}

TEST_CASE("mcp: a line that is too long is skipped") {
  Served server;
  server.start();
  server.send_text(std::string(fairway::rpc::kMaxLine + 200'000, 'x') + "\n");
  CHECK(error_of(server.receive()) == -32700);
  CHECK(server.ask(1, "ping")["result"] == Json::object());
}

TEST_CASE("mcp: unknown tools and invalid arguments are errors of the protocol") {
  Served server;
  server.start();
  const auto error = [&](const Json& params) {
    const Json response = server.ask(1, "tools/call", params);
    CHECK(error_of(response) == -32602);
    return response["error"]["message"].get<std::string>();
  };
  CHECK(error({{"name", "route"}}) == "unknown tool 'route'; did you mean 'routes'?");
  CHECK(error(Json::object()) == "invalid parameters: key 'name' not found");
  CHECK(error({{"name", "explain"}}).starts_with("invalid arguments of 'explain': "));
  CHECK(error({{"name", "routes"}, {"arguments", {{"method", "FETCH"}}}})
            .starts_with("invalid arguments of 'routes': /method: "));
  CHECK(error({{"name", "routes"}, {"arguments", {{"methd", "GET"}}}})
            .starts_with("invalid arguments of 'routes': "));
  CHECK(error({{"name", "routes"}, {"arguments", "GET"}})
            .starts_with("invalid arguments of 'routes': "));
  CHECK(error_of(server.ask(2, "tools/list", {{"cursor", "2"}})) == -32602);
}

TEST_CASE("mcp: without a base URL, there are no tools for the running program") {
  Served server;
  server.start();
  CHECK(server.ask(1, "tools/list")["result"]["tools"].size() == 4);
  for (const char* const name : {"call", "requests", "trace"}) {
    CHECK(error_of(server.ask(1, "tools/call", {{"name", name}})) == -32602);
  }
  Served other({}, {.version = "1", .folder = "/tmp", .base_url = "http://127.0.0.1:1"});
  other.start();
  const Json list = other.ask(1, "tools/list")["result"]["tools"];
  CHECK(list.size() == 7);
  for (const Json& tool : list) {
    CHECK(tool["annotations"]["readOnlyHint"] == (tool["name"] != "call"));
  }
}

TEST_CASE("mcp: batches are a part of one version only") {
  const Json batch = Json::array({{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}},
                                  {{"jsonrpc", "2.0"}, {"method", "notifications/other"}},
                                  {{"jsonrpc", "2.0"},
                                   {"id", "two"},
                                   {"method", "tools/call"},
                                   {"params", {{"name", "diagnostics"}}}},
                                  17});
  Served server;
  server.start("2025-03-26");
  server.send(batch);
  const Json responses = server.receive();
  REQUIRE(responses.size() == 3);
  CHECK(responses[0]["id"] == 1);
  CHECK(error_of(responses[1]) == -32600);
  CHECK(responses[2]["id"] == "two");
  CHECK(responses[2]["result"]["isError"] == false);
  server.send(Json::array({{{"jsonrpc", "2.0"}, {"method", "notifications/other"}}}));
  CHECK(server.ask(2, "ping")["result"] == Json::object());
  Served newest;
  newest.start();
  newest.send(batch);
  CHECK(error_of(newest.receive()) == -32600);
}

TEST_CASE("mcp: other requests have responses while an analysis is running") {
  Served server(endless());
  server.start();
  server.begin_call(1, "diagnostics");
  CHECK(server.ask(2, "ping")["result"] == Json::object());
  CHECK(server.call("explain", {{"rule", "duplicate-route"}})["isError"] == false);
  server.begin_call(1, "routes");
  CHECK(error_of(server.receive()) == -32600);  // the id is in use
}

TEST_CASE("mcp: a cancelled request has no response and is not worked on") {
  Served server(endless());
  server.start();
  server.begin_call(1, "diagnostics");
  server.send({{"jsonrpc", "2.0"},
               {"method", "notifications/cancelled"},
               {"params", {{"requestId", 1}, {"reason", "no reason"}}}});
  CHECK(server.call("routes")["structuredContent"]["routes"].size() == 4);
  server.send(
      {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 1}}}});
  CHECK(server.ask(3, "ping")["result"] == Json::object());
}

TEST_CASE("mcp: a cancelled request of a batch is left out of the responses") {
  Served server(endless());
  server.start("2025-03-26");
  server.send(Json::array({{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}},
                           {{"jsonrpc", "2.0"},
                            {"id", 2},
                            {"method", "tools/call"},
                            {"params", {{"name", "diagnostics"}}}}}));
  server.send(
      {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 2}}}});
  const Json responses = server.receive();
  REQUIRE(responses.size() == 1);
  CHECK(responses[0]["id"] == 1);
}

TEST_CASE("mcp: a crash of the analysis is a result that says so, and the next call works") {
  Application application;
  application.diagnostics = [] {
    ::raise(SIGKILL);  // the test program has handlers for other signals
    return Json();
  };
  Served server(application);
  server.start();
  for (int round = 0; round < 2; ++round) {
    const Json result = server.call("diagnostics");
    CHECK(result["isError"] == true);
    CHECK(result["content"][0]["text"].get<std::string>().starts_with(
        "the analysis has ended with signal 9"));
    CHECK(server.call("routes")["isError"] == false);
  }
}

TEST_CASE("mcp: an analysis that computes for too long is ended") {
  Application application;
  application.diagnostics = [] {
    for (volatile int rounds = 0;; rounds = rounds + 1) {
    }
    return Json();
  };
  Served server(application,
                {.version = {}, .folder = {}, .base_url = {}, .analysis = {200ms, 10ms}});
  server.start();
  const Json result = server.call("diagnostics");
  CHECK(result["isError"] == true);
  CHECK(result["content"][0]["text"] == "the analysis has used more than 0.2 s of processor time");
  CHECK(server.call("routes")["isError"] == false);
}

TEST_CASE("mcp: the server ends with its input, after the last response") {
  Served server;
  server.start();
  server.begin_call(1, "routes");
  server.end_input();
  CHECK(server.receive()["result"]["isError"] == false);
  CHECK(server.wait() == 0);
}

}  // namespace mcp_protocol_test
