// A supervisor and its workers: starts, ends, restarts.
#include <doctest/doctest.h>

#include <filesystem>
#include <signal.h>

#include "load.hpp"
#include "server_under_test.hpp"

namespace cluster_test {

using namespace e2e;
using fw::Json;

namespace {

Json cluster_config(int workers) {
  // Requests are held while it stops.
  return {{"cluster", {{"enabled", true}, {"workers", workers}}},
          {"shutdown", {{"timeout", 600'000}}}};
}

/// Few restarts, quickly.
Json impatient_cluster_config(int workers) {
  return {{"cluster",
           {{"enabled", true},
            {"workers", workers},
            {"maxRestarts", 2},
            {"restartWindow", 600'000},
            {"restartDelay", 20},
            {"maxRestartDelay", 30}}}};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("cluster: workers with distinct numbers respond on one port and stop together") {
  ServerUnderTest server(cluster_config(3));
  REQUIRE(server.wait_for_log("all 3 workers are ready"));
  const auto workers = server.workers(3);
  CHECK(workers.size() == 3);
  const Json who = server.who();
  CHECK(who.at("worker").get<std::string>().find_first_not_of("123") == std::string::npos);
  CHECK_FALSE(workers.contains(who.at("parent").get<pid_t>()));
  CHECK(contains(server.log(), "\"worker\":2"));
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
  for (const pid_t worker : workers) CHECK_FALSE(is_alive(worker));
  CHECK_FALSE(ask(server.port(), "GET", "/who"));
}

TEST_CASE("cluster: one worker for each processor unless configured otherwise") {
  const Json config = {{"cluster", {{"enabled", true}}}};
  ServerUnderTest server(config);
  CHECK(server.wait_for_log("workers are ready"));
  CHECK(contains(server.log(), "all " + std::to_string(std::thread::hardware_concurrency()) +
                                   " workers are ready"));
}

TEST_CASE("cluster: state that workers do not share is reported once") {
  Json config = cluster_config(2);
  config["session"] = {{"enabled", true}};
  ServerUnderTest server(config);
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  const std::string log = server.log();
  const std::string line = "which the others do not see, for: session; use the store";
  CHECK(contains(log, line));
  CHECK(log.find(line) == log.rfind(line));
}

TEST_CASE("cluster: a start error of all workers is reported once, with status 1") {
  ServerUnderTest server(cluster_config(3));
  REQUIRE(server.wait_for_log("workers are ready"));
  server.directory().write("broken", "");
  ChildProcess second(FAIRWAY_CLUSTER_PROGRAM, {"--host", "127.0.0.1", "--port", "0"},
                      server.directory().path());
  CHECK(second.wait() == 1);
  const std::string errors = second.standard_error();
  CAPTURE(errors);
  const auto first = errors.find("the store is locked");
  CHECK(first != std::string::npos);
  CHECK(errors.find("the store is locked", first + 1) == std::string::npos);
  CHECK(errors.find("server: error: ") == errors.rfind("server: error: "));
}

TEST_CASE("cluster: a worker that crashes before it is ready ends the start with status 1") {
  const fairway::test::TemporaryDirectory directory;
  directory.write("config/default.json", cluster_config(2).dump());
  directory.write("crashing", "");
  ChildProcess process(FAIRWAY_CLUSTER_PROGRAM, {"--host", "127.0.0.1", "--port", "0"},
                       directory.path());
  CHECK(process.wait() == 1);
  CAPTURE(process.standard_error());
  CHECK(contains(process.standard_error(), "ended with status 7 before it was ready"));
}

TEST_CASE("cluster: a worker that is not ready in time ends the start with status 1") {
  const fairway::test::TemporaryDirectory directory;
  const Json config = {{"cluster", {{"enabled", true}, {"workers", 2}, {"startTimeout", 500}}}};
  directory.write("config/default.json", config.dump());
  directory.write("hanging", "");
  ChildProcess process(FAIRWAY_CLUSTER_PROGRAM, {"--host", "127.0.0.1", "--port", "0"},
                       directory.path());
  CHECK(process.wait() == 1);
  CAPTURE(process.standard_error());
  CHECK(contains(process.standard_error(), "was not ready after 500 ms (cluster.startTimeout)"));
}

TEST_CASE("cluster: a port in use is reported by the supervisor") {
  ServerUnderTest first(Json::object());
  REQUIRE(first.wait_for_log("listening on"));
  const fairway::test::TemporaryDirectory directory;
  directory.write("config/default.json", cluster_config(2).dump());
  ChildProcess second(FAIRWAY_CLUSTER_PROGRAM,
                      {"--host", "127.0.0.1", "--port", std::to_string(first.port())},
                      directory.path());
  CHECK(second.wait() == 1);
  CHECK(contains(second.standard_error(), "cannot listen on 127.0.0.1:"));
}

TEST_CASE("cluster: a killed worker is replaced, and no connection is refused meanwhile") {
  ServerUnderTest server(cluster_config(2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  const auto before = server.workers(2);
  REQUIRE(before.size() == 2);
  kill(*before.begin(), SIGKILL);
  REQUIRE(server.wait_for_log("ended unexpectedly with signal 9 (Killed)"));
  // Some of these come to the socket whose worker is gone.
  for (int i = 0; i < 20; ++i) CHECK(ask(server.port(), "GET", "/who"));
  CHECK(server.wait_for_log("starts again in 1000 ms"));
  CHECK(server.wait_for_log("is ready\"", 3));
  CHECK(eventually([&] {
    const auto now = server.workers(2);
    return now.size() == 2 && now != before;
  }));
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
}

TEST_CASE("cluster: a worker that exits too often does not stop the others") {
  ServerUnderTest server(impatient_cluster_config(2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  // Only the first worker is hurt: the other's ends would count apart.
  const auto first = [&] {
    Json who;
    eventually([&] {
      who = server.who();
      return who.value("worker", "") == "1";
    });
    return who.at("pid").get<pid_t>();
  };
  for (int end = 1; end <= 4; ++end) {
    kill(first(), SIGKILL);
    REQUIRE(server.wait_for_log("ended unexpectedly", end));
    CHECK(ask(server.port(), "GET", "/who"));
    REQUIRE(server.wait_for_log("is ready\"", 2 + end));
  }
  CHECK(contains(server.log(), "starts again in 20 ms"));
  CHECK(contains(server.log(), "starts again in 30 ms"));
  CHECK(contains(server.log(), "worker 1 has ended more than 2 times within 600000 ms"));
  CHECK(contains(server.log(), "the cluster continues, because other workers are ready"));
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
}

TEST_CASE("cluster: a worker that exits too often ends the cluster if no other is ready") {
  ServerUnderTest server(impatient_cluster_config(1));
  REQUIRE(server.wait_for_log("all 1 workers are ready"));
  for (int end = 1; end <= 3; ++end) {
    kill(server.who().at("pid").get<pid_t>(), SIGKILL);
    REQUIRE(server.wait_for_log("ended unexpectedly", end));
    if (end < 3) REQUIRE(server.wait_for_log("is ready\"", 1 + end));
  }
  CHECK(server.process().wait() == 1);
  CHECK(contains(server.process().standard_error(),
                 "worker 1 has ended more than 2 times within 600000 ms (cluster.maxRestarts, "
                 "cluster.restartWindow), and no other worker is ready: stopping"));
}

TEST_CASE("cluster: without restarts it ends with its last worker") {
  const Json config = {{"cluster", {{"enabled", true}, {"workers", 2}, {"autoRestart", false}}}};
  ServerUnderTest server(config);
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  for (const pid_t worker : server.workers(2)) kill(worker, SIGKILL);
  CHECK(server.process().wait() == 1);
  CHECK(contains(server.process().standard_error(), "all workers have ended"));
}

TEST_CASE("cluster: no worker outlives a supervisor that is killed") {
  ServerUnderTest server(cluster_config(2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  const auto workers = server.workers(2);
  server.process().signal(SIGKILL);
  server.process().wait();
  for (const pid_t worker : workers) CHECK(eventually([&] { return !is_alive(worker); }));
}

TEST_CASE("cluster: the status of every worker on demand") {
  ServerUnderTest server(cluster_config(2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  const auto workers = server.workers(2);
  server.process().signal(SIGUSR1);
  REQUIRE(server.wait_for_log("restarted 0 times", 2));
  for (const pid_t worker : workers) {
    CHECK(contains(server.log(), "process " + std::to_string(worker) + ", ready for "));
  }
  CHECK(ask(server.port(), "GET", "/who"));
}

TEST_CASE("cluster: signals to the process group stop it gracefully") {
  ServerUnderTest server(cluster_config(2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  std::optional<std::string> response;
  const auto workers = server.workers(2);
  std::thread client([&] { response = ask(server.port(), "GET", "/held"); });
  REQUIRE(server.wait_for_log("a request is held"));
  // As a terminal or a service manager does; the supervisor's own signal follows for the workers.
  for (const pid_t worker : workers) kill(worker, SIGTERM);
  server.process().signal(SIGTERM);
  REQUIRE(server.wait_for_log("\"stopping\"", 3));
  server.directory().write("go", "");
  CHECK(server.process().wait() == 0);
  client.join();
  CHECK(response);
}

TEST_CASE("cluster: a second signal ends it at once") {
  ServerUnderTest server(cluster_config(2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  const auto workers = server.workers(2);
  std::thread client([&] { CHECK_FALSE(ask(server.port(), "GET", "/hang")); });
  REQUIRE(server.wait_for_log("a request hangs"));
  server.process().signal(SIGTERM);
  REQUIRE(server.wait_for_log("stopping"));
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 128 + SIGTERM);
  client.join();
  for (const pid_t worker : workers) CHECK(eventually([&] { return !is_alive(worker); }));
}

TEST_CASE("cluster: workers serve a unix socket") {
  const fairway::test::TemporaryDirectory place;
  const std::string path = place.path() / "cluster.sock";
  const Json config = {{"server", {{"unixSocket", path}}},
                       {"cluster", {{"enabled", true}, {"workers", 2}}}};
  ServerUnderTest server(config);
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  const auto response = ask_path(path, "/who");
  REQUIRE(response);
  CHECK(data_of(*response).at("ip") == "unix");
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
  CHECK_FALSE(std::filesystem::exists(path));
}

}  // namespace cluster_test
