// Results of earlier runs: given again as long as they are true.
#include "frontend/caching_parser.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/cache_files.hpp"
#include "support/parse_bytes.hpp"
#include "support/parse_fixture.hpp"
#include "temporary_directory.hpp"

namespace caching_parser_test {

namespace fs = std::filesystem;
using fairway::frontend::CachingParser;
using fairway::test::bytes_of;
using fairway::test::files_with;
using fairway::test::TemporaryDirectory;

namespace {

/// A tree with a framework of one header, which is quick to parse.
class Tree {
 public:
  Tree() {
    directory_.write("include/fairway/fairway.hpp", "#pragma once\n#include \"limit.hpp\"\n");
    directory_.write("include/fairway/limit.hpp", "#define LIMIT 1\n");
    directory_.write("include/shared.hpp", "#define SHARED 1\n");
    directory_.write("users.cpp",
                     "#include <fairway/fairway.hpp>\n"
                     "#include <shared.hpp>\n"
                     "#if __has_include(<fairway/extra.hpp>)\n#error extra\n#endif\n"
                     "#if LIMIT != 1\n#error limit\n#endif\n"
                     "#if SHARED != 1\n#error shared\n#endif\n");
  }

  void write(const std::string& name, const std::string& text) const {
    directory_.write(name, text);
  }
  fs::path path(const std::string& name) const { return directory_.path() / name; }

  fairway::frontend::ParseJob job() const {
    return {.source_dir = directory_.path(),
            .path = "users.cpp",
            .flags = fairway::frontend::fixed_flags({"-std=c++20", "-I" + path("early").string(),
                                                     "-I" + path("include").string()},
                                                    "")
                         ->flags_for("")};
  }

  struct Run {
    std::string message;
    bool reused;
  };
  /// A run of its own. The message is the first one, or empty.
  Run run() const {
    CachingParser parser(path("cache"));
    const auto file = parser.parse(job()).file;
    CHECK(bytes_of(file) == bytes_of(fairway::frontend::parse_file(job()).file));
    return {file.diagnostics.empty() ? "" : file.diagnostics[0].message, parser.reused() == 1};
  }

 private:
  TemporaryDirectory directory_;
};

constexpr const char* kFine = "";

}  // namespace

TEST_CASE("caching parser: an unchanged file is not parsed again") {
  const Tree tree;
  CHECK_FALSE(tree.run().reused);
  CHECK(tree.run().reused);
  CHECK(tree.run().message == kFine);
}

TEST_CASE("caching parser: without cached results, headers are still precompiled") {
  const Tree tree;
  for (int run = 0; run < 2; ++run) {
    CachingParser parser(tree.path("cache"), {.uses_results = false});
    CHECK(bytes_of(parser.parse(tree.job()).file) ==
          bytes_of(fairway::frontend::parse_file(tree.job()).file));
    CHECK(parser.reused() == 0);
    CHECK_FALSE(parser.digest(tree.job()).has_value());
  }
  CHECK(files_with(tree.path("cache"), ".result").empty());
  CHECK(files_with(tree.path("cache"), ".pch").size() == 1);
}

TEST_CASE("caching parser: the environment that Clang reads is part of both keys") {
  const Tree tree;
  tree.run();
  std::size_t headers = 1;
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH"}) {
    CAPTURE(name);
    ::setenv(name, "1", 1);
    CHECK_FALSE(tree.run().reused);
    CHECK(tree.run().reused);
    ::unsetenv(name);
    CHECK(files_with(tree.path("cache"), ".pch").size() == ++headers);
  }
  CHECK(tree.run().reused);
}

TEST_CASE("caching parser: a change that keeps size, inode and modification time is detected") {
  const Tree tree;
  const fs::path header = tree.path("include/shared.hpp");
  const auto time = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(header, time);
  tree.run();
  tree.write("include/shared.hpp", "#define SHARED 2\n");
  fs::last_write_time(header, time);
  CHECK(tree.run().message == "shared");
}

TEST_CASE("caching parser: a change of any input is detected") {
  const Tree tree;
  tree.run();
  std::string expected;
  SUBCASE("the file") {
    tree.write("users.cpp", "#include <fairway/fairway.hpp>\n#error file\n");
    expected = "file";
  }
  SUBCASE("a header of the same size") {
    tree.write("include/shared.hpp", "#define SHARED 2\n");
    expected = "shared";
  }
  SUBCASE("a header inside the precompiled one") {
    tree.write("include/fairway/limit.hpp", "#define LIMIT 2\n");
    expected = "limit";
  }
  SUBCASE("a new header earlier in the search path") {
    tree.write("early/shared.hpp", "#define SHARED 2\n");
    expected = "shared";
  }
  SUBCASE("a header whose lookup failed") {
    tree.write("include/fairway/extra.hpp", "");
    expected = "extra";
  }
  SUBCASE("a removed header") {
    fs::remove(tree.path("include/shared.hpp"));
    expected = "'shared.hpp' file not found";
  }
  const auto run = tree.run();
  CHECK_FALSE(run.reused);
  CHECK(run.message == expected);
}

