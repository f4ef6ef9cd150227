// A redis-server of a test, on a free port, that can be stopped, paused and started again.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "free_port.hpp"
#include "pause_process.hpp"
#include "temporary_directory.hpp"

namespace fairway::test {

class RedisServer {
 public:
  /// `arguments` are further options of redis-server: {"--requirepass", "word"}. `port_option` is
  /// "--tls-port" for one that speaks TLS only.
  explicit RedisServer(std::vector<std::string> arguments = {}, std::string port_option = "--port")
      : arguments_(std::move(arguments)), port_option_(std::move(port_option)) {
    // Another process may take the port between its choice and its use.
    for (int attempt = 0; attempt < 20 && pid_ < 0; ++attempt) {
      port_ = free_port();
      start();
    }
    if (pid_ < 0) throw std::runtime_error("redis-server does not start");
  }
  ~RedisServer() { stop(); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  std::string unix_socket() const { return (directory_.path() / "redis.sock").string(); }

  /// Starts it and waits until it accepts connections. Leaves it stopped when it ends instead.
  void start() {
    std::vector<std::string> words = {"redis-server",
                                      "--port",
                                      "0",
                                      port_option_,
                                      std::to_string(port_),
                                      "--bind",
                                      "127.0.0.1",
                                      "--unixsocket",
                                      unix_socket(),
                                      "--save",
                                      "",
                                      "--appendonly",
                                      "no",
                                      "--dir",
                                      directory_.path().string(),
                                      "--loglevel",
                                      "warning",
                                      "--logfile",
                                      (directory_.path() / "log").string()};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    if (posix_spawnp(&pid_, "redis-server", nullptr, nullptr, pointers.data(), environ) != 0) {
      throw std::runtime_error("redis-server cannot be started: tools/setup.sh installs it");
    }
    while (!accepts_connections()) {
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  /// Ends it at once, as a crash does.
  void stop() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void pause() const { pause_process(pid_); }
  void resume() const { kill(pid_, SIGCONT); }

 private:
  // The unix socket is the last one on which a redis-server listens.
  bool accepts_connections() const {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    unix_socket().copy(address.sun_path, sizeof address.sun_path - 1);
    const bool is_connected =
        ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return is_connected;
  }

  TemporaryDirectory directory_;
  std::vector<std::string> arguments_;
  std::string port_option_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace fairway::test
