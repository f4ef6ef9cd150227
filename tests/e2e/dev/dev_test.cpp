// `fairway dev` and `fairway new` as their users see them, in a pseudo-terminal.
#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <signal.h>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "dev/terminal.hpp"
#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int connect_to(int port) {
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
std::string get(int port, const std::string& path = "/", const std::string& accept = "*/*") {
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

std::string get_page(int port) { return get(port, "/", "text/html,*/*"); }

/// The processes whose working directory is `folder`.
std::vector<pid_t> processes_in(const fs::path& folder) {
  std::vector<pid_t> result;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const fs::path directory = fs::read_symlink(entry.path() / "cwd", error);
    if (!error && directory == folder) result.push_back(std::stoi(entry.path().filename()));
  }
  return result;
}

/// A copy of the project, served by `fairway dev`.
struct Dev {
  explicit Dev(const std::vector<std::string>& options = {})
      : command{FAIRWAY_PROGRAM, "dev", "--port", std::to_string(port), "--color", "never"} {
    fs::copy(FAIRWAY_DEV_PROJECT, folder(), fs::copy_options::recursive);
    command.insert(command.end(), options.begin(), options.end());
  }

  fs::path folder() const { return fs::canonical(directory.path()); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder() / file) << text;
  }
  void set_message(const std::string& message) const {
    write("src/message.h", "#define MESSAGE \"" + message + "\"\n");
  }

  fairway::test::TemporaryDirectory directory;
  int port = e2e::free_port();
  std::vector<std::string> command;
};

}  // namespace

TEST_CASE("dev: builds and serves, and a change reaches the next request") {
  Dev dev;
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("serving http://127.0.0.1:" + std::to_string(dev.port)));
  CHECK(contains(get(dev.port), R"(first {"name": "plain"})"));  // waits for the first build
  REQUIRE(terminal.shows("ready in "));
  CHECK(terminal.shows("compile "));
  CHECK(terminal.shows("restart "));

  dev.set_message("second");
  REQUIRE(terminal.shows("src/message.h changed"));
  CHECK(contains(get(dev.port), "second"));
  REQUIRE(terminal.shows("ready in "));

  dev.write("config/default.json", R"({"name": "configured"})");
  REQUIRE(terminal.shows("config/default.json changed"));
  CHECK(contains(get(dev.port), "configured"));

  // A file that is replaced, as editors do, and a folder that comes.
  fs::create_directories(dev.folder() / "src/deep/er");
  dev.write("src/deep/er/other.h", "#define MESSAGE \"third\"\n");
  REQUIRE(terminal.shows("src/deep/er/other.h changed"));
  dev.write("src/new.h", "#include \"deep/er/other.h\"\n");
  fs::rename(dev.folder() / "src/new.h", dev.folder() / "src/message.h");
  REQUIRE(terminal.shows("changed"));
  CHECK(contains(get(dev.port), "third"));
}

TEST_CASE("dev, doctor and build show the progress of long work, and erase it") {
  // A build that goes on until the test lets it: two steps wait for a file.
  Dev dev;
  dev.write(
      "CMakeLists.txt",
      "cmake_minimum_required(VERSION 3.25)\n"
      "project(echo LANGUAGES C)\n"
      "add_executable(echo src/main.c)\n"
      "foreach(step IN ITEMS one two)\n"
      "  add_custom_command(OUTPUT ${step} DEPENDS ${before}\n"
      "    COMMAND sh -c \"until [ -e ${CMAKE_SOURCE_DIR}/${step}.go ]; do sleep 0.05; done\"\n"
      "    COMMAND ${CMAKE_COMMAND} -E touch ${step} VERBATIM)\n"
      "  set(before ${CMAKE_CURRENT_BINARY_DIR}/${step})\n"
      "endforeach()\n"
      "add_custom_target(steps DEPENDS ${before})\n"
      "add_dependencies(echo steps)\n");
  e2e::Terminal terminal(dev.command, dev.folder(), {"TERM=xterm", "CMAKE_GENERATOR=Ninja"});
  REQUIRE(terminal.shows("fairway: building\x1b[K"));
  dev.write("one.go", "");
  REQUIRE(terminal.shows("fairway: building: 1 of "));
  REQUIRE(terminal.shows(" left"));
  dev.write("two.go", "");
  // Erased: showing a line ends with one sequence, and erasing it is another one. The line before
  // may be the last one, so its end has not been looked for yet.
  REQUIRE(terminal.shows("\x1b[K\x1b[Kfairway: ready in "));

  const fairway::test::TemporaryDirectory directory;
  fs::create_directories(directory.path() / "src/routes");
  std::ofstream(directory.path() / "src/routes/index.cpp")
      << "#include <fairway/fairway.hpp>\n"
         "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
         "  app.get(\"/\", {.docs = {.summary = \"Say hello\", .operation_id = \"hello\"}},\n"
         "          [](fw::Request&, fw::Response& res) { res.text(\"hello\"); });\n"
         "});\n";
  for (const char* command : {"doctor", "build --out-dir out"}) {
    CAPTURE(command);
    const std::string line = std::string("exec " FAIRWAY_PROGRAM " ") + command +
                             " --cache-dir cache-" + command[0] + " -- -std=c++20 " + FAIRWAY_FLAGS;
    e2e::Terminal first({"/bin/sh", "-c", line}, directory.path(), {"TERM=xterm"});
    CHECK(first.wait() == 0);
    // Nothing is cached: the framework's header is precompiled first.
    CHECK(contains(first.screen(), "fairway: 0 of 1 file\x1b[K"));
    const std::string rest = first.screen().substr(first.screen().rfind("of 1 file"));
    CHECK(contains(rest, "of 1 file\x1b[K\x1b[K"));  // erased
    e2e::Terminal dumb({"/bin/sh", "-c", line + " -DOTHER"}, directory.path(), {"TERM=dumb"});
    CHECK(dumb.wait() == 0);
    CHECK(!contains(dumb.screen(), "of 1 file"));
  }
}

