// Every annotated fixture, in parallel: parse_file is thread-safe. FRONTEND_FIXTURE in the
// environment picks those whose names contain its text.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "frontend/caching_parser.hpp"
#include "support/cache_files.hpp"
#include "support/expectations.hpp"
#include "support/parse_bytes.hpp"
#include "support/parse_fixture.hpp"
#include "temporary_directory.hpp"

namespace fs = std::filesystem;

namespace {

std::vector<std::string> fixture_names() {
  const char* filter = std::getenv("FRONTEND_FIXTURE");
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(FIXTURE_DIR)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string name = entry.path().lexically_relative(FIXTURE_DIR).generic_string();
    if (filter == nullptr || name.find(filter) != std::string::npos) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("every fixture is resolved as its comments say, with precompiled headers too") {
  const auto names = fixture_names();
  REQUIRE_FALSE(names.empty());
  const fairway::test::TemporaryDirectory directory;
  fairway::frontend::CachingParser parser(directory.path());
  const auto faults_of = [&](const std::string& name) {
    const auto file = fairway::test::parse_fixture(name);
    auto faults = fairway::test::disagreements(file, read(fs::path(FIXTURE_DIR) / name));
    const auto again = parser.parse(
        {.source_dir = FIXTURE_DIR, .path = name, .flags = fairway::test::fixture_flags()});
    if (fairway::test::bytes_of(again) != fairway::test::bytes_of(file)) {
      faults.push_back("the result differs with a precompiled header");
    }
    return faults;
  };
  std::vector<std::vector<std::string>> faults(names.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t index = next++; index < names.size(); index = next++) {
      try {
        faults[index] = faults_of(names[index]);
      } catch (const std::exception& fault) {
        faults[index].push_back(std::string("throws: ") + fault.what());
      }
    }
  };
  {
    std::vector<std::jthread> threads(std::max(2U, std::thread::hardware_concurrency()));
    for (auto& thread : threads) thread = std::jthread(work);
  }
  for (std::size_t index = 0; index < names.size(); ++index) {
    for (const auto& fault : faults[index]) {
      FAIL_CHECK(names[index] << ": " << fault);
    }
  }
  CHECK(fairway::test::count_headers(directory.path()) == 1);
}
