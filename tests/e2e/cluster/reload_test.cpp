// Workers replaced one after the other, while clients ask without pause.
#include <doctest/doctest.h>

#include <filesystem>
#include <signal.h>
#include <sstream>
#include <string>

#include "load.hpp"
#include "server_under_test.hpp"

namespace reload_test {

using namespace e2e;
using fw::Json;

namespace {

Json release(int number) {
  return {{"cluster", {{"enabled", true}, {"workers", 2}}},
          {"shutdown", {{"timeout", 600'000}}},
          {"app", {{"release", number}}}};
}

constexpr int kReloads = 6;

}  // namespace

TEST_CASE("reload: every worker is replaced with the new configuration, and no request is lost") {
  for (const auto kind : {Load::Kind::connection_each, Load::Kind::kept_connections}) {
    CAPTURE(static_cast<int>(kind));
    ServerUnderTest server(release(0));
    REQUIRE(server.wait_for_log("all 2 workers are ready"));
    auto before = server.workers(2);
    Load load(server.port(), 4, kind);
    for (int reload = 1; reload <= kReloads; ++reload) {
      REQUIRE(load.wait_for_more(50));
      server.configure(release(reload));
      server.process().signal(SIGHUP);
      REQUIRE(server.wait_for_log("reloaded: all workers have been replaced", reload));
      CHECK(server.who().at("release") == reload);
    }
    load.stop();
    CHECK(load.completed() > kReloads * 50);
    CHECK(load.lost() == 0);
    for (const pid_t worker : before) CHECK_FALSE(is_alive(worker));
    server.process().signal(SIGTERM);
    CHECK(server.process().wait() == 0);
  }
}

TEST_CASE("reload: running requests are completed by the old worker") {
  ServerUnderTest server(release(0));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  std::optional<std::string> response;
  std::thread client([&] { response = ask(server.port(), "GET", "/held"); });
  REQUIRE(server.wait_for_log("a request is held"));
  const std::string log = server.log();
  const auto worker = std::stoi(log.substr(log.find("\"by\":") + 5));
  server.process().signal(SIGHUP);
  // The worker that has the request has been asked to stop.
  CHECK(eventually([&] {
    std::istringstream lines(server.log());
    for (std::string line; std::getline(lines, line);) {
      const Json record = Json::parse(line, nullptr, false);
      if (record.is_object() && record.value("pid", 0) == worker &&
          record.value("msg", "") == "stopping") {
        return true;
      }
    }
    return false;
  }));
  CHECK(is_alive(worker));
  server.directory().write("go", "");
  CHECK(server.wait_for_log("reloaded: all workers have been replaced"));
  client.join();
  CHECK(response);
}

TEST_CASE("reload: if the new workers do not start, the old ones continue") {
  ServerUnderTest server(release(0));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  const auto before = server.workers(2);
  server.directory().write("broken", "");
  server.process().signal(SIGHUP);
  REQUIRE(server.wait_for_log("reload aborted"));
  CHECK(server.log().find("the store is locked") != std::string::npos);
  CHECK(server.workers(2) == before);
  std::filesystem::remove(server.directory().path() / "broken");
  server.process().signal(SIGHUP);
  CHECK(server.wait_for_log("reloaded: all workers have been replaced"));
}

TEST_CASE("reload: a stop during a reload stops the cluster") {
  ServerUnderTest server(release(0));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  server.process().signal(SIGHUP);
  REQUIRE(server.wait_for_log("reloading"));
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
}

TEST_CASE("shared port: a successor takes over from another process, and no request is lost") {
  const Json config = {{"server", {{"reusePort", true}}}};
  for (const auto kind : {Load::Kind::connection_each, Load::Kind::kept_connections}) {
    CAPTURE(static_cast<int>(kind));
    auto server = std::make_unique<ServerUnderTest>(config);
    REQUIRE(server->wait_for_log("listening on"));
    Load load(server->port(), 4, kind);
    for (int round = 0; round < 12; ++round) {
      REQUIRE(load.wait_for_more(30));
      auto successor = std::make_unique<ServerUnderTest>(config, server->port());
      REQUIRE(successor->wait_for_log("listening on"));
      REQUIRE(load.wait_for_more(30));
      server->process().signal(SIGTERM);
      CHECK(server->process().wait() == 0);
      server = std::move(successor);
    }
    load.stop();
    CHECK(load.lost() == 0);
  }
}

}  // namespace reload_test
