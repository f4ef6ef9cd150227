// One process and its signals, and its socket in the file system.
#include <doctest/doctest.h>

#include <filesystem>
#include <signal.h>

#include "load.hpp"
#include "server_under_test.hpp"

namespace stop_test {

using namespace e2e;
using fw::Json;

namespace {

/// For requests that are held while it stops.
const Json kPatient = {{"shutdown", {{"timeout", 600'000}}}};

constexpr const char* kClosed = "the callbacks of the end have run";

}  // namespace

TEST_CASE("stop: running requests get their responses, and the status is 0") {
  for (const int number : {SIGTERM, SIGINT}) {
    ServerUnderTest server(kPatient);
    REQUIRE(server.wait_for_log("listening on"));
    std::optional<std::string> response;
    std::thread client([&] { response = ask(server.port(), "GET", "/held"); });
    REQUIRE(server.wait_for_log("a request is held"));
    server.process().signal(number);
    REQUIRE(server.wait_for_log("\"stopping\""));
    server.directory().write("go", "");
    CHECK(server.process().wait() == 0);
    client.join();
    CHECK(response);
    CHECK(server.count_in_log(kClosed) == 1);
  }
}

TEST_CASE("stop: a second signal ends the process at once") {
  ServerUnderTest server(kPatient);
  REQUIRE(server.wait_for_log("listening on"));
  std::thread client([&] { CHECK_FALSE(ask(server.port(), "GET", "/hang")); });
  REQUIRE(server.wait_for_log("a request hangs"));
  server.process().signal(SIGTERM);
  REQUIRE(server.wait_for_log("stopping"));
  CHECK(server.process().running());
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 128 + SIGTERM);
  client.join();
}

TEST_CASE("stop: a handler that does not return delays the process at most shutdown.timeout") {
  const Json config = {{"shutdown", {{"timeout", 300}}}};
  ServerUnderTest server(config);
  REQUIRE(server.wait_for_log("listening on"));
  std::thread client([&] { CHECK_FALSE(ask(server.port(), "GET", "/hang")); });
  REQUIRE(server.wait_for_log("a request hangs"));
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
  CHECK(server.count_in_log("still running after 300 ms") == 1);
  CHECK(server.count_in_log(kClosed) == 0);  // the handler uses what the callbacks close
  client.join();
}

TEST_CASE("stop: under load no accepted connection is left without a response") {
  for (int round = 0; round < 10; ++round) {
    ServerUnderTest server(Json::object());
    REQUIRE(server.wait_for_log("listening on"));
    Load load(server.port(), 4, Load::Kind::connection_each);
    REQUIRE(load.wait_for_more(30));
    server.process().signal(SIGTERM);
    CHECK(server.process().wait() == 0);
    load.stop();
    CHECK(load.lost_connected() == 0);
  }
}

TEST_CASE("unix socket: served, removed at the end, and a stale one is replaced") {
  const fairway::test::TemporaryDirectory place;
  const std::string path = place.path() / "api.sock";
  const Json config = {{"server", {{"unixSocket", path}}}};
  {
    ServerUnderTest killed(config);
    REQUIRE(killed.wait_for_log("listening on unix:" + path));
    killed.process().signal(SIGKILL);
    killed.process().wait();
  }
  REQUIRE(std::filesystem::exists(path));
  ServerUnderTest server(config);
  REQUIRE(server.wait_for_log("listening on unix:" + path));
  CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms(0660));
  const auto response = ask_path(path, "/who");
  REQUIRE(response);
  CHECK(data_of(*response).at("ip") == "unix");
  CHECK(server.wait_for_log("| unix\"}"));         // of the access log
  CHECK_FALSE(ask(server.port(), "GET", "/who"));  // no port beside it
  ServerUnderTest second(config);
  CHECK(second.process().wait() == 1);
  CHECK(second.process().standard_error().find("another process listens on it") !=
        std::string::npos);
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
  CHECK_FALSE(std::filesystem::exists(path));
}

}  // namespace stop_test
