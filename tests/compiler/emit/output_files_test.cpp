#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#include "emit/application_outputs.hpp"
#include "files/input.hpp"
#include "temporary_directory.hpp"

namespace output_files_test {

using fairway::emit::OutputFiles;
using fairway::test::TemporaryDirectory;

namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("output files: a file with unchanged content keeps its modification time") {
  const TemporaryDirectory scratch;
  OutputFiles(scratch.path()).write("deep/a.txt", "one");
  const auto old_time = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(scratch.path() / "deep/a.txt", old_time);
  OutputFiles(scratch.path()).write("deep/a.txt", "one");
  CHECK(fs::last_write_time(scratch.path() / "deep/a.txt") == old_time);
  OutputFiles(scratch.path()).write("deep/a.txt", "two");
  CHECK(fs::last_write_time(scratch.path() / "deep/a.txt") > old_time);
  CHECK(content(scratch.path() / "deep/a.txt") == "two");
  // Nothing temporary stays behind.
  CHECK(std::distance(fs::directory_iterator(scratch.path() / "deep"), fs::directory_iterator()) ==
        1);
}

TEST_CASE("output files: files of an earlier run that are no longer written are removed") {
  const TemporaryDirectory scratch;
  OutputFiles earlier(scratch.path());
  earlier.write("routes/old.routes.hpp", "");
  earlier.write("routes/kept.routes.hpp", "");
  earlier.write("routes/other.txt", "");
  OutputFiles later(scratch.path());
  later.write("routes/kept.routes.hpp", "");
  later.remove_stale("routes", ".routes.hpp");
  CHECK_FALSE(fs::exists(scratch.path() / "routes/old.routes.hpp"));
  CHECK(fs::exists(scratch.path() / "routes/kept.routes.hpp"));
  CHECK(fs::exists(scratch.path() / "routes/other.txt"));
}

TEST_CASE("output files: recorded outputs no longer written are removed within the directory") {
  const TemporaryDirectory scratch;
  const fs::path copy = scratch.path() / "elsewhere/shop_client.hpp";
  OutputFiles earlier(scratch.path() / "out");
  for (const char* path : {"client/log_client.hpp", "client/kept.hpp", "include/shop/table.hpp"}) {
    earlier.write(path, "");
  }
  earlier.write(copy, "");
  std::ofstream(scratch.path() / "out/client/notes.txt") << "of the user";
  OutputFiles later(scratch.path() / "out");
  later.write("client/kept.hpp", "");
  std::vector<fs::path> recorded;
  for (const auto& [path, hash] : earlier.contents()) recorded.push_back(path);
  later.remove_stale(recorded);
  CHECK_FALSE(fs::exists(scratch.path() / "out/client/log_client.hpp"));
  CHECK_FALSE(fs::exists(scratch.path() / "out/include/shop"));
  CHECK(fs::exists(scratch.path() / "out/client/kept.hpp"));
  CHECK(fs::exists(scratch.path() / "out/client/notes.txt"));
  CHECK(fs::exists(copy));
}

TEST_CASE("output files: contents() returns what was written, not what is on disk") {
  const TemporaryDirectory scratch;
  OutputFiles files(scratch.path());
  files.write("a", "mine");
  OutputFiles(scratch.path()).write("a", "of another build");
  CHECK(files.contents().at(scratch.path() / "a") == fairway::files::content_hash("mine"));
}

TEST_CASE("output files: a write error names the file") {
  const TemporaryDirectory scratch;
  OutputFiles(scratch.path()).write("a", "");
  CHECK_THROWS_WITH_AS(OutputFiles(scratch.path()).write("a/b", ""), doctest::Contains("a/b"),
                       std::runtime_error);
}

}  // namespace output_files_test
