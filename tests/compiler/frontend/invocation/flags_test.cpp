// Where a file's flags come from, and which of them a parse can use.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/parse_fixture.hpp"
#include "temporary_directory.hpp"

namespace flags_test {

using fairway::frontend::EnvironmentError;
using fairway::frontend::fixed_flags;
using fairway::frontend::flags_from_database;
using fairway::test::TemporaryDirectory;

namespace {

bool has(const fairway::frontend::CompileFlags& flags, const std::string& argument) {
  return std::find(flags.arguments.begin(), flags.arguments.end(), argument) !=
         flags.arguments.end();
}

std::string entry(const std::string& directory, const std::string& file,
                  const std::string& command) {
  return R"({"directory": ")" + directory + R"(", "file": ")" + file + R"(", "command": ")" +
         command + "\"}";
}

constexpr const char* kRoutes =
    "#include <fairway/fairway.hpp>\n"
    "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
    "  app.get(PATH, [](fw::Request&, fw::Response&) {});\n"
    "});\n";

}  // namespace

TEST_CASE("flags: flags that a parse cannot use are dropped") {
  const auto flags = fixed_flags({"-std=c++20", "-c", "-o", "x.o", "-MD", "-MF", "x.d", "-Wall",
                                  "-Werror", "-fsanitize=address", "-DA=1", "-O2"},
                                 "")
                         ->flags_for("x.cpp");
  CHECK(flags.arguments == std::vector<std::string>{"-std=c++20", "-DA=1", "-O2"});
}

TEST_CASE("flags: the arguments in response files are used") {
  const TemporaryDirectory directory;
  const std::string folder = directory.path().string();
  directory.write("flags.rsp", "-DA '-DTEXT=\"a b\"' -c\n@more/inner.rsp");
  directory.write("more/inner.rsp", "-DB");
  const std::vector<std::string> expected = {"-std=c++20", "-DA", "-DTEXT=\"a b\"", "-DB", "-DC"};
  const auto fixed = fixed_flags({"-std=c++20", "@flags.rsp", "-DC"}, folder);
  CHECK(fixed->flags_for("x.cpp").arguments == expected);
  const auto missing = fixed_flags({"@none.rsp"}, folder);
  CHECK(missing->flags_for("x.cpp").arguments == std::vector<std::string>{"@none.rsp"});
  directory.write(
      "compile_commands.json",
      "[" + entry(folder, "x.cpp", "c++ -std=c++20 @flags.rsp -DC -c x.cpp -o x.o") + "]");
  const auto database = flags_from_database(folder);
  const auto found = database->flags_for(folder + "/x.cpp");
  for (const std::string& argument : expected) {
    CAPTURE(argument);
    CHECK(has(found, argument));
  }
}

TEST_CASE("flags: output flags are dropped, because Clang does not accept all values of GCC") {
  const auto flags =
      fixed_flags(
          {"-flto=2", "-flto-partition=none", "-fno-lto", "-ffat-lto-objects", "-fuse-ld=bfd",
           "-fno-fat-lto-objects", "-fprofile-use=/none", "-fauto-profile=/none", "-ggdb3",
           "-gz=zlib-gnu", "-mtune=intel", "-mfpmath=both", "-mfunction-return=thunk",
           "-fdiagnostics-format=json", "-Wa,--noexecstack", "-march=x86-64-v2"},
          "")
          ->flags_for("x.cpp");
  CHECK(flags.arguments == std::vector<std::string>{"-fuse-ld=bfd", "-march=x86-64-v2"});
}

TEST_CASE("flags: -X options for other programs are dropped together with their argument") {
  const auto flags =
      fixed_flags({"-Xlinker", "-gc-sections", "-DA", "-Xassembler", "-gdwarf-5", "-DB", "-mllvm",
                   "-gvn-hoist", "-DC", "-Xclang", "-fno-pch-timestamp", "-Xpreprocessor",
                   "-Wunused", "-Xassembler", "-g"},
                  "")
          ->flags_for("x.cpp");
  CHECK(flags.arguments == std::vector<std::string>{"-DA", "-DB", "-DC", "-Xclang",
                                                    "-fno-pch-timestamp", "-Xpreprocessor",
                                                    "-Wunused"});
}

TEST_CASE("flags: preprocessor options in -Wp are kept, except dependency files") {
  const auto flags = fixed_flags({"-Wp,-DWITH_ADMIN,-UOLD", "-Wp,-MD,x.d", "-Wp,-MMD,x.d,-DLAST",
                                  "-Xpreprocessor", "-DPASSED", "-Wl,-z,now", "-MJ", "x.json"},
                                 "")
                         ->flags_for("x.cpp");
  CHECK(flags.arguments ==
        std::vector<std::string>{"-DWITH_ADMIN", "-UOLD", "-DLAST", "-Xpreprocessor", "-DPASSED"});
}

