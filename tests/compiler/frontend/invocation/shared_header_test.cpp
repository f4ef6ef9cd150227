// The framework's headers, precompiled: used where that changes nothing, and never a reason to
// fail.
#include "frontend/invocation/shared_header.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <latch>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "frontend/caching_parser.hpp"
#include "support/cache_files.hpp"
#include "support/parse_bytes.hpp"
#include "support/parse_fixture.hpp"
#include "temporary_directory.hpp"

namespace shared_header_test {

namespace fs = std::filesystem;
using fairway::frontend::begins_with_framework_header;
using fairway::frontend::CachingParser;
using fairway::frontend::CompileFlags;
using fairway::frontend::fixed_flags;
using fairway::frontend::parse_file;
using fairway::test::bytes_of;
using fairway::test::count_headers;
using fairway::test::files_with;
using fairway::test::TemporaryDirectory;

namespace {

constexpr const char* kRoutes =
    "#include <fairway/fairway.hpp>\n"
    "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
    "  app.get(\"/\", [](fw::Request&, fw::Response&) {});\n"
    "});\n";

/// A framework of one header, quick to precompile.
constexpr const char* kSmallFramework =
    "#pragma once\n"
    "inline constexpr int kLimit = 1;\n"
    "#ifdef TWICE\n#error defined above the include\n#endif\n";

CompileFlags flags(const fs::path& include_dir) {
  return fixed_flags({"-std=c++20", "-I" + include_dir.string()}, "")->flags_for("");
}

}  // namespace

TEST_CASE("shared header: only a file that begins with the umbrella header uses it precompiled") {
  CHECK(begins_with_framework_header("#include <fairway/fairway.hpp>\n"));
  CHECK(begins_with_framework_header(
      "\xEF\xBB\xBF// users\r\n/* a\n b */ # include \"fairway/fairway.hpp\""));
  CHECK_FALSE(begins_with_framework_header("#include <vector>\n#include <fairway/fairway.hpp>\n"));
  CHECK_FALSE(begins_with_framework_header("#define X\n#include <fairway/fairway.hpp>\n"));
  CHECK_FALSE(begins_with_framework_header("// #include <fairway/fairway.hpp>"));
  CHECK_FALSE(begins_with_framework_header("/* #include <fairway/fairway.hpp>"));
  CHECK_FALSE(begins_with_framework_header("#include <fairway/fairway.hpp.in>"));
  CHECK_FALSE(begins_with_framework_header(""));
}

TEST_CASE("shared header: files that include either header of the framework use it") {
  const TemporaryDirectory directory;
  directory.write("fairway.cpp", "#include <fairway/fairway.hpp>\n");
  directory.write("routes.cpp", "#include <fairway/routes.hpp>\n");
  directory.write("none.cpp", "int a;\n");
  CachingParser parser(FIXTURE_CACHE, {.uses_results = false});
  const auto header_of = [&](const char* path) {
    return parser
        .parse(
            {.source_dir = directory.path(), .path = path, .flags = fairway::test::fixture_flags()})
        .header;
  };
  CHECK(header_of("fairway.cpp") != 0);
  CHECK(header_of("routes.cpp") == header_of("fairway.cpp"));
  CHECK(header_of("none.cpp") == 0);
}

TEST_CASE("shared header: a file does not see names that it has not included itself") {
  const TemporaryDirectory directory;
  directory.write("include/fairway/fairway.hpp", kSmallFramework);
  directory.write("src/none.cpp", "int limit = kLimit;\n");
  directory.write("src/later.cpp", "#define TWICE\n#include <fairway/fairway.hpp>\n");
  // The nearest header wins, which is not the one that was precompiled.
  directory.write("src/near/fairway/fairway.hpp", "#pragma once\nint kLimit = 2;\n");
  directory.write("src/near/users.cpp", "#include \"fairway/fairway.hpp\"\n");
  directory.write("src/near/fairway/routes.hpp", "#define TWICE\n#include <fairway/fairway.hpp>\n");
  directory.write("src/near/routes.cpp", "#include \"fairway/routes.hpp\"\n");
  CachingParser parser(directory.path() / "cache");
  for (const char* path : {"none.cpp", "later.cpp", "near/users.cpp", "near/routes.cpp"}) {
    const fairway::frontend::ParseJob job{.source_dir = directory.path() / "src",
                                          .path = path,
                                          .flags = flags(directory.path() / "include")};
    INFO(path);
    CHECK(bytes_of(parser.parse(job).file) == bytes_of(parse_file(job).file));
  }
}

// Containers that share a cache may have equal process ids, as two parsers of one process have.
TEST_CASE("shared header: two parsers with one process id build it in an empty cache") {
  const TemporaryDirectory directory;
  directory.write("include/fairway/fairway.hpp", kSmallFramework);
  directory.write("src/users.cpp", "#include <fairway/fairway.hpp>\nint limit = kLimit;\n");
  const fairway::frontend::ParseJob job{.source_dir = directory.path() / "src",
                                        .path = "users.cpp",
                                        .flags = flags(directory.path() / "include")};
  for (int round = 0; round < 10; ++round) {
    const fs::path cache = directory.path() / std::to_string(round);
    std::array<std::uint64_t, 2> headers{};
    std::latch start(headers.size());
    std::vector<std::jthread> threads;
    for (std::uint64_t& header : headers) {
      threads.emplace_back([&] {
        CachingParser parser(cache);
        start.arrive_and_wait();
        header = parser.parse(job).header;
      });
    }
    threads.clear();
    for (const std::uint64_t header : headers) CHECK(header != 0);
    CHECK(files_with(cache, ".tmp").empty());
  }
}

TEST_CASE("shared header: files that differ only in the name of their export share a header") {
  const TemporaryDirectory directory;
  directory.write("include/fairway/fairway.hpp", kSmallFramework);
  directory.write("users.cpp", "#include <fairway/fairway.hpp>\n");
  CachingParser parser(directory.path() / "cache");
  for (const char* definition :
       {"-Dfairway_default_export=a", "-Dfairway_default_export=b", "-DOTHER"}) {
    auto with_definition = flags(directory.path() / "include");
    with_definition.arguments.push_back(definition);
    parser.parse({.source_dir = directory.path(), .path = "users.cpp", .flags = with_definition});
  }
  CHECK(count_headers(directory.path()) == 2);
}

TEST_CASE("shared header: a precompiled header is reused, and rebuilt when a header changes") {
  const TemporaryDirectory directory;
  directory.write("include/fairway/fairway.hpp", "#pragma once\n#include \"limit.hpp\"\n");
  directory.write("include/fairway/limit.hpp", "inline constexpr const char* kPath = \"/a\";\n");
  directory.write("users.cpp",
                  "#include <fairway/fairway.hpp>\n"
                  "static_assert(kPath[1] == 'a', \"it changed\");\n");
  const auto parse = [&] {
    CachingParser parser(directory.path() / "cache");
    return parser
        .parse({.source_dir = directory.path(),
                .path = "users.cpp",
                .flags = flags(directory.path() / "include")})
        .file;
  };
  const auto about_assertion = [](const auto& file) {
    return std::any_of(file.diagnostics.begin(), file.diagnostics.end(),
                       [](const auto& diagnostic) {
                         return diagnostic.message.find("it changed") != std::string::npos;
                       });
  };
  CHECK_FALSE(about_assertion(parse()));
  const auto first = files_with(directory.path(), ".pch");
  REQUIRE(first.size() == 1);
  const auto made = fs::last_write_time(first[0]);
  CHECK_FALSE(about_assertion(parse()));
  CHECK(fs::last_write_time(first[0]) == made);

  directory.write("include/fairway/limit.hpp", "inline constexpr const char* kPath = \"/b\";\n");
  CHECK(about_assertion(parse()));
  const auto second = files_with(directory.path(), ".pch");
  REQUIRE(second.size() == 1);  // the old one is gone
  CHECK(second != first);
}

// As the source of CMake's precompiled header, which is written when the first build begins.
TEST_CASE("shared header: inputs that were just written do not make it out of date") {
  const TemporaryDirectory directory;
  const fs::path umbrella = directory.path() / "include/fairway/fairway.hpp";
  directory.write("include/fairway/fairway.hpp", kSmallFramework);
  directory.write("users.cpp", "#include <fairway/fairway.hpp>\nint limit = kLimit;\n");
  const auto made = [&] {
    CachingParser parser(directory.path() / "cache", {.uses_results = false});
    const auto result = parser.parse({.source_dir = directory.path(),
                                      .path = "users.cpp",
                                      .flags = flags(directory.path() / "include")});
    CHECK(result.header != 0);
    const auto headers = files_with(directory.path(), ".pch");
    REQUIRE(headers.size() == 1);
    return fs::last_write_time(headers[0]);
  };
  const auto first = made();
  CHECK(made() == first);
  // Clang compares the time stamp.
  fs::last_write_time(umbrella, fs::last_write_time(umbrella) - std::chrono::hours(1));
  const auto second = made();
  CHECK(second != first);
  CHECK(made() == second);
}

TEST_CASE("shared header: a new header earlier in the search path is detected") {
  const TemporaryDirectory directory;
  directory.write("late/fairway/fairway.hpp", "#pragma once\n#define OLD\n");
  fs::create_directories(directory.path() / "early/fairway");
  directory.write("users.cpp",
                  "#include <fairway/fairway.hpp>\n#ifndef OLD\n#error it is new\n#endif\n");
  const auto parse = [&] {
    CachingParser parser(directory.path() / "cache");
    return parser
        .parse({.source_dir = directory.path(),
                .path = "users.cpp",
                .flags = fixed_flags({"-std=c++20", "-I" + (directory.path() / "early").string(),
                                      "-I" + (directory.path() / "late").string()},
                                     "")
                             ->flags_for("")})
        .file;
  };
  CHECK(parse().diagnostics.empty());
  directory.write("early/fairway/fairway.hpp", "#pragma once\n");
  CHECK(parse().diagnostics.front().message == "it is new");
}

TEST_CASE("shared header: without a usable precompiled header the file is parsed without it") {
  const TemporaryDirectory directory;
  directory.write("routes/users.cpp", kRoutes);
  const fairway::frontend::ParseJob job{.source_dir = directory.path(),
                                        .path = "routes/users.cpp",
                                        .flags = fairway::test::fixture_flags()};
  const std::string expected = bytes_of(parse_file(job).file);

  SUBCASE("a damaged header") {
    CachingParser(directory.path() / "cache").parse(job);
    const auto headers = files_with(directory.path(), ".pch");
    REQUIRE(headers.size() == 1);
    const auto size = fs::file_size(headers[0]);
    fs::resize_file(headers[0], size / 2);
    fs::remove_all(directory.path() / "cache/results");
    CHECK(bytes_of(CachingParser(directory.path() / "cache").parse(job).file) == expected);
    CHECK(fs::file_size(headers[0]) == size);  // rebuilt
  }
  SUBCASE("a damaged list of its inputs") {
    CachingParser(directory.path() / "cache").parse(job);
    const auto lists = files_with(directory.path(), ".inputs");
    REQUIRE(lists.size() == 1);
    std::ofstream(lists[0], std::ios::binary) << "\xFF\xFF\xFF\xFF";
    fs::remove_all(directory.path() / "cache/results");
    CHECK(bytes_of(CachingParser(directory.path() / "cache").parse(job).file) == expected);
  }
  SUBCASE("a directory that cannot be written") {
    directory.write("cache", "a file");
    CHECK(bytes_of(CachingParser(directory.path() / "cache").parse(job).file) == expected);
  }
}

TEST_CASE("shared header: errors in the framework are reported as without a precompiled header") {
  const TemporaryDirectory directory;
  directory.write("include/fairway/fairway.hpp", "#pragma once\nint a = b;\n");
  directory.write("users.cpp", "#include <fairway/fairway.hpp>\n");
  const fairway::frontend::ParseJob job{.source_dir = directory.path(),
                                        .path = "users.cpp",
                                        .flags = flags(directory.path() / "include")};
  CHECK(bytes_of(CachingParser(directory.path() / "cache").parse(job).file) ==
        bytes_of(parse_file(job).file));
  CHECK(count_headers(directory.path()) == 0);
}

}  // namespace shared_header_test
