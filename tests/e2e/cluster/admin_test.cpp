// The admin listener of a cluster: the supervisor serves the sums of its workers.
#include <doctest/doctest.h>
#include <httplib.h>

#include <signal.h>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <thread>

#include "pause_process.hpp"
#include "server_under_test.hpp"

namespace cluster_admin_test {

using namespace e2e;
using fw::Json;

namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

Json admin_config(int admin_port, int workers) {
  return {{"cluster", {{"enabled", true}, {"workers", workers}, {"restartDelay", 20}}},
          {"shutdown", {{"timeout", 600'000}}},
          {"admin", {{"port", admin_port}, {"token", kToken}}}};
}

/// A page with its head; empty without a response.
std::string page(int port, const std::string& path, const std::string& fields = {}) {
  return ask(port, "GET", path, nullptr, "Authorization: Bearer " + kToken + "\r\n" + fields)
      .value_or("");
}

double value_of(const std::string& text, const std::string& series) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(series + " ")) return std::stod(line.substr(series.size() + 1));
  }
  return -1;
}

const std::string kRequests =
    "http_server_request_duration_seconds_count{http_request_method=\"GET\",http_route=\"/who\","
    "http_response_status_code=\"200\"}";

}  // namespace

TEST_CASE("cluster: the supervisor's metrics are the sums of all workers, also of replaced ones") {
  const int admin = free_port();
  ServerUnderTest server(admin_config(admin, 2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  int requests = 0;
  const auto ask_workers = [&](int count) {
    for (int i = 0; i < count; ++i) {
      REQUIRE(status_of(ask(server.port(), "GET", "/who")) == 200);
      ++requests;
    }
  };
  // A response may arrive before it is counted.
  const auto counts_all = [&] {
    return eventually([&] { return value_of(page(admin, "/metrics"), kRequests) == requests; });
  };
  ask_workers(40);
  CHECK(counts_all());
  const std::string metrics = page(admin, "/metrics");
  CHECK(metrics.starts_with("HTTP/1.1 200"));
  CHECK(value_of(metrics, "fairway_connections") == 0);
  CHECK(value_of(metrics, "process_open_fds") > 0);
  CHECK(page(admin, "/metrics", "Accept: application/openmetrics-text\r\n").ends_with("# EOF\n"));

  // Workers that stop leave their metrics, though nobody has asked for the last ones.
  ask_workers(40);
  server.process().signal(SIGHUP);
  REQUIRE(server.wait_for_log("reloaded: all workers have been replaced"));
  CHECK(counts_all());
  ask_workers(10);
  CHECK(counts_all());

  // Of a worker that is killed, what it has sent before stays.
  const double before = value_of(page(admin, "/metrics"), kRequests);
  const auto killed = server.who().at("pid").get<pid_t>();
  kill(killed, SIGKILL);
  REQUIRE(server.wait_for_log("starts again in"));
  REQUIRE(server.wait_for_log("is ready", 5));  // two, their replacements, and this one
  CHECK(value_of(page(admin, "/metrics"), kRequests) >= before);
}

TEST_CASE("cluster: a reload without an admin listener leaves the supervisor's") {
  const int admin = free_port();
  Json config = admin_config(admin, 1);
  ServerUnderTest server(config);
  REQUIRE(server.wait_for_log("all 1 workers are ready"));
  CHECK(status_of(ask(server.port(), "GET", "/who")) == 200);
  CHECK(eventually([&] { return value_of(page(admin, "/metrics"), kRequests) == 1; }));
  config.erase("admin");
  server.configure(config);
  server.process().signal(SIGHUP);
  REQUIRE(server.wait_for_log("reloaded: all workers have been replaced"));
  CHECK(eventually([&] { return value_of(page(admin, "/metrics"), kRequests) == 1; }));
  CHECK(page(admin, "/readyz").starts_with("HTTP/1.1 200"));
}

TEST_CASE("cluster: the log level is changed in the supervisor and in all workers") {
  const int admin = free_port();
  ServerUnderTest server(admin_config(admin, 2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  CHECK(page(admin, "/log-level").ends_with(R"({"level":"info"})"));
  httplib::Client client("127.0.0.1", admin);
  client.set_bearer_token_auth(kToken);
  const auto put = [&](const char* body) {
    return client.Put("/log-level", body, "application/json");
  };
  CHECK(put(R"({"level":"loud"})")->status == 400);
  CHECK(put(R"({"level":"debug"})")->body == R"({"level":"debug"})");
  const std::string line = "the log level changes from 'info' to 'debug' (admin listener)";
  CHECK(server.wait_for_log(line, 3));
  CHECK(page(admin, "/log-level").ends_with(R"({"level":"debug"})"));
  // Workers that start later have it, too.
  server.process().signal(SIGHUP);
  REQUIRE(server.wait_for_log("reloaded: all workers have been replaced"));
  CHECK(server.wait_for_log(line, 5));
}

TEST_CASE("cluster: the pages name a worker that is stopped, which changes its level later") {
  const int admin = free_port();
  ServerUnderTest server(admin_config(admin, 2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  const auto stopped = server.who().at("pid").get<pid_t>();
  fairway::test::pause_process(stopped);
  httplib::Client client("127.0.0.1", admin);
  client.set_bearer_token_auth(kToken);
  const auto changed = client.Put("/log-level", R"({"level":"debug"})", "application/json");
  const std::string named = "\"noResponse\":[" + std::to_string(stopped) + "]";
  CHECK(changed->status == 504);
  CHECK(changed->body == R"({"level":"debug",)" + named + "}");
  CHECK(page(admin, "/log-level").ends_with(R"({"level":"debug"})"));
  CHECK(page(admin, "/requests").find(named) != std::string::npos);
  // Only the supervisor and the other worker have gauges now.
  CHECK(value_of(page(admin, "/metrics"), "process_open_fds") > 0);
  const std::string line = "the log level changes from 'info' to 'debug' (admin listener)";
  CHECK(server.wait_for_log(line, 2));
  kill(stopped, SIGCONT);
  CHECK(server.wait_for_log(line, 3));
}

TEST_CASE("cluster: the pages show workers that have no free descriptors") {
  const int admin = free_port();
  ServerUnderTest server(admin_config(admin, 2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  const double descriptors = value_of(page(admin, "/metrics"), "process_open_fds");
  for (const pid_t worker : server.workers(2)) {
    rlimit limit{};
    REQUIRE(prlimit(worker, RLIMIT_NOFILE, nullptr, &limit) == 0);
    limit.rlim_cur = 3;
    REQUIRE(prlimit(worker, RLIMIT_NOFILE, &limit, nullptr) == 0);
  }
  CHECK(page(admin, "/readyz").starts_with("HTTP/1.1 200"));
  CHECK(page(admin, "/requests").find("noResponse") == std::string::npos);
  const std::string metrics = page(admin, "/metrics");
  CHECK(value_of(metrics, "fairway_workers") > 0);
  // They are at their limits.
  const double open = value_of(metrics, "process_open_fds");
  CHECK(open > 6);
  CHECK(open < descriptors);
}

TEST_CASE("cluster: the supervisor is ready as long as workers serve") {
  const int admin = free_port();
  ServerUnderTest server(admin_config(admin, 2));
  REQUIRE(server.wait_for_log("all 2 workers are ready"));
  CHECK(eventually([&] { return page(admin, "/readyz").starts_with("HTTP/1.1 200"); }));
  CHECK(page(admin, "/readyz").ends_with(R"({"checks":{},"status":"ready"})"));
  CHECK(page(admin, "/livez").ends_with(R"({"status":"alive"})"));
  CHECK(page(admin, "/config").find("\"cluster\"") != std::string::npos);
  // A request that is held keeps a worker that stops.
  std::thread client([&] { ask(server.port(), "GET", "/held"); });
  REQUIRE(server.wait_for_log("a request is held"));
  const std::string requests = page(admin, "/requests");
  CHECK(requests.find(R"("states":{"handler":1},"total":1)") != std::string::npos);
  CHECK(requests.find(R"("route":"/held")") != std::string::npos);
  server.process().signal(SIGTERM);
  REQUIRE(server.wait_for_log("\"stopping\""));
  CHECK(eventually(
      [&] { return page(admin, "/readyz").ends_with(R"({"checks":{},"status":"stopping"})"); }));
  CHECK(page(admin, "/livez").starts_with("HTTP/1.1 200"));
  server.directory().write("go", "");
  client.join();
  CHECK(server.process().wait() == 0);
}

}  // namespace cluster_admin_test
