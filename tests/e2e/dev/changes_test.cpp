// Which changes of files `fairway dev` sees, with inotify and without.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "dev/build_inputs.hpp"
#include "dev/dev_project.hpp"
#include "dev/terminal.hpp"
#include "temporary_directory.hpp"

namespace dev_test {

namespace {

/// Adds commands to the project.
void extend(const Dev& dev, const std::string& lines) {
  dev.write("CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)\n"
            "project(echo LANGUAGES C)\n"
            "add_executable(echo src/main.c)\n" +
                lines);
}

const std::vector<std::vector<std::string>> kWatchers = {{}, {"--poll"}};

}  // namespace

TEST_CASE("dev: files outside the project that the build has read are watched") {
  for (const auto& options : kWatchers) {
    for (const char* generator : {"Ninja", "Unix Makefiles"}) {
      CAPTURE(options.size());
      CAPTURE(std::string(generator));
      const fairway::test::TemporaryDirectory outside;
      outside.write("words.h", "#define MESSAGE \"outside\"\n");
      outside.write("more.cmake", "");
      Dev dev(options);
      const std::string folder = fs::canonical(outside.path()).string();
      dev.write("src/message.h", "#include \"" + folder + "/words.h\"\n");
      extend(dev, "include(" + folder + "/more.cmake)\n");
      e2e::Terminal terminal(dev.command, dev.folder(),
                             {std::string("CMAKE_GENERATOR=") + generator});
      REQUIRE(terminal.shows("ready in "));
      CHECK(contains(get(dev.port), "outside"));
      outside.write("words.h", "#define MESSAGE \"changed there\"\n");
      REQUIRE(terminal.shows(folder + "/words.h changed"));
      CHECK(contains(get(dev.port), "changed there"));
      outside.write("more.cmake", "target_compile_definitions(echo PRIVATE MESSAGE=\"defined\")\n");
      REQUIRE(terminal.shows(folder + "/more.cmake changed"));
      // A file that nothing has read.
      outside.write("other.h", "");
      dev.set_message("last");
      REQUIRE(terminal.shows("src/message.h changed"));
      CHECK(!contains(terminal.screen(), "other.h"));
    }
  }
}

TEST_CASE("dev: a file outside the project that comes back is built") {
  for (const auto& options : kWatchers) {
    for (const char* generator : {"Ninja", "Unix Makefiles"}) {
      CAPTURE(options.size());
      CAPTURE(std::string(generator));
      const fairway::test::TemporaryDirectory outside;
      outside.write("words.h", "#define MESSAGE \"outside\"\n");
      Dev dev(options);
      const std::string folder = fs::canonical(outside.path()).string();
      dev.write("src/message.h", "#include \"" + folder + "/words.h\"\n");
      e2e::Terminal terminal(dev.command, dev.folder(),
                             {std::string("CMAKE_GENERATOR=") + generator});
      REQUIRE(terminal.shows("ready in "));
      outside.write("words.h", "#define MESSAGE \"changed there\"\n");
      REQUIRE(terminal.shows(folder + "/words.h changed"));  // it is watched
      CHECK(contains(get(dev.port), "changed there"));
      fs::remove(outside.path() / "words.h");
      REQUIRE(terminal.shows(folder + "/words.h changed"));
      REQUIRE(terminal.shows("The build failed after"));
      // The inputs are read while the file is missing. It passes without the wait, too, because a
      // file that is newer than the build is seen when they are read.
      std::this_thread::sleep_for(std::chrono::seconds(1));
      outside.write("words.h", "#define MESSAGE \"back again\"\n");
      REQUIRE(terminal.shows(folder + "/words.h changed"));
      REQUIRE(terminal.shows("ready in "));
      CHECK(contains(get(dev.port), "back again"));
    }
  }
}

TEST_CASE("dev: dependencies of custom commands are watched, whatever their name") {
  for (const auto& options : kWatchers) {
    CAPTURE(options.size());
    Dev dev(options);
    dev.write("some text", "from a text");
    dev.write("src/message.h", "#include \"generated.h\"\n");
    extend(dev,
           "add_custom_command(OUTPUT generated.h DEPENDS \"some text\"\n"
           "  COMMAND sed \"s/.*/#define MESSAGE \\\"&\\\"/\" \"${CMAKE_SOURCE_DIR}/some text\"\n"
           "          > generated.h VERBATIM)\n"
           "target_sources(echo PRIVATE generated.h)\n"
           "target_include_directories(echo PRIVATE ${CMAKE_BINARY_DIR})\n");
    e2e::Terminal terminal(dev.command, dev.folder(), {"CMAKE_GENERATOR=Ninja"});
    REQUIRE(terminal.shows("ready in "));
    CHECK(contains(get(dev.port), "from a text"));
    dev.write("some text", "from another text");
    REQUIRE(terminal.shows("some text changed"));
    CHECK(contains(get(dev.port), "from another text"));
  }
}

TEST_CASE("dev: a page is checked after each change, and fixing it alone is enough") {
  for (const auto& options : kWatchers) {
    CAPTURE(options.size());
    Dev dev(options);
    dev.write("src/pages/index.html", "fine");
    extend(dev,
           "add_custom_command(OUTPUT page.checked DEPENDS src/pages/index.html\n"
           "  COMMAND grep fine ${CMAKE_SOURCE_DIR}/src/pages/index.html\n"
           "  COMMAND ${CMAKE_COMMAND} -E touch page.checked VERBATIM)\n"
           "add_custom_target(pages DEPENDS page.checked)\n"
           "add_dependencies(echo pages)\n");
    e2e::Terminal terminal(dev.command, dev.folder());
    REQUIRE(terminal.shows("ready in "));
    dev.write("src/pages/index.html", "broken");
    REQUIRE(terminal.shows("src/pages/index.html changed"));
    REQUIRE(terminal.shows("The build failed after "));
    CHECK(contains(get_page(dev.port), "HTTP/1.1 500"));
    dev.write("src/pages/index.html", "fine again");
    REQUIRE(terminal.shows("src/pages/index.html changed"));
    REQUIRE(terminal.shows("ready in "));
    CHECK(contains(get_page(dev.port), "HTTP/1.1 200"));
    for (const char* file : {"src/pages/style.css", "src/pages/parts/menu.js"}) {
      dev.write(file, "");
      REQUIRE(terminal.shows(std::string(file) + " changed"));
      // What changes before the build begins is read by it, and not reported by a watcher that
      // polls.
      REQUIRE(terminal.shows("ready in "));
    }
  }
}

TEST_CASE("dev: links to folders with route files are followed") {
  for (const auto& options : kWatchers) {
    CAPTURE(options.size());
    const fairway::test::TemporaryDirectory outside;
    outside.write("v2/a.h", "");
    outside.write("v3/a.h", "");
    Dev dev(options);
    fs::create_directories(dev.folder() / "src/routes");
    fs::create_directory_symlink(outside.path() / "v2", dev.folder() / "src/routes/v2");
    fs::create_directory_symlink("..", dev.folder() / "src/routes/loop");
    e2e::Terminal terminal(dev.command, dev.folder());
    REQUIRE(terminal.shows("ready in "));
    outside.write("v2/b.h", "");
    REQUIRE(terminal.shows("src/routes/v2/b.h changed"));
    outside.write("v2/deep/c.h", "");
    REQUIRE(terminal.shows("src/routes/v2/deep/c.h changed"));
    fs::create_directory_symlink(outside.path() / "v3", dev.folder() / "src/routes/v3");
    REQUIRE(terminal.shows("src/routes/v3"));
    REQUIRE(terminal.shows("ready in "));
    outside.write("v3/d.h", "");
    REQUIRE(terminal.shows("src/routes/v3/d.h changed"));
    fs::remove(dev.folder() / "src/routes/v3");
    REQUIRE(terminal.shows("src/routes/v3"));
    REQUIRE(terminal.shows("ready in "));
    CHECK(!contains(terminal.screen(), "loop"));
  }
}

TEST_CASE("dev: only build folders and the project's node_modules are not watched") {
  for (const auto& options : kWatchers) {
    CAPTURE(options.size());
    Dev dev(options);
    dev.write("configured/CMakeCache.txt", "");
    e2e::Terminal terminal(dev.command, dev.folder());
    REQUIRE(terminal.shows("ready in "));
    for (const char* file : {"src/routes/build/index.cpp", "src/build-tools/a.h", "build/b.h",
                             "src/node_modules/c.h"}) {
      dev.write(file, "");
      REQUIRE(terminal.shows(std::string(file) + " changed"));
      REQUIRE(terminal.shows("ready in "));
    }
    // A build folder that appears, and those that are known.
    const std::string command =
        "cd '" + dev.folder().string() + "' && cmake -B out/debug >build/log 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
    for (const char* file : {"out/debug/a.h", "configured/b.h", "node_modules/package/c.h",
                             "build/dev/d.h", "src/.hidden/e.h"}) {
      dev.write(file, "");
    }
    dev.set_message("last");
    REQUIRE(terminal.shows("\nfairway: src/message.h changed\n"));
    const std::string& screen = terminal.screen();
    CHECK(screen.substr(screen.rfind("ready in ")).find("changed") ==
          screen.substr(screen.rfind("ready in ")).find("changed\n"));
    CHECK(!contains(screen, "out/debug"));
  }
}

TEST_CASE("dev: build inputs are read from Ninja's log and Make's dependency files") {
  using fairway::dev::BuildInputs;
  using fairway::dev::dependencies_in_depfile;
  CHECK(dependencies_in_depfile("out/a.o: a.c \\\n  in\\ clude/a.h b\\#.h c$$.h\nb: d.h\n") ==
        BuildInputs::Files{"a.c", "in clude/a.h", "b#.h", "c$.h", "d.h"});
  CHECK(dependencies_in_depfile("").empty());

  using fairway::dev::dependencies_in_log;
  const std::string header("# ninjadeps\n\4\0\0\0", 16);
  const auto word = [](unsigned number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const auto path = [&](std::string name) {
    name.resize((name.size() + 3) / 4 * 4);
    return word(static_cast<unsigned>(name.size()) + 4) + name + word(0);
  };
  const auto record = [&](std::vector<unsigned> words) {
    std::string text = word(0x8000'0000U | static_cast<unsigned>(words.size() * 4));
    for (const unsigned each : words) text += word(each);
    return text;
  };
  const std::string log = header + path("out.o") + path("a.c") + path("old.h") + path("new.h") +
                          record({0, 1, 1, 1, 2}) + record({0, 2, 2, 1, 3});
  CHECK(dependencies_in_log(log) == BuildInputs::Files{"a.c", "new.h"});
  CHECK(dependencies_in_log(log + record({0, 3, 3, 1}).substr(0, 7)) ==
        BuildInputs::Files{"a.c", "new.h"});
  CHECK(dependencies_in_log(header + record({0, 1, 1, 7})).empty());
  CHECK(dependencies_in_log("# ninjadeps\n\5").empty());
  CHECK(dependencies_in_log("").empty());
}

}  // namespace dev_test
