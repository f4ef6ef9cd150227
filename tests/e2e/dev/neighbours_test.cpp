// `fairway dev` and the other processes of the machine.
#include <doctest/doctest.h>

#include <filesystem>
#include <signal.h>
#include <string>
#include <thread>

#include "dev/dev_project.hpp"
#include "dev/terminal.hpp"

namespace dev_test {

namespace {

/// A build that begins with `command`, in which `started` and `go` are files.
void begin_build_with(const Dev& dev, const std::string& command) {
  dev.write_program("step", "cd \"$(dirname \"$0\")\"\n" + command);
  dev.write("CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)\n"
            "project(echo LANGUAGES C)\n"
            "add_executable(echo src/main.c)\n"
            "add_custom_target(step ${CMAKE_SOURCE_DIR}/step)\n"
            "add_dependencies(echo step)\n");
}

constexpr const char* kWaitForGo = "touch started; until [ -e go ]; do sleep 0.05; done";

void wait_for(const fs::path& file) {
  while (!fs::exists(file)) std::this_thread::yield();
}

/// The same project on another port.
std::vector<std::string> second_command(const Dev& dev) {
  std::vector<std::string> command = dev.command;
  command[3] = std::to_string(e2e::free_port());
  return command;
}

}  // namespace

TEST_CASE("dev: no build process remains when dev is killed") {
  Dev dev;
  begin_build_with(dev, "touch started; sleep 1000");
  e2e::Terminal terminal(dev.command, dev.folder());
  wait_for(dev.folder() / "started");
  ::kill(terminal.process(), SIGKILL);
  CHECK(terminal.wait() == 128 + SIGKILL);
  CHECK(becomes_empty(dev.folder()));
  CHECK(becomes_empty(dev.folder() / "build/dev"));
}

TEST_CASE("dev: a second instance waits for the build of the first in the same folder") {
  Dev dev;
  begin_build_with(dev, kWaitForGo);
  e2e::Terminal first(dev.command, dev.folder());
  wait_for(dev.folder() / "started");
  e2e::Terminal second(second_command(dev), dev.folder());
  REQUIRE(second.shows("waiting for process " + std::to_string(first.process()) +
                       ", which builds in the same folder\n"));
  dev.write("go", "");
  CHECK(first.shows("ready in "));
  CHECK(second.shows("ready in "));
  dev.set_message("for both");
  CHECK(first.shows("ready in "));
  CHECK(second.shows("ready in "));
}

TEST_CASE("dev: the build of a killed instance ends before the next one begins") {
  Dev dev;
  begin_build_with(dev, std::string("trap '' TERM; ") + kWaitForGo);
  e2e::Terminal first(dev.command, dev.folder());
  wait_for(dev.folder() / "started");
  ::kill(first.process(), SIGKILL);
  e2e::Terminal second(second_command(dev), dev.folder());
  REQUIRE(second.shows("waiting for process "));
  dev.write("go", "");
  CHECK(second.shows("ready in "));
}

TEST_CASE("dev: a process that takes the port of the program gets no request") {
  Dev dev;
  // The first time, another process listens before the program does.
  dev.write("src/message.h", R"(
#include <poll.h>
#define MESSAGE "own"
__attribute__((constructor)) static void take_port(void) {
  if (access("taken", F_OK) == 0) return;
  fclose(fopen("taken", "w"));
  int ends[2];
  if (pipe(ends) != 0) abort();
  if (fork() != 0) {
    char byte;
    close(ends[1]);
    if (read(ends[0], &byte, 1) != 1) abort();
    return;
  }
  setsid();
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((unsigned short)atoi(getenv("PORT"))),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0) abort();
  if (listen(listener, 100) != 0 || write(ends[1], "x", 1) != 1) abort();
  while (access("taken", F_OK) == 0) {
    struct pollfd entry = {.fd = listener, .events = POLLIN};
    if (poll(&entry, 1, 50) != 1) continue;
    const int client = accept(listener, NULL, NULL);
    dprintf(client, "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nforeign");
    close(client);
  }
  _exit(0);
}
)");
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("another process has taken port "));
  REQUIRE(terminal.shows("ready in "));
  CHECK(contains(get(dev.port), "own"));
  fs::remove(dev.folder() / "taken");
}

}  // namespace dev_test