TEST_CASE("dev: an error leaves the last good program running, and pages show the error") {
  Dev dev;
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  dev.write("src/message.h", "#define MESSAGE missing_name\n");
  REQUIRE(terminal.shows("The build failed after "));
  REQUIRE(terminal.shows("the last good version keeps running\n"));
  REQUIRE(terminal.shows("missing_name"));
  CHECK(contains(get(dev.port), "first"));
  const std::string page = get_page(dev.port);
  CHECK(contains(page, "HTTP/1.1 500"));
  CHECK(contains(page, "missing_name"));
  CHECK(contains(page, "<h1>The build failed after "));

  // The page asks for the next version, and gets the word after the repair.
  const auto version = page.find("wait?version=");
  REQUIRE(version != std::string::npos);
  const std::string path =
      "/.fairway/dev/" + page.substr(version, page.find('"', version) - version);
  std::string told;
  std::thread browser([&] { told = get(dev.port, path); });
  dev.set_message("repaired");
  REQUIRE(terminal.shows("ready in "));
  browser.join();
  CHECK(contains(told, R"({"version":)"));
  CHECK(contains(get_page(dev.port), "repaired"));
  // Nothing of the build tool is shown.
  CHECK(!contains(terminal.screen(), "ninja"));
  CHECK(!contains(terminal.screen(), "FAILED:"));
  CHECK(!contains(terminal.screen(), "Building C object"));
}

TEST_CASE("dev: the first build fails, and requests are told so until it is repaired") {
  Dev dev;
  dev.write("src/message.h", "#error \"not <yet>\"\n");
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("nothing is running\n"));
  CHECK(contains(get(dev.port), "HTTP/1.1 503"));
  CHECK(contains(get_page(dev.port), "not &lt;yet&gt;"));
  CHECK(!contains(terminal.screen(), "CMake"));
  dev.set_message("now");
  REQUIRE(terminal.shows("ready in "));
  CHECK(contains(get(dev.port), "now"));
}

TEST_CASE("dev: a program that does not start leaves the last good one running") {
  Dev dev;
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  dev.write("config/default.json", R"({"name": "wrong"})");
  REQUIRE(terminal.shows("config/default.json is wrong"));
  REQUIRE(terminal.shows("The program did not start: exit status 1; the last good version"));
  CHECK(contains(get(dev.port), "plain"));
  CHECK(contains(get_page(dev.port), "config/default.json is wrong"));
  dev.write("config/default.json", R"({"name": "right"})");
  REQUIRE(terminal.shows("ready in "));
  CHECK(contains(get(dev.port), "right"));
}

TEST_CASE("dev: a program that crashes starts again once, and then after a change") {
  Dev dev;
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  CHECK(contains(get(dev.port, "/crash"), "HTTP/1.1 502"));
  REQUIRE(terminal.shows("the program ended with signal 6 (Aborted): starting it again"));
  REQUIRE(terminal.shows("ready in "));
  CHECK(contains(get(dev.port), "first"));
  CHECK(contains(get(dev.port, "/crash"), "HTTP/1.1 502"));
  REQUIRE(terminal.shows("The program ended again, with signal 6"));
  CHECK(contains(get(dev.port), "HTTP/1.1 503"));
  dev.set_message("mended");
  REQUIRE(terminal.shows("ready in "));
  CHECK(contains(get(dev.port), "mended"));
}

