// A project that `fairway dev` serves, and a client of it.
#pragma once

#include <arpa/inet.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "eventually.hpp"
#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace dev_test {

namespace fs = std::filesystem;

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline int connect_to(int port) {
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return client;
  }
  ::close(client);
  return -1;
}

/// The whole response; empty if there is none.
inline std::string get(int port, const std::string& path = "/", const std::string& accept = "*/*") {
  const int client = connect_to(port);
  if (client < 0) return {};
  const std::string request =
      "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: " + accept + "\r\n\r\n";
  std::string response;
  if (::send(client, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    char bytes[4096];
    for (ssize_t size = 0; (size = ::recv(client, bytes, sizeof bytes, 0)) > 0;) {
      response.append(bytes, static_cast<std::size_t>(size));
    }
  }
  ::close(client);
  return response;
}

inline std::string get_page(int port) { return get(port, "/", "text/html,*/*"); }

/// The processes whose working directory is `folder`.
inline std::vector<pid_t> processes_in(const fs::path& folder) {
  std::vector<pid_t> result;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const fs::path directory = fs::read_symlink(entry.path() / "cwd", error);
    if (!error && directory == folder) result.push_back(std::stoi(entry.path().filename()));
  }
  return result;
}

/// Whether no process remains in the folder; killed ones may take a moment to end.
inline bool becomes_empty(const fs::path& folder) {
  return fairway::test::eventually([&] { return processes_in(folder).empty(); });
}

/// A copy of the project, served by `fairway dev`.
struct Dev {
  explicit Dev(const std::vector<std::string>& options = {})
      : command{FAIRWAY_PROGRAM, "dev", "--port", std::to_string(port), "--color", "never"} {
    fs::copy(FAIRWAY_DEV_PROJECT, folder(), fs::copy_options::recursive);
    ::setenv("CXX", "c++", 1);  // `fairway dev` looks for no other
    command.insert(command.end(), options.begin(), options.end());
  }

  fs::path folder() const { return fs::canonical(directory.path()); }
  /// In one step: a watcher that polls would see an empty file first, and another change then.
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((folder() / file).parent_path());
    const fs::path hidden = (folder() / file).parent_path() / ".written";
    std::ofstream(hidden) << text;
    fs::rename(hidden, folder() / file);
  }
  void set_message(const std::string& message) const {
    write("src/message.h", "#define MESSAGE \"" + message + "\"\n");
  }

  void write_program(const std::string& file, const std::string& commands) const {
    write(file, "#!/bin/sh\n" + commands + "\n");
    fs::permissions(folder() / file, fs::perms::all);
  }
  /// The line of CMake's cache.
  std::string cxx_compiler() const {
    std::ifstream cache(folder() / "build/dev/CMakeCache.txt");
    std::string line;
    while (std::getline(cache, line) && !line.starts_with("CMAKE_CXX_COMPILER:")) {
    }
    return line;
  }

  fairway::test::TemporaryDirectory directory;
  int port = e2e::free_port();
  std::vector<std::string> command;
};

}  // namespace dev_test