TEST_CASE("flags: a precompiled header is replaced by its source header") {
  const std::vector<std::string> as_text = {"-Xclang", "-include", "-Xclang", "d/cmake_pch.hxx"};
  CHECK(fixed_flags({"-include", "d/cmake_pch.hxx"}, "")->flags_for("").arguments == as_text);
  CHECK(fixed_flags({"-Xclang", "-include-pch", "-Xclang", "d/cmake_pch.hxx.pch", "-Xclang",
                     "-include", "-Xclang", "d/cmake_pch.hxx"},
                    "")
            ->flags_for("")
            .arguments == as_text);
  CHECK(has(fixed_flags({"-include", "config.h"}, "")->flags_for(""), "config.h"));
}

TEST_CASE("flags: a directory without a compilation database is an environment error") {
  const TemporaryDirectory directory;
  CHECK_THROWS_WITH_AS(flags_from_database(directory.path()),
                       doctest::Contains("CMAKE_EXPORT_COMPILE_COMMANDS"), EnvironmentError);
  directory.write("compile_commands.json", "not json");
  CHECK_THROWS_AS(flags_from_database(directory.path()), EnvironmentError);
}

TEST_CASE("flags: a listed file has its own flags, a new file the flags of its neighbour") {
  const TemporaryDirectory directory;
  const std::string here = directory.path();
  directory.write("build/flags.rsp", "-DFROM_RESPONSE=1");
  directory.write("routes/users.cpp", "");
  directory.write("build/compile_commands.json",
                  "[" +
                      entry(here + "/build", "../routes/users.cpp",
                            "c++ -DUSERS=1 @flags.rsp -o u.o -c ../routes/users.cpp") +
                      "]");
  const auto provider = flags_from_database(here + "/build");
  const auto own = provider->flags_for(here + "/routes/users.cpp");
  CHECK(own.directory == here + "/build");
  CHECK(has(own, "-DUSERS=1"));
  CHECK(has(own, "-DFROM_RESPONSE=1"));
  CHECK_FALSE(has(own, "../routes/users.cpp"));
  CHECK_FALSE(has(own, "-c"));
  const auto borrowed = provider->flags_for(here + "/routes/orders.cpp");
  CHECK(has(borrowed, "-DUSERS=1"));
  CHECK_FALSE(has(borrowed, here + "/routes/users.cpp"));
}

TEST_CASE("flags: of several commands for a file, the object directory selects one") {
  const TemporaryDirectory directory;
  const std::string here = directory.path();
  const auto command = [&](const std::string& definition, const std::string& object) {
    return entry(here + "/build", "../users.cpp",
                 "c++ -D" + definition + " -o " + object + " -c ../users.cpp");
  };
  directory.write("users.cpp", "");
  directory.write("build/compile_commands.json",
                  "[" + command("SERVER", "CMakeFiles/server.dir/users.cpp.o") + "," +
                      command("TESTS", "tests/CMakeFiles/tests.dir/users.cpp.o") + "]");
  const auto flags = [&](const std::string& objects) {
    return flags_from_database(here + "/build", {.object_dir = objects})
        ->flags_for(here + "/users.cpp");
  };
  CHECK(has(flags(""), "-DSERVER"));
  CHECK(has(flags(here + "/build/CMakeFiles/server.dir"), "-DSERVER"));
  CHECK(has(flags(here + "/build/tests/CMakeFiles/tests.dir"), "-DTESTS"));
  CHECK_THROWS_WITH_AS(flags(here + "/build/CMakeFiles/server"),
                       doctest::Contains(("users.cpp' with an object file below '" + here).c_str()),
                       EnvironmentError);
}

