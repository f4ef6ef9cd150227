// `fairway dev` and `fairway new` as their users see them, in a pseudo-terminal.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "dev/cmake_project.hpp"
#include "dev/dev_project.hpp"
#include "dev/terminal.hpp"
#include "temporary_directory.hpp"

namespace dev_test {

TEST_CASE("dev: builds and serves, and the next request sees a change") {
  Dev dev;
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("serving http://127.0.0.1:" + std::to_string(dev.port)));
  // Waits for the first build, for a minute each time.
  std::string response;
  for (int attempt = 0; attempt < 10 && !contains(response, "first"); ++attempt) {
    response = get(dev.port);
  }
  CHECK(contains(response, R"(first {"name": "plain"})"));
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

TEST_CASE("dev: names the documentation of the API once, if the application has one") {
  Dev dev;
  // What fairway_add_app writes.
  dev.write("CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)\n"
            "project(echo LANGUAGES C)\n"
            "add_executable(echo src/main.c)\n"
            "file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/fairway/echo/add_app.json\n"
            "  [[{\"directory\": \"/\", \"source_dir\": \"/nowhere\", \"arguments\": []}]])\n");
  const std::string url = "http://127.0.0.1:" + std::to_string(dev.port);
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("fairway: the documentation of its API is on " + url + "/docs\n"));
  REQUIRE(terminal.shows("ready in "));
  dev.write("config/default.json", R"({"openapi": {"docsPath": "/api/"}})");
  REQUIRE(terminal.shows("fairway: the documentation of its API is on " + url + "/api/\n"));
  REQUIRE(terminal.shows("ready in "));
  dev.write("config/default.json", R"({"openapi": {"enabled": false}})");
  REQUIRE(terminal.shows("config/default.json changed"));
  REQUIRE(terminal.shows("ready in "));
  dev.set_message("again");
  REQUIRE(terminal.shows("src/message.h changed"));
  REQUIRE(terminal.shows("ready in "));
  const std::string& screen = terminal.screen();
  const std::string announcement = "the documentation of its API";
  const auto first = screen.find(announcement);
  const auto second = screen.find(announcement, first + 1);
  CHECK(second != screen.npos);
  CHECK(screen.find(announcement, second + 1) == screen.npos);
}

namespace {

/// What the command writes.
std::string output_of(const std::string& command) {
  std::string output;
  FILE* const pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char bytes[4096];
  for (std::size_t size = 0; (size = std::fread(bytes, 1, sizeof bytes, pipe)) > 0;) {
    output.append(bytes, size);
  }
  ::pclose(pipe);
  return output;
}

}  // namespace

TEST_CASE("dev: --https serves TLS with a certificate that is kept, and tells the program") {
  Dev dev({"--https"});
  const fs::path folder = dev.folder() / "build/dev/.cmake/fairway-dev/tls";
  const std::string url = "https://localhost:" + std::to_string(dev.port) + "/";
  const auto get = [&](const std::string& options) {
    return output_of("curl -s -i --max-time 60 --cacert '" + (folder / "certificate.pem").string() +
                     "' " + options + " " + url + " 2>&1");
  };
  std::string first;
  {
    e2e::Terminal terminal(dev.command, dev.folder());
    REQUIRE(terminal.shows("certificate.pem: browsers warn until they trust it"));
    REQUIRE(terminal.shows("serving https://127.0.0.1:" + std::to_string(dev.port)));
    REQUIRE(terminal.shows("ready in "));
    const std::string response = get("");
    CHECK(contains(response, "first "));
    CHECK(contains(response, "dev=https secure"));
    // A client cannot claim another address.
    CHECK(!contains(get("-H 'X-Forwarded-For: 192.0.2.7'"), "spoofed"));
    CHECK(contains(get("-H 'X-Other: 192.0.2.7'"), "spoofed"));
    // More than the buffers of the proxy.
    dev.write("large", std::string(3'000'000, 'x'));
    CHECK(contains(get("-H 'Expect:' --data-binary @" + (dev.folder() / "large").string()),
                   "dev=https secure 3000000"));
    dev.write("src/message.h", "#define MESSAGE missing_name\n");
    REQUIRE(terminal.shows("the last good version keeps running\n"));
    CHECK(contains(get("-H 'Accept: text/html'"), "<h1>The build failed after "));
    const auto status = fs::status(folder / "key.pem").permissions();
    CHECK(status == (fs::perms::owner_read | fs::perms::owner_write));
    first = output_of("cat '" + (folder / "certificate.pem").string() + "'");
  }
  dev.set_message("again");
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  CHECK(contains(get(""), "again"));
  CHECK(output_of("cat '" + (folder / "certificate.pem").string() + "'") == first);
  CHECK(!contains(terminal.screen(), "browsers warn"));
}

