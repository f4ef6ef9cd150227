#include <doctest/doctest.h>

#include <stdexcept>

#include "emit/source_parts.hpp"

namespace template_test {

using fairway::emit::fill;

TEST_CASE("code template: holes are filled, and a doubled dollar is a dollar") {
  CHECK(fill("int $name$ = $value$;\n", {{"name", "a"}, {"value", "1"}}) == "int a = 1;\n");
  CHECK(fill("$$5", {}) == "$5");
  CHECK_THROWS_AS(fill("$missing$", {}), std::logic_error);
}

TEST_CASE("code template: every line of a value is indented like its hole") {
  CHECK(fill(R"(
struct A {
  $members$
};
)",
             {{"members", "int a;\n\nint b;\n"}}) == "struct A {\n  int a;\n\n  int b;\n};\n");
}

TEST_CASE("code template: a line with only an empty hole is left out") {
  CHECK(fill("a\n  $nothing$\nb\n", {{"nothing", ""}}) == "a\nb\n");
}

}  // namespace template_test