TEST_CASE("caching parser: a file rewritten with the same content counts as unchanged") {
  const Tree tree;
  tree.run();
  const auto entries = files_with(tree.path("cache"), ".result");
  REQUIRE(entries.size() == 1);
  for (const char* name : {"users.cpp", "include/shared.hpp", "include/fairway/limit.hpp"}) {
    fs::last_write_time(tree.path(name), fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  CHECK(tree.run().reused);
  CHECK(tree.run().reused);
}

TEST_CASE("caching parser: generated types are no inputs, as the build writes them later") {
  const Tree tree;
  tree.write("users.cpp", "#include <fairway/fairway.hpp>\n#include \"users.routes.hpp\"\n");
  tree.run();
  tree.write("include/users.routes.hpp", "// Types.\n// Generated by `fairway build`: …\n#error\n");
  CHECK(tree.run().reused);
}

TEST_CASE("caching parser: a header of the user with the name of a generated one is an input") {
  const Tree tree;
  tree.write("users.cpp", "#include <fairway/fairway.hpp>\n#include \"users.routes.hpp\"\n");
  const std::string generated = "// Types.\n// Generated by `fairway build`: …\n#error\n";
  SUBCASE("instead of none") {}
  SUBCASE("instead of a generated one") { tree.write("users.routes.hpp", generated); }
  CHECK(tree.run().message == kFine);
  tree.write("users.routes.hpp", "#error own\n");
  CHECK(tree.run().message == "own");
  tree.write("users.routes.hpp", "#error its\n");
  CHECK(tree.run().message == "its");
  tree.write("users.routes.hpp", generated);
  CHECK(tree.run().message == kFine);
  CHECK(tree.run().reused);
}

TEST_CASE("caching parser: flags and the working directory are part of the key of a result") {
  const Tree tree;
  tree.run();
  CachingParser parser(tree.path("cache"));
  auto job = tree.job();
  job.flags.arguments.push_back("-DLIMIT=2");
  parser.parse(job);
  CHECK(parser.reused() == 0);
  const fs::path here = fs::current_path();
  fs::current_path(tree.path(""));
  const auto file = parser.parse(tree.job()).file;
  fs::current_path(here);
  CHECK(parser.reused() == 0);
  CHECK(file.display_path == "users.cpp");
}

TEST_CASE("caching parser: a file has one cache entry, however often it changes") {
  const Tree tree;
  for (const char* text : {"int a;\n", "int b;\n", "int c;\n"}) {
    tree.write("users.cpp", text);
    tree.run();
  }
  CHECK(files_with(tree.path("cache"), ".result").size() == 1);
}

TEST_CASE("caching parser: a corrupted entry is replaced") {
  const Tree tree;
  tree.run();
  const auto entries = files_with(tree.path("cache"), ".result");
  REQUIRE(entries.size() == 1);
  fs::resize_file(entries[0], fs::file_size(entries[0]) / 2);
  CHECK_FALSE(tree.run().reused);
  CHECK(tree.run().reused);
}

TEST_CASE("caching parser: environment errors are not cached") {
  const Tree tree;
  auto job = tree.job();
  job.flags.arguments[0] = "-std=c++1";
  CachingParser parser(tree.path("cache"));
  CHECK_THROWS_AS(parser.parse(job), fairway::frontend::EnvironmentError);
  CHECK_THROWS_AS(parser.parse(job), fairway::frontend::EnvironmentError);
  CHECK(files_with(tree.path("cache"), ".result").empty());
}

TEST_CASE("caching parser: a file rewritten within its time stamp is parsed again") {
  const Tree tree;
  // Always too new for its time stamp to say anything.
  const auto later = fs::file_time_type::clock::now() + std::chrono::hours(1);
  fs::last_write_time(tree.path("include/shared.hpp"), later);
  tree.run();
  tree.write("include/shared.hpp", "#define SHARED 2\n");
  fs::last_write_time(tree.path("include/shared.hpp"), later);
  const auto run = tree.run();
  CHECK_FALSE(run.reused);
  CHECK(run.message == "shared");
  CHECK(tree.run().reused);
}

TEST_CASE("caching parser: a header probed by the framework is an input of files that read it") {
  const Tree tree;
  tree.write("include/fairway/fairway.hpp",
             "#pragma once\n#include \"limit.hpp\"\n#if __has_include(<shared.hpp>)\n#endif\n");
  CHECK(tree.run().message == kFine);
  tree.write("include/shared.hpp", "#define SHARED 2\n");
  CHECK(tree.run().message == "shared");
}

}  // namespace caching_parser_test
