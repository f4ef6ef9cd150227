// The smallest sample.
#include <doctest/doctest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "eventually.hpp"
#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace hello_test {

TEST_CASE("hello: greets in the envelope") {
  fairway::test::TemporaryDirectory directory;
  const int port = e2e::free_port();
  e2e::ChildProcess process(FAIRWAY_HELLO_PROGRAM,
                            {"--host", "127.0.0.1", "--port", std::to_string(port)},
                            directory.path());
  REQUIRE(e2e::wait_until_listening(port, process));
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(fairway::test::kPatience);
  const auto response = client.Get("/hello/Ada");
  REQUIRE(response);
  const auto body = nlohmann::json::parse(response->body);
  CHECK(body.at("data") == nlohmann::json{{"greeting", "Hello, Ada!"}});
}

TEST_CASE(
    "hello: a program that needs none of them loads neither libcurl, OpenSSL nor cpp-httplib") {
  fairway::test::TemporaryDirectory directory;
  const int port = e2e::free_port();
  e2e::ChildProcess process(FAIRWAY_HELLO_PROGRAM,
                            {"--host", "127.0.0.1", "--port", std::to_string(port)},
                            directory.path());
  REQUIRE(e2e::wait_until_listening(port, process));
  std::ifstream maps("/proc/" + std::to_string(process.pid()) + "/maps");
  REQUIRE(maps);
  for (std::string line; std::getline(maps, line);) {
    CAPTURE(line);
    CHECK(line.find("cpp-httplib") == line.npos);
    if (FAIRWAY_LOADS_LIBCURL) CHECK(line.find("libcurl") == line.npos);
    if (FAIRWAY_LOADS_OPENSSL) {
      CHECK(line.find("libssl") == line.npos);
      CHECK(line.find("libcrypto") == line.npos);
    }
  }
}

TEST_CASE("hello: a program whose configuration needs digests loads OpenSSL at its start" *
          doctest::skip(!FAIRWAY_LOADS_OPENSSL)) {
  fairway::test::TemporaryDirectory directory;
  directory.write("config/default.json", R"({"rateLimit": {"enabled": true}})");
  const int port = e2e::free_port();
  e2e::ChildProcess process(FAIRWAY_HELLO_PROGRAM,
                            {"--host", "127.0.0.1", "--port", std::to_string(port)},
                            directory.path());
  REQUIRE(e2e::wait_until_listening(port, process));
  const std::string maps = e2e::read_file("/proc/" + std::to_string(process.pid()) + "/maps");
  CHECK(maps.find("libcrypto") != maps.npos);
  CHECK(maps.find("libssl") == maps.npos);
}

TEST_CASE("hello: OpenSSL that cannot be loaded is an error of the start if a store uses TLS" *
          doctest::skip(!FAIRWAY_LOADS_OPENSSL || !FAIRWAY_REDIS)) {
  fairway::test::TemporaryDirectory directory;
  directory.write(
      "config/default.json",
      R"({"rateLimit": {"enabled": true}, "store": {"type": "redis", "url": "rediss://127.0.0.1:1"}})");
  directory.write("libssl.so.3", "not a library");
  e2e::ChildProcess process(
      "/usr/bin/env",
      {"LD_LIBRARY_PATH=" + directory.path().string(), FAIRWAY_HELLO_PROGRAM, "--port", "0"},
      directory.path());
  CHECK(process.wait() == 1);
  CHECK(process.standard_error().find("OpenSSL is needed, and cannot be loaded: ") !=
        std::string::npos);
}

TEST_CASE("hello: --print-config says that OpenSSL cannot be loaded" *
          doctest::skip(!FAIRWAY_LOADS_OPENSSL || !FAIRWAY_TLS)) {
  fairway::test::TemporaryDirectory directory;
  directory.write("config/default.json",
                  R"({"server": {"tls": {"certificate": "a.pem", "key": "a.key"}}})");
  directory.write("libssl.so.3", "not a library");
  e2e::ChildProcess process(
      "/usr/bin/env",
      {"LD_LIBRARY_PATH=" + directory.path().string(), FAIRWAY_HELLO_PROGRAM, "--print-config"},
      directory.path());
  CHECK(process.wait() == 0);
  CHECK(process.standard_output().find("OpenSSL is needed, and cannot be loaded: ") !=
        std::string::npos);
}

TEST_CASE("hello: an idle program has four threads with two workers") {
  fairway::test::TemporaryDirectory directory;
  directory.write("config/default.json", R"({"server": {"minWorkers": 2}})");
  const int port = e2e::free_port();
  e2e::ChildProcess process(FAIRWAY_HELLO_PROGRAM,
                            {"--host", "127.0.0.1", "--port", std::to_string(port)},
                            directory.path());
  REQUIRE(e2e::wait_until_listening(port, process));
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(fairway::test::kPatience);
  REQUIRE(client.Get("/hello/Ada"));
  client.stop();
  using Iterator = std::filesystem::directory_iterator;
  const auto threads = [folder = "/proc/" + std::to_string(process.pid()) + "/task"] {
    return std::distance(Iterator(folder), Iterator());
  };
  // Later than the first response: a busy machine may have needed one more worker for it.
  CHECK(fairway::test::eventually([&] { return threads() == 4; }));
  CHECK(threads() == 4);
}

TEST_CASE("hello: an engine that the program does not have is an error of the start") {
  fairway::test::TemporaryDirectory directory;
  directory.write("config/default.json", R"({"server": {"engine": "httplib"}})");
  e2e::ChildProcess process(FAIRWAY_HELLO_PROGRAM, {"--port", "0"}, directory.path());
  CHECK(process.wait() == 1);
  CHECK(process.standard_error().find(
            "/server/engine: this program has no httplib engine: link it with "
            "fairway::httplib_engine") != std::string::npos);
}

TEST_CASE("hello: --help explains the flags and exits with 0") {
  fairway::test::TemporaryDirectory directory;
  e2e::ChildProcess process(FAIRWAY_HELLO_PROGRAM, {"--help"}, directory.path());
  CHECK(process.wait() == 0);
  CHECK(process.standard_output().find("--port") != std::string::npos);
}

TEST_CASE("hello: --print-config shows each value with its origin and exits with 0") {
  fairway::test::TemporaryDirectory directory;
  directory.write("config/default.json", R"({"trustProxy": true})");
  e2e::ChildProcess process(FAIRWAY_HELLO_PROGRAM, {"--print-config", "--port=8080"},
                            directory.path());
  CHECK(process.wait() == 0);
  const std::string text = process.standard_output();
  CHECK(std::regex_search(text, std::regex("/port +8080 +flag --port\n")));
  CHECK(std::regex_search(text, std::regex("/trustProxy +true +config/default.json\n")));
  CHECK(std::regex_search(text, std::regex("/response/wrap +true +default\n")));
}

TEST_CASE("hello: an unknown flag is rejected by name") {
  fairway::test::TemporaryDirectory directory;
  e2e::ChildProcess process(FAIRWAY_HELLO_PROGRAM, {"--prot", "80"}, directory.path());
  CHECK(process.wait() == 1);
  CHECK(process.standard_error().find("--prot") != std::string::npos);
}

}  // namespace hello_test