TEST_CASE("flags: of several applications with the same files, the name selects the command") {
  const TemporaryDirectory directory;
  const std::string here = directory.path();
  const auto command = [&](const std::string& folder, const std::string& target,
                           const std::string& prefix) {
    const std::string file = here + "/" + folder + "/routes/the-users_1.cpp";
    return entry(here + "/build", file,
                 "c++ -DFOR_" + target + " -Dfairway_default_export=fairway_export_" + prefix +
                     "routes_2fthe_2dusers_5f1_2ecpp -o CMakeFiles/" + target + ".dir/u.o -c " +
                     file);
  };
  directory.write("build/compile_commands.json", "[" + command("src", "server", "") + "," +
                                                     command("src", "tests", "") + "," +
                                                     command("src", "third", "routes_") + "," +
                                                     command("admin", "fourth", "back_end_") + "]");
  const auto provider = [&](const std::string& name, const std::string& folder) {
    return flags_from_database(here + "/build", {.name = name, .source_dir = here + "/" + folder});
  };
  const auto flags = [&](const std::string& name, const std::string& folder,
                         const std::string& file) {
    return provider(name, folder)->flags_for(here + "/" + folder + "/routes/" + file);
  };
  CHECK(has(flags("server", "src", "the-users_1.cpp"), "-DFOR_server"));
  CHECK(has(flags("tests", "src", "the-users_1.cpp"), "-DFOR_tests"));
  CHECK(has(flags("tests", "src", "new.cpp"), "-DFOR_tests"));
  CHECK(has(flags("routes", "src", "the-users_1.cpp"), "-DFOR_third"));
  CHECK(has(flags("third", "src", "the-users_1.cpp"), "-DFOR_third"));
  CHECK(has(flags("back_end", "admin", "the-users_1.cpp"), "-DFOR_fourth"));
  CHECK(provider("tests", "src")->note().empty());
  CHECK(provider("", "admin")->note().empty());
  CHECK(provider("", "src")->note() ==
        "'server', 'tests' and 'routes' compile the files in '" + here +
            "/src': they are parsed with the flags of 'server'; choose another application with "
            "--name");
  CHECK_THROWS_WITH_AS(
      provider("test", "src"),
      "--name: the compilation database has no application or target 'test'; it has 'server', "
      "'tests', 'routes' and 'back_end'",
      EnvironmentError);
  CHECK_THROWS_WITH_AS(provider("back_end", "src"),
                       ("--name: the sources of 'back_end' are in '" + here + "/admin', not in '" +
                        here + "/src': specify that directory with --source-dir")
                           .c_str(),
                       EnvironmentError);
}

TEST_CASE("flags: relative flags start from their directory, and unsupported ones are skipped") {
  const TemporaryDirectory directory;
  directory.write("build/readme", "");
  directory.write("include/path.hpp", "#define PATH \"/relative\"\n");
  directory.write("src/routes/users.cpp",
                  std::string("#include <path.hpp>\n#include \"users.routes.hpp\"\n") + kRoutes);
  const auto flags =
      fixed_flags({"-std=c++20", "-I../include", "-I" FAIRWAY_INCLUDE_DIR, "-fno-such-flag-of-gcc",
                   "-p", "-pass-exit-codes", "-fcoverage-mapping", "-specs=/none",
                   "-Dfairway_default_export=fairway_export_users"},
                  directory.path() / "build");
  const auto file = fairway::frontend::parse_file({.source_dir = directory.path() / "src",
                                                   .path = "routes/users.cpp",
                                                   .flags = flags->flags_for("")})
                        .file;
  CHECK(file.diagnostics.empty());
  REQUIRE(file.registrations.size() == 1);
  CHECK(file.registrations[0].path == "/relative");
  const auto& read = file.dependencies;
  CHECK(std::is_sorted(read.begin(), read.end()));
  CHECK(std::count(read.begin(), read.end(), directory.path() / "include/path.hpp") == 1);
  CHECK(std::count(read.begin(), read.end(), directory.path() / "src/routes/users.cpp") == 1);
  CHECK(std::count(read.begin(), read.end(), FAIRWAY_INCLUDE_DIR "/fairway/router.hpp") == 1);
  CHECK(std::none_of(read.begin(), read.end(),
                     [](const std::string& path) { return path.starts_with("/usr/include/"); }));
  // Generated types are made from the file: depending on them would never come to rest.
  CHECK(std::none_of(read.begin(), read.end(),
                     [](const std::string& path) { return path.ends_with(".routes.hpp"); }));
}

TEST_CASE("flags: paths in diagnostics exist, also below symbolic links") {
  const TemporaryDirectory directory;
  namespace fs = std::filesystem;
  directory.write("modules/common.hpp", "#define PATH \"/common\"\n");
  directory.write("modules/v2/users.cpp", std::string("#include \"../common.hpp\"\n") + kRoutes +
                                              "static_assert(wrong<int>);\n");
  directory.write("src/routes/readme", "");
  fs::create_directory_symlink("../../modules/v2", directory.path() / "src/routes/v2");
  const auto file = fairway::frontend::parse_file({.source_dir = directory.path() / "src",
                                                   .path = "routes/v2/users.cpp",
                                                   .flags = fairway::test::fixture_flags()})
                        .file;
  CHECK(file.display_path == directory.path() / "src/routes/v2/users.cpp");
  const auto& read = file.dependencies;
  CHECK(std::count(read.begin(), read.end(),
                   fs::canonical(directory.path() / "modules/common.hpp").string()) == 1);
  for (const std::string& path : read) CHECK_MESSAGE(fs::exists(path), path);
  REQUIRE(file.diagnostics.size() == 1);
  CHECK(file.diagnostics[0].range.file == file.display_path);
}