TEST_CASE("dev: fifty saves in a row lose no request") {
  Dev dev;
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  std::atomic<bool> is_over = false;
  std::atomic<int> responses = 0;
  std::string lost;
  std::thread client([&] {
    while (!is_over) {
      const std::string response = get(dev.port);
      if (!contains(response, "HTTP/1.1 200")) lost = "a request got: " + response;
      ++responses;
    }
  });
  for (int i = 1; i <= 50; ++i) {
    const int before = responses;
    dev.set_message("save " + std::to_string(i));
    // Some come while the build of the one before runs, some after a response.
    while (i % 5 == 0 && responses == before) std::this_thread::yield();
  }
  std::string last;
  while (!contains(last, "save 50")) last = get(dev.port);
  is_over = true;
  client.join();
  CHECK(lost == "");
  CHECK(responses > 1);
  dev.set_message("over");
  REQUIRE(terminal.shows("ready in "));
}

TEST_CASE("dev: Ctrl-C completes running requests and leaves no process") {
  for (const char* moment :
       {"serving", "configuring", "ready in ", "changed", "the last good version keeps running"}) {
    CAPTURE(moment);
    Dev dev;
    e2e::Terminal terminal(dev.command, dev.folder());
    std::string slow = "HTTP/1.1 200";
    std::thread client;
    const bool is_before_start =
        std::string(moment) == "configuring" || std::string(moment) == "serving";
    if (!is_before_start) {
      REQUIRE(terminal.shows("ready in "));
      client = std::thread([&] { slow = get(dev.port, "/slow"); });
      while (connect_to(dev.port) < 0) std::this_thread::yield();
    }
    if (std::string(moment) == "changed") dev.set_message("never built");
    if (contains(moment, "keeps running")) dev.write("src/message.h", "#error broken\n");
    if (std::string(moment) != "ready in ") REQUIRE(terminal.shows(moment));
    terminal.type("\x03");
    CHECK(terminal.wait() == 0);
    if (client.joinable()) client.join();
    CHECK(processes_in(dev.folder()).empty());
    CHECK(processes_in(dev.folder() / "build/dev").empty());
  }
}

TEST_CASE("dev: no process remains when it is killed") {
  Dev dev;
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  ::kill(terminal.process(), SIGKILL);
  CHECK(terminal.wait() == 128 + SIGKILL);
  for (int i = 0; i < 1000 && !processes_in(dev.folder()).empty(); ++i) ::usleep(10'000);
  CHECK(processes_in(dev.folder()).empty());
}

TEST_CASE("dev: without inotify, and one program at a time") {
  Dev dev({"--poll", "--stop-first"});
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  dev.set_message("polled again");
  REQUIRE(terminal.shows("src/message.h changed"));
  CHECK(contains(get(dev.port), "polled again"));
}

TEST_CASE("dev: a port in use, a folder without a project, an unknown target") {
  Dev dev;
  e2e::Terminal first(dev.command, dev.folder());
  REQUIRE(first.shows("ready in "));
  e2e::Terminal second(dev.command, dev.folder());
  CHECK(second.wait() == 2);
  CHECK(contains(second.screen(), "cannot listen on 127.0.0.1:" + std::to_string(dev.port) +
                                      ": Address already in use; stop the other program"));
  e2e::Terminal elsewhere(dev.command, dev.folder() / "src");
  CHECK(elsewhere.wait() == 2);
  CHECK(contains(elsewhere.screen(), "there is no CMakeLists.txt here"));

  Dev other({"--target", "ecko"});
  e2e::Terminal wrong(other.command, other.folder());
  CHECK(wrong.shows("--target: the project has no program 'ecko'; it has 'echo'"));
}

TEST_CASE("new: asks for what the command line does not say") {
  fairway::test::TemporaryDirectory directory;
  e2e::Terminal terminal({FAIRWAY_PROGRAM, "new"}, directory.path());
  REQUIRE(terminal.shows("Name of the project [my-api]: "));
  terminal.type("my api\n");
  REQUIRE(terminal.shows("for example, use 'my-api'"));
  terminal.type("shop\n");
  REQUIRE(terminal.shows("Template [api]: "));
  terminal.type("minimum\n");
  REQUIRE(terminal.shows("there is no template 'minimum'; did you mean 'minimal'?"));
  terminal.type("minimal\n");
  CHECK(terminal.wait() == 0);
  CHECK(fs::exists(directory.path() / "shop/src/routes/hello.cpp"));

  e2e::Terminal stopped({FAIRWAY_PROGRAM, "new"}, directory.path());
  REQUIRE(stopped.shows("[my-api]: "));
  stopped.type("\x04");
  CHECK(stopped.wait() == 2);
  CHECK(!fs::exists(directory.path() / "my-api"));
}
