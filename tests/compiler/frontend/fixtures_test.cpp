// One annotated fixture, the one that FRONTEND_FIXTURE names: CTest has a test for each. They share
// precompiled headers in the directory FIXTURE_CACHE. With FRONTEND_WITHOUT_HEADER they are parsed
// without such a header, too, which takes four times as long; see CMakeLists.txt for which.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/cache_files.hpp"
#include "support/expectations.hpp"
#include "support/parse_bytes.hpp"
#include "support/parse_fixture.hpp"

namespace fixtures_test {

TEST_CASE("fixtures: a fixture is resolved as its comments say" * doctest::skip()) {
  const char* name = std::getenv("FRONTEND_FIXTURE");
  REQUIRE(name != nullptr);
  std::ostringstream text;
  text << std::ifstream(std::filesystem::path(FIXTURE_DIR) / name, std::ios::binary).rdbuf();

  const auto file = fairway::test::parse_with_shared_header(FIXTURE_DIR, name);
  for (const auto& difference : fairway::test::disagreements(file, text.str())) {
    FAIL_CHECK(difference);
  }
  CHECK(fairway::test::count_headers(FIXTURE_CACHE) >= 1);
  if (std::getenv("FRONTEND_WITHOUT_HEADER") != nullptr) {
    const auto again = fairway::test::parse_fixture(name);
    CHECK(fairway::test::bytes_of(again) == fairway::test::bytes_of(file));
  }
}

}  // namespace fixtures_test