TEST_CASE("flags: an error in a system header names that header") {
  const TemporaryDirectory directory;
  directory.write("users.cpp",
                  std::string("#include <optional>\n") + kRoutes + "std::optional<int&> wrong;\n");
  const auto file =
      fairway::frontend::parse_file(
          {.source_dir = directory.path(),
           .path = "users.cpp",
           .flags = fixed_flags({"-std=c++20", "-DPATH=\"/a\"", "-I" FAIRWAY_INCLUDE_DIR}, "")
                        ->flags_for("")})
          .file;
  REQUIRE_FALSE(file.diagnostics.empty());
  for (const auto& diagnostic : file.diagnostics) {
    CHECK_MESSAGE(std::filesystem::exists(diagnostic.range.file), diagnostic.range.file);
    for (const auto& note : diagnostic.notes) {
      CHECK_MESSAGE(std::filesystem::exists(note.range.file), note.range.file);
    }
  }
}

TEST_CASE("flags: what members of a library in a system directory return is not known") {
  const TemporaryDirectory directory;
  directory.write("users.cpp",
                  "#include <fairway/fairway.hpp>\n"
                  "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
                  "  const fw::Json json = 1;\n"
                  "  const char* const name = json.type_name();\n"
                  "  app.get(\"/\", [name](fw::Request&, fw::Response& res) { res.text(name); });\n"
                  "});\n");
  const auto file =
      fairway::frontend::parse_file(
          {.source_dir = directory.path(),
           .path = "users.cpp",
           .flags = fixed_flags({"-std=c++20", "-isystem" FAIRWAY_INCLUDE_DIR}, "")->flags_for("")})
          .file;
  CHECK(file.registrations.size() == 1);
  CHECK(file.diagnostics.empty());
}

TEST_CASE("flags: a flag that hides the system headers is named in the error") {
  const TemporaryDirectory directory;
  directory.write("users.cpp", kRoutes);
  const auto parse = [&](const std::string& flag) {
    return fairway::frontend::parse_file(
               {.source_dir = directory.path(),
                .path = "users.cpp",
                .flags =
                    fixed_flags({"-std=c++20", "-DPATH=\"/a\"", flag, "-I" FAIRWAY_INCLUDE_DIR}, "")
                        ->flags_for("")})
        .file;
  };
  CHECK_THROWS_WITH_AS(parse("-nostdinc++"),
                       doctest::Contains("file not found, a header of the system: '-nostdinc++' "
                                         "excludes its directory"),
                       EnvironmentError);
}

TEST_CASE("flags: a flag that chooses other system headers is named if they are missing") {
  const TemporaryDirectory directory;
  directory.write("users.cpp", kRoutes);
  directory.write("empty/readme", "");
  // Hides the headers of the system, in case the target has some that are installed.
  const std::string without_headers = "--gcc-toolchain=" + (directory.path() / "empty").string();
  for (const std::string include : {"-I" FAIRWAY_INCLUDE_DIR, "-isystem" FAIRWAY_INCLUDE_DIR}) {
    CAPTURE(include);
    CHECK_THROWS_WITH_AS(
        fairway::frontend::parse_file(
            {.source_dir = directory.path(),
             .path = "users.cpp",
             .flags =
                 fixed_flags({"-std=c++20", "-DPATH=\"/a\"", "-m32", without_headers, include}, "")
                     ->flags_for("")}),
        doctest::Contains("file not found, a header of the system: '-m32' needs the C++ standard "
                          "library for that target"),
        EnvironmentError);
  }
}

TEST_CASE("flags: flags that stop the compiler are an environment error") {
  const TemporaryDirectory directory;
  directory.write("users.cpp", "");
  CHECK_THROWS_WITH_AS(
      fairway::frontend::parse_file(
          {.source_dir = directory.path(), .path = "users.cpp", .flags = {{"-std=c++1"}, ""}}),
      doctest::Contains("cannot compile"), EnvironmentError);
}

}  // namespace flags_test
