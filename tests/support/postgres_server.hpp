// A PostgreSQL server of a test: a new cluster with a socket in its own directory, and no port.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "temporary_directory.hpp"

namespace fairway::test {

class PostgresServer {
 public:
  PostgresServer() {
    // PostgreSQL does not run as root: Debian's package has a user for it.
    if (geteuid() == 0) {
      as_user_ = "runuser -u postgres -- ";
      run("chown postgres " + directory_.path().string());
    }
    run(as_user_ + program("initdb") + " --auth=trust --no-sync --username=test -D " + data());
    run(as_user_ + program("pg_ctl") + " --wait -D " + data() + " -l " + data() +
        "/log -o \"-c listen_addresses='' -c fsync=off -k " + directory_.path().string() +
        "\" start");
  }
  ~PostgresServer() {
    const std::string stop = as_user_ + program("pg_ctl") + " -m immediate -D " + data() + " stop";
    static_cast<void>(std::system((stop + " > /dev/null 2>&1").c_str()));
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  std::string url() const {
    return "host=" + directory_.path().string() + " user=test dbname=postgres";
  }

 private:
  std::string data() const { return (directory_.path() / "data").string(); }

  /// Debian keeps the programs of each version in a directory of its own.
  static std::string program(const std::string& name) {
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql")) {
      const auto path = version.path() / "bin" / name;
      if (std::filesystem::exists(path)) return path.string();
    }
    throw std::runtime_error(name + " is not installed: tools/setup.sh installs it");
  }

  static void run(const std::string& command) {
    if (std::system((command + " > /dev/null").c_str()) != 0) {
      throw std::runtime_error("this fails: " + command);
    }
  }

  TemporaryDirectory directory_;
  std::string as_user_;
};

}  // namespace fairway::test
