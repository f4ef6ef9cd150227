// The application of the routes with sockets, as a process.
#pragma once

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace sockets_test {

/// The settings of a service with these files.
inline std::string tls_settings(const std::string& certificate, const std::string& key) {
  return R"({"server": {"tls": {"certificate": ")" + certificate + R"(", "key": ")" + key +
         R"("}}})";
}

/// A process that can be stopped and started again.
class RoomsServer {
 public:
  explicit RoomsServer(const std::string& settings = "{}") : port_(e2e::free_port()) {
    std::filesystem::create_directory(directory_.path() / "config");
    std::ofstream(directory_.path() / "config" / "local.json") << settings;
    start();
  }

  void start() {
    process_.emplace(
        FAIRWAY_SOCKETS_PROGRAM,
        std::vector<std::string>{"--host", "127.0.0.1", "--port", std::to_string(port_)},
        directory_.path());
    REQUIRE(e2e::wait_until_listening(port_, *process_));
  }
  void stop() {
    process_->signal(SIGTERM);
    CHECK(process_->wait() == 0);
  }
  std::string url(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_);
  }

 private:
  fairway::test::TemporaryDirectory directory_;
  int port_;
  std::optional<e2e::ChildProcess> process_;
};

}  // namespace sockets_test