TEST_CASE("dev: doctor and build show the progress of long operations, and erase it") {
  // A build that the test controls: two steps wait for a file.
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

TEST_CASE("dev: a build error keeps the last program running, and pages show the error") {
  Dev dev;
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  dev.write("src/message.h", "#define MESSAGE missing_name\n");
  REQUIRE(terminal.shows("The build failed after "));
  REQUIRE(terminal.shows("the last good version keeps running\n"));
  REQUIRE(terminal.shows("missing_name"));
  REQUIRE(terminal.shows("fairway: pages of http://127.0.0.1:" + std::to_string(dev.port) +
                         " show the error in a browser\n"));
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
  std::string message;
  std::thread browser([&] { message = get(dev.port, path); });
  dev.set_message("repaired");
  REQUIRE(terminal.shows("ready in "));
  browser.join();
  CHECK(contains(message, R"({"version":)"));
  CHECK(contains(get_page(dev.port), "repaired"));
  // Nothing of the build tool is shown.
  CHECK(!contains(terminal.screen(), "ninja"));
  CHECK(!contains(terminal.screen(), "FAILED:"));
  CHECK(!contains(terminal.screen(), "Building C object"));
}

TEST_CASE("dev: requests get the error of the first build until it is fixed") {
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

TEST_CASE("dev: a program that does not start keeps the last one running") {
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
    CAPTURE(std::string(moment));
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
    CHECK(becomes_empty(dev.folder()));
    CHECK(becomes_empty(dev.folder() / "build/dev"));
  }
}

TEST_CASE("dev: no process remains when it is killed") {
  Dev dev;
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  ::kill(terminal.process(), SIGKILL);
  CHECK(terminal.wait() == 128 + SIGKILL);
  CHECK(becomes_empty(dev.folder()));
}

TEST_CASE("dev: a caller may ignore SIGCHLD, and SIGHUP as nohup does") {
  Dev dev;
  std::vector<std::string> command = {"/bin/sh", "-c", "trap '' CHLD HUP; exec \"$@\"", "sh"};
  command.insert(command.end(), dev.command.begin(), dev.command.end());
  e2e::Terminal terminal(command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  ::kill(terminal.process(), SIGHUP);
  dev.set_message("second");
  REQUIRE(terminal.shows("ready in "));
}

TEST_CASE("dev: polling instead of inotify, and --stop-first") {
  Dev dev({"--poll", "--stop-first"});
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  dev.set_message("polled again");
  REQUIRE(terminal.shows("src/message.h changed"));
  CHECK(contains(get(dev.port), "polled again"));
}

TEST_CASE("dev: errors for a port in use, a folder without a project and an unknown target") {
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

namespace {

/// The environment of a user who has chosen no compiler. The folder tools/ is the first folder of
/// PATH: there, each clang++ of this machine is replaced by one that fails.
std::vector<std::string> without_compiler(const Dev& dev) {
  const fs::path tools = dev.folder() / "tools";
  fs::create_directories(tools);
  const std::string path = std::getenv("PATH");
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("clang++")) dev.write_program("tools/" + name, "exit 1");
    }
  }
  // A terminal without a line of progress: the lines that are looked for follow each other.
  return {"CXX=", "CC=", "CMAKE_TOOLCHAIN_FILE=", "TERM=dumb",
          "PATH=" + tools.string() + ":" + path};
}

/// The program of the project as C++.
void use_cxx(const Dev& dev, const std::string& lines = {}) {
  dev.write("CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)\n"
            "project(echo LANGUAGES CXX)\n" +
                lines +
                "set_source_files_properties(src/main.c PROPERTIES LANGUAGE CXX)\n"
                "add_executable(echo src/main.c)\n"
                "target_compile_features(echo PRIVATE cxx_std_20)\n");
}

const std::string kNewestClang = "exec " FAIRWAY_CLANGXX " \"$@\"";

}  // namespace

