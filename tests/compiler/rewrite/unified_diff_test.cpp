// The difference of two texts.
#include <doctest/doctest.h>

#include <string>

#include "rewrite/rewrite_schemas.hpp"

namespace unified_diff_test {

using fairway::rewrite::unified_diff;

namespace {

std::string lines(int first, int last) {
  std::string text;
  for (int line = first; line <= last; ++line) text += std::to_string(line) + '\n';
  return text;
}

}  // namespace

TEST_CASE("unified diff: equal texts have none") { CHECK(unified_diff("a", "x\n", "x\n").empty()); }

TEST_CASE("unified diff: a change has three lines of context") {
  CHECK(unified_diff("src/a.cpp", lines(1, 9), lines(1, 4) + "five\n" + lines(6, 9)) ==
        "--- a/src/a.cpp\n+++ b/src/a.cpp\n@@ -2,7 +2,7 @@\n"
        " 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("unified diff: distant changes are hunks of their own, near ones share one") {
  const std::string far = unified_diff("a", lines(1, 20), "0\n" + lines(1, 19));
  CHECK(
      far ==
      "--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -17,4 +18,3 @@\n 17\n 18\n 19\n-20\n");
  const std::string near = unified_diff("a", lines(1, 8), lines(2, 7));
  CHECK(near == "--- a/a\n+++ b/a\n@@ -1,8 +1,6 @@\n-1\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n");
}

TEST_CASE("unified diff: empty texts and lines without an end") {
  CHECK(unified_diff("a", "", "x\n") == "--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+x\n");
  CHECK(unified_diff("a", "x\n", "") == "--- a/a\n+++ b/a\n@@ -1 +0,0 @@\n-x\n");
  CHECK(unified_diff("a", "x", "x\n") ==
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
}

}  // namespace unified_diff_test
