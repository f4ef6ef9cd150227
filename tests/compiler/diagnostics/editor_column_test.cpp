#include <doctest/doctest.h>

#include "diagnostics/source_text.hpp"

namespace editor_column_test {

using fairway::diagnostics::MemorySourceText;
using fairway::diagnostics::utf16_column;
using fairway::diagnostics::utf16_range;

TEST_CASE("editor columns: ASCII columns are the same in every unit") {
  CHECK(utf16_column("abc", 1) == 1);
  CHECK(utf16_column("abc", 3) == 3);
  CHECK(utf16_column("a\tc", 3) == 3);
}

TEST_CASE("editor columns: a column past the end of the line is clamped to its end") {
  CHECK(utf16_column("abc", 4) == 4);
  CHECK(utf16_column("abc", 9) == 4);
  CHECK(utf16_column("", 5) == 1);
  CHECK(utf16_column("abc", 0) == 1);
}

TEST_CASE("editor columns: a multi-byte character is one UTF-16 unit, outside the BMP two") {
  CHECK(utf16_column("\xC3\xA4x", 3) == 2);          // a with diaeresis
  CHECK(utf16_column("\xE6\x9D\xB1x", 4) == 2);      // an ideograph
  CHECK(utf16_column("\xF0\x9F\x9A\xA2x", 5) == 3);  // an emoji: a surrogate pair
  CHECK(utf16_column("\xF0\x9F\x9A\xA2x", 3) == 1);  // within it
  CHECK(utf16_column("e\xCC\x81x", 4) == 3);         // combining marks are units of their own
  CHECK(utf16_column("\xE4\xFFx", 3) == 3);          // bytes that are no text
  CHECK(utf16_column("\xEF\xBB\xBFxy", 5) == 2);     // the byte order mark is no text either
  CHECK(utf16_column("\xEF\xBB\xBFxy", 2) == 1);
}

TEST_CASE("editor columns: both ends of a range are converted, each by its own line") {
  MemorySourceText sources;
  sources.add("a.cpp", "\xE6\x9D\xB1x\n\xC3\xA4\xC3\xA4y\n");
  const auto range = utf16_range({"a.cpp", 1, 4, 2, 5}, sources);
  CHECK(range.column == 2);
  CHECK(range.end_line == 2);
  CHECK(range.end_column == 3);
  CHECK(utf16_range({"gone.cpp", 1, 4, 2, 5}, sources).column == 4);
}

TEST_CASE("source lines: lines end where Clang ends them") {
  MemorySourceText sources;
  sources.add("a.cpp", "a\rb\r\nc\n\rd");
  CHECK(*sources.line("a.cpp", 1) == "a");
  CHECK(*sources.line("a.cpp", 2) == "b");
  CHECK(*sources.line("a.cpp", 3) == "c");
  CHECK(sources.line("a.cpp", 4)->empty());
  CHECK(*sources.line("a.cpp", 5) == "d");
  CHECK(sources.line("a.cpp", 6) == nullptr);
}

}  // namespace editor_column_test