TEST_CASE("dev: compiles with the newest working Clang unless a compiler is chosen") {
  Dev dev;
  use_cxx(dev);
  const auto environment = without_compiler(dev);
  dev.write_program("tools/clang++-96", "exit 2");  // must not be used
  dev.write_program("tools/clang++-97", kNewestClang);
  dev.write_program("tools/clang++-98", "exit 1");
  dev.write_program("tools/clang++-99-old", kNewestClang);
  {
    e2e::Terminal terminal(dev.command, dev.folder(), environment);
    REQUIRE(
        terminal.shows("configuring the project\n"
                       "fairway: compiling with clang++-97, the fastest compiler found (set CXX "
                       "for another one)\n"
                       "fairway: ready in "));
    CHECK(contains(get(dev.port), "first"));
    CHECK(contains(dev.cxx_compiler(), "clang++-97"));
    // A new compiler does not replace the one of a build folder.
    dev.write_program("tools/clang++-98", kNewestClang);
    dev.set_message("second");
    REQUIRE(terminal.shows("ready in "));
    CHECK(contains(dev.cxx_compiler(), "clang++-97"));
  }
  std::vector<std::string> with_choice = environment;
  with_choice.push_back("CXX=c++");
  {
    e2e::Terminal terminal(dev.command, dev.folder(), with_choice);
    REQUIRE(terminal.shows("configuring the project\nfairway: ready in "));
    CHECK(contains(get(dev.port), "second"));
    CHECK(contains(dev.cxx_compiler(), "/c++"));
  }
  e2e::Terminal terminal(dev.command, dev.folder(), environment);
  REQUIRE(terminal.shows("Ctrl-C stops\nfairway: ready in "));  // the folder is configured
  CHECK(contains(dev.cxx_compiler(), "/c++"));
}

TEST_CASE("dev: a preset that names a compiler overrides the choice of Clang") {
  Dev dev;
  use_cxx(dev);
  const auto environment = without_compiler(dev);
  dev.write_program("tools/clang++", kNewestClang);
  const std::string preset = R"({"version": 6, "configurePresets": [{"name": "dev")";
  dev.write("CMakePresets.json", preset + "}]}");
  e2e::Terminal terminal(dev.command, dev.folder(), environment);
  REQUIRE(terminal.shows("compiling with clang++, "));
  REQUIRE(terminal.shows("ready in "));
  dev.write("CMakePresets.json",
            preset + R"(, "cacheVariables": {"CMAKE_CXX_COMPILER": "c++"}}]})");
  REQUIRE(
      terminal.shows("CMakePresets.json changed\nfairway: configuring the project\n"
                     "fairway: ready in "));
  CHECK(contains(dev.cxx_compiler(), "/c++"));
}

TEST_CASE("dev: keeps CMake's compiler if the project needs it or no Clang works") {
  Dev dev;
  const auto environment = without_compiler(dev);
  SUBCASE("no Clang works") { use_cxx(dev); }
  SUBCASE("the project cannot be configured with Clang") {
    dev.write_program("tools/clang++-97", kNewestClang);
    use_cxx(dev,
            "if(CMAKE_CXX_COMPILER_ID STREQUAL \"Clang\")\n"
            "  message(FATAL_ERROR \"needs GCC\")\n"
            "endif()\n");
  }
  SUBCASE("the build folder has been configured") {
    dev.write_program("tools/clang++-97", kNewestClang);
    use_cxx(dev);
    const std::string command =
        "cd '" + dev.folder().string() + "' && cmake -B build/dev >log 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
  }
  e2e::Terminal terminal(dev.command, dev.folder(), environment);
  REQUIRE(terminal.shows("configuring the project\nfairway: ready in "));
  CHECK(contains(dev.cxx_compiler(), "/c++"));
  CHECK(contains(get(dev.port), "first"));
}

