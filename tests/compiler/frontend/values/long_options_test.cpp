// An object of three hundred lines, and one with an error in its last line.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/expectations.hpp"
#include "support/parse_fixture.hpp"

namespace long_options_test {

TEST_CASE("options: an object of hundreds of lines is resolved, an error in it has its source") {
  std::string members;
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    members += fmt::format(
        "    {{\"field_{}\", {{{{\"name\", \"string:1-{}\"}}, {{\"count\", \"integer?\"}}}}}},\n",
        i, i + 1);
    expected += fmt::format(R"({}["field_{}", [["name", "string:1-{}"], ["count", "integer?"]]])",
                            i == 0 ? "" : ", ", i, i + 1);
  }
  const std::string source = fmt::format(R"(#include <fairway/fairway.hpp>
static void list(fw::Request&, fw::Response&) {{}}
static const char* type() {{ return "string"; }}

// expect-export routes
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {{
  // expect-route@+2 POST /
  // expect-options@+1 RouteOptions{{validate: Validate{{body: [{1}]}}}}
  app.post("/", {{.validate = {{.body = {{
{0}  }}}}}}, list);
  // expect-unresolved@+1 PUT /
  app.put("/", {{.validate = {{.body = {{
{0}    // expect-error@+1 [PUT /] {{{{options-not-static}}}} {{{{a call of 'type'}}}} at {{{{type()}}}}
    {{"last", type()}},
  }}}}}}, list);
}});
)",
                                         members, expected);
  const auto file = fairway::test::parse_text(source);
  for (const auto& difference : fairway::test::disagreements(file, source)) {
    FAIL_CHECK(difference);
  }
}

}  // namespace long_options_test