TEST_CASE("dev: an error in the first configuration does not decide on the compiler") {
  Dev dev;
  const auto environment = without_compiler(dev);
  dev.write_program("tools/clang++-97", kNewestClang);
  use_cxx(dev, "message(FATAL_ERROR \"not yet\")\n");
  e2e::Terminal terminal(dev.command, dev.folder(), environment);
  REQUIRE(terminal.shows("nothing is running\n"));
  REQUIRE(terminal.shows("not yet"));
  use_cxx(dev);
  REQUIRE(terminal.shows("compiling with clang++-97, "));
  REQUIRE(terminal.shows("ready in "));
}

TEST_CASE("dev: Ctrl-C ends the check of a compiler") {
  Dev dev;
  use_cxx(dev);
  const auto environment = without_compiler(dev);
  dev.write_program("tools/clang++-97", "touch started; exec sleep 100");
  e2e::Terminal terminal(dev.command, dev.folder(), environment);
  REQUIRE(terminal.shows("configuring the project"));
  while (!fs::exists(dev.folder() / "started")) std::this_thread::yield();
  terminal.type("\x03");
  CHECK(terminal.wait() == 0);
  CHECK(becomes_empty(dev.folder()));
}

TEST_CASE("dev: presets that choose a compiler are recognised") {
  const fairway::test::TemporaryDirectory directory;
  directory.write("CMakePresets.json", R"({
    "version": 6, "include": ["cmake/more.json", "cmake/nothing.json"], "configurePresets": [
      {"name": "none", "inherits": ["base", "none", "unknown"], "toolchainFile": "",
       "cacheVariables": {"CMAKE_BUILD_TYPE": "Debug", "CMAKE_CXX_COMPILER": null},
       "environment": {"PATH": "/bin"}},
      {"name": "base"},
      {"name": "variable", "cacheVariables": {"CMAKE_CXX_COMPILER": "g++"}},
      {"name": "typed", "cacheVariables": {"CMAKE_CXX_COMPILER": {"type": "FILEPATH", "value": "g++"}}},
      {"name": "toolchain", "toolchainFile": "cross.cmake"},
      {"name": "environment", "environment": {"CXX": "g++"}},
      {"name": "inherits", "inherits": "typed"},
      {"name": "inherits several", "inherits": ["base", "inherits"]}
    ]})");
  directory.write("CMakeUserPresets.json", R"({
    "version": 6, "configurePresets": [{"name": "user", "inherits": ["none", "included"]}]})");
  directory.write("cmake/more.json", R"({
    "version": 6, "include": ["../CMakePresets.json"], "configurePresets": [
      {"name": "included", "inherits": ["variable"]}]})");
  const fairway::dev::CmakePresets presets(directory.path());
  for (const char* name : {"none", "base", "unknown"}) {
    CAPTURE(name);
    CHECK(!presets.chooses_compiler(name));
  }
  for (const char* name : {"variable", "typed", "toolchain", "environment", "inherits",
                           "inherits several", "included", "user"}) {
    CAPTURE(name);
    CHECK(presets.has(name));
    CHECK(presets.chooses_compiler(name));
  }
  CHECK(!presets.has("unknown"));

  directory.write("CMakePresets.json", "{broken");
  CHECK(!fairway::dev::CmakePresets(directory.path()).has("none"));
  directory.write("CMakePresets.json", R"([{"configurePresets": 1}])");
  CHECK(!fairway::dev::CmakePresets(directory.path()).has("none"));
}

TEST_CASE("new: asks for values missing on the command line") {
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

}  // namespace dev_test
