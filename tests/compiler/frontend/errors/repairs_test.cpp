// The repairs that Clang's own errors carry.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/parse_fixture.hpp"

namespace repairs_test {

namespace {

fairway::model::Diagnostics findings(const std::string& source) {
  return fairway::test::parse_text("#include <fairway/fairway.hpp>\n" + source).diagnostics;
}

fairway::model::Diagnostics errors(const std::string& source) {
  return findings(source + "\nFW_EXPORT_DEFAULT = fw::define_routes([](fw::Router&) {});\n");
}

}  // namespace

TEST_CASE("fixes: the fix that Clang assumes after an error is reported") {
  const auto missing = errors("int a = 1");
  REQUIRE(missing.size() == 1);
  REQUIRE(missing[0].fixes.size() == 1);
  CHECK(missing[0].fixes[0].text == ";");
  CHECK(missing[0].fixes[0].range.file == missing[0].range.file);
  CHECK(missing[0].fixes[0].range.line == 2);
  CHECK(missing[0].fixes[0].range.column == 10);
  CHECK(missing[0].fixes[0].range.end_column == 10);
}

TEST_CASE("fixes: code in macros and most errors have no fix") {
  const auto in_macro = errors("#define LIMIT (2 * limt)\nint limit = 1;\nint twice = LIMIT;");
  REQUIRE(in_macro.size() == 1);
  CHECK(in_macro[0].fixes.empty());
  const auto other = errors("int a = nothing_of_that_name;");
  REQUIRE(other.size() == 1);
  CHECK(other[0].fixes.empty());
}

TEST_CASE("fixes: Clang's guess of a name is in the message, but is no fix") {
  const auto misspelled = errors("constexpr int limit = 1;\nconstexpr int twice = 2 * limt;");
  REQUIRE(misspelled.size() == 1);
  CHECK(misspelled[0].message.find("did you mean 'limit'") != std::string::npos);
  CHECK(misspelled[0].fixes.empty());
}

namespace {

/// The source with the repairs of its only finding.
std::string repaired(const std::string& source) {
  const auto found = findings(source);
  REQUIRE(found.size() == 1);
  std::vector<std::string> lines;
  std::istringstream text("#include <fairway/fairway.hpp>\n" + source);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  auto fixes = found[0].fixes;
  std::ranges::sort(fixes, std::greater(), &fairway::model::FixIt::range);
  for (const auto& [range, replacement] : fixes) {
    REQUIRE(range.line == range.end_line);
    lines[range.line - 1].replace(range.column - 1, range.end_column - range.column, replacement);
  }
  std::string all;
  for (std::size_t i = 1; i < lines.size(); ++i) all += lines[i] + '\n';
  return all;
}

}  // namespace

TEST_CASE("fixes: the misspelt name of an option is replaced") {
  const std::string begin =
      "void f(fw::Request&, fw::Response&) {}\n"
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n  app.get(\"/\", ";
  const std::string end = ", f);\n});\n";
  CHECK(repaired(begin + "{.timout = 5}" + end) == begin + "{.timeout = 5}" + end);
  CHECK(repaired(begin + "{.docs = {.sumary = \"a\"}}" + end) ==
        begin + "{.docs = {.summary = \"a\"}}" + end);
  const auto unknown = findings(begin + "{.nothing_like_it = 5}" + end);
  REQUIRE(unknown.size() == 1);
  CHECK(unknown[0].fixes.empty());
}

TEST_CASE("fixes: 'delete' of a router is 'del'") {
  const std::string begin =
      "struct Table { int count; };\n"
      "void f(fw::Request&, fw::Response&) {}\n"
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n  Table table;\n";
  const std::string end = ";\n});\n";
  CHECK(repaired(begin + "  app.delete(\"/\", f)" + end) == begin + "  app.del(\"/\", f)" + end);
  const auto found = findings(begin + "  app.delete(\"/\", f)" + end);
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "'delete' is a keyword of C++; did you mean 'del'?");
  const auto other = findings(begin + "  table.delete(5)" + end);
  REQUIRE_FALSE(other.empty());
  CHECK(other[0].fixes.empty());
}

TEST_CASE("fixes: a misspelt FW_EXPORT_DEFAULT is replaced") {
  const std::string rest = " = fw::define_routes([](fw::Router&) {});\n";
  for (const char* name : {"FW_EXPORT_DEFUALT", "FW_EXPORT_DEFAULTS", "fw_export_default"}) {
    CAPTURE(name);
    CHECK(repaired(name + rest) == "FW_EXPORT_DEFAULT" + rest);
  }
  const auto found = findings("FW_EXPORT_DEFUALT" + rest);
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "unknown name 'FW_EXPORT_DEFUALT'; did you mean 'FW_EXPORT_DEFAULT'?");
  const auto other = findings("routes" + rest);
  REQUIRE_FALSE(other.empty());
  CHECK(other[0].fixes.empty());
}

TEST_CASE("fixes: members in the wrong order are sorted") {
  const std::string begin =
      "void f(fw::Request&, fw::Response&) {}\n"
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n";
  CHECK(repaired(begin + "  app.get(\"/\", {.timeout = 5,  // milliseconds\n"
                         "                .docs = {.summary = \"S\"},\n"
                         "                .auth = true}, f);\n"
                         "});\n") == begin +
                                         "  app.get(\"/\", {.auth = true,  // milliseconds\n"
                                         "                .docs = {.summary = \"S\"},\n"
                                         "                .timeout = 5}, f);\n"
                                         "});\n");
}

TEST_CASE("fixes: members among directives keep their order") {
  for (const char* before : {"", "#define LONG\n"}) {
    CAPTURE(before);
    const auto found = findings(std::string(before) +
                                "void f(fw::Request&, fw::Response&) {}\n"
                                "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
                                "  app.get(\"/\", {.docs = {.tags = {\"t\"}, .summary = \"a\"\n"
                                "#ifdef LONG\n"
                                "    \"b\"\n"
                                "#endif\n"
                                "  }}, f);\n"
                                "});\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].fixes.empty());
  }
}

TEST_CASE("fixes: a missing comma is reported and inserted") {
  const std::string begin =
      "void f(fw::Request&, fw::Response&) {}\n"
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n";
  const std::string end = "});\n";
  const auto found = findings(begin +
                              "  app.get(\"/\", {.middlewares = {\"a\"}\n"
                              "                .timeout = 5}, f);\n" +
                              end);
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "expected ','");
  CHECK(found[0].notes.empty());
  CHECK(found[0].help == "is a ',' missing at the end of line 4?");
  const auto within =
      findings(begin + "  app.get(\"/\", {.middlewares = {\"a\"} .timeout = 5}, f);\n" + end);
  REQUIRE(within.size() == 1);
  CHECK(within[0].help == "is a ',' missing before this?");
  for (const auto& [wrong, right] : std::vector<std::pair<std::string, std::string>>{
           {"{.middlewares = {\"a\"}\n .timeout = 5}", "{.middlewares = {\"a\"},\n .timeout = 5}"},
           {"{.middlewares = {\"a\" \"b\"} .timeout = 5}",
            "{.middlewares = {\"a\" \"b\"}, .timeout = 5}"},
           {"{.middlewares = {\"a\"} // why\n .timeout = 5}",
            "{.middlewares = {\"a\"}, // why\n .timeout = 5}"}}) {
    CAPTURE(wrong);
    const std::string call = "  app.get(\"/\", ";
    CHECK(repaired(begin + call + wrong + ", f);\n" + end) ==
          begin + call + right + ", f);\n" + end);
  }
}

TEST_CASE("fixes: a comma is inserted after any value, and between arguments") {
  const std::string begin =
      "void f(fw::Request&, fw::Response&) {}\n"
      "constexpr int kLimit = 5;\n"
      "constexpr const char* kText = \"a\";\n"
      "bool is_cached(fw::Request&) { return true; }\n"
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
      "  int n = 1;\n"
      "  const auto named = [](fw::Request&, fw::Response&) {};\n"
      "  app.get(";
  const std::string end = ");\n});\n";
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"\"/\", {.docs = {.summary = \"a\"", "\n .operation_id = \"b\"}}, f"},
           {"\"/\", {.docs = {.summary = kText", "  // why\n .operation_id = \"b\"}}, f"},
           {"\"/\", {.docs = {.summary = std::string(\"a\")", "\n .operation_id = \"b\"}}, f"},
           {"\"/\", {.auth = true", "\n .timeout = 5}, f"},
           {"\"/\", {.timeout = 5", "\n .csrf = false}, f"},
           {"\"/\", {.timeout = kLimit", "\n .csrf = false}, f"},
           {"\"/\", {.timeout = kLimit", " .csrf = false}, f"},
           {"\"/\", {.auth = true", " .docs = {.summary = \"a\"}}, f"},
           {"\"/\", {.auth = fw::AuthRequirement{}", " .docs = {.summary = \"a\"}}, f"},
           {"\"/\", {.docs = {.summary = \"a\"", " .tags = {\"b\"}}}, f"},
           {"\"/\", {.cache = {.condition = is_cached", "\n .ttl = 5}}, f"},
           {"\"/\", {.timeout = 5}", "\n [](fw::Request&, fw::Response&) {}"},
           {"\"/\", {.docs = {.summary = \"a\"}}", " [k = 1](fw::Request&, fw::Response&) { k; }"},
           {"\"/\"", "\n {.timeout = 5}, f"},
           {"\"/\"", "\n [&](fw::Request&, fw::Response&) {}"},
           {"\"/\"", "\n [](fw::Request&, fw::Response&) {}"},
           {"\"/\"", "\n [&app](fw::Request&, fw::Response&) { (void)app; }"},
           {"\"/\"", "\n [&app, n](fw::Request& req, fw::Response&) mutable { n = 2; }"},
           {"\"/\"", "\n [n](fw::Request&, fw::Response&) {}"},
           {"\"/\"", "\n [k = 1](fw::Request&, fw::Response&) { (void)k; }"},
           {"\"/\"", "\n [=, k = 1](fw::Request&, fw::Response&) -> void {}"},
           {"\"/\"", " [&app](fw::Request&, fw::Response& res) { res.json(1); }"},
           {"\"/\"", " f"},
           {"\"/\", {.timeout = 5}", " f"},
           {"\"/\", {.timeout = 5}", "\n named"}}) {
    CAPTURE(after);
    CHECK(repaired(begin + before + after + end) == begin + before + "," + after + end);
  }
}

TEST_CASE("fixes: where something else may be wrong, no comma is inserted") {
  const std::string begin =
      "void f(fw::Request&, fw::Response&) {}\n"
      "struct Limits { int max = 1; };\n"
      "constexpr Limits limits;\n"
      "#define LIMIT 5\n"
      "constexpr const char* kNames[] = {\"/\"};\n"
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n";
  for (const std::string call : {
           // The wrong name of a member.
           "app.get(\"/\", {.timeout = limits.maximum}, f);",
           "app.get(\"/\", {.timeout = limits\n .maximum}, f);",
           "app.get(\"/\", {.timeout = limits .maximum = 5}, f);",
           "limits\n .maximum = 5;",
           "app.get(\"/\", {.timeout = Limits{} .maximum}, f);",
           "app\n .fetch(\"/\", f);",
           // A missing ')'.
           "app.get(\"/\", {.timeout = 5}, [](fw::Request&, fw::Response&) {}\n app.get(\"/b\", "
           "f);",
           "app.get(\"/\", {.timeout = 5}\n app.get(\"/b\", f);",
           // A missing '}'.
           "static const int k[] = {1, 2, 3\n static const int m[] = {1};",
           "static const int k[] = {1, 2, 3\n return;",
           "static const int k[] = {1, 2, 3\n struct Point { int x; };",
           "static const int k[] = {1, 2, 3\n using Number = int;",
           "static const int k[] = {1, 2, 3\n int x = 1;",
           "static const int k[] = {1, 2, 3\n int(4);",
           "static const int k[] = {1, 2, 3\n app.get(\"/b\", f);",
           "static const int k[] = {1, 2, 3\n f;",
           "app.get(\"/\", {.validate = {.query = {{\"a\", \"string\"}}\n .auth = true}, f);",
           "app.get(\"/\", {.docs = {.summary = \"a\"\n .timeout = 5}, f);",
           "const fw::RouteOptions o = {.docs = {.tags = {\"a\"}\n .timeout = 5};",
           // An unknown macro, an element of an array, and an operator.
           "app.get(\"/\" PREFIX, f);",
           "app.get(\"/\" PREFIX);",
           "app.get(&\"/\"[nothing], f);",
           "app.get(&kNames[&app], f);",
           // A value in brackets.
           "int a = (1\n [&](int) {});",
           // A directive between both, and a macro.
           "app.get(\"/\", {.auth = true\n#ifdef LIMIT\n .timeout = 5\n#endif\n}, f);",
           "#define MEMBERS .auth = true .timeout = 5\n app.get(\"/\", {MEMBERS}, f);",
       }) {
    CAPTURE(call);
    const auto found = findings(begin + call + "\n});\n");
    REQUIRE(!found.empty());
    for (const auto& finding : found) {
      CHECK(finding.message != "expected ','");
      CHECK(std::ranges::none_of(finding.fixes, [](const auto& fix) { return fix.text == ","; }));
    }
  }
}

TEST_CASE("fixes: routes that are not exported are exported after their definition") {
  const auto found =
      findings("const auto r = fw::define_routes([](fw::Router&) {});  // all of them\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].help == "write 'FW_EXPORT_DEFAULT = r;' after it");
  REQUIRE(found[0].fixes.size() == 1);
  CHECK(found[0].fixes[0].text == "\nFW_EXPORT_DEFAULT = r;");
  CHECK(found[0].fixes[0].range.line == 2);
  CHECK(found[0].fixes[0].range.column == 54);
}

TEST_CASE("fixes: an exported factory is wrapped in 'fw::define_routes'") {
  const auto found = findings("void f(fw::Router&) {}\nFW_EXPORT_DEFAULT = f;\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == "not-a-route-definition");
  CHECK(found[0].notes.empty());
  CHECK(found[0].help == "write 'FW_EXPORT_DEFAULT = fw::define_routes(f);'");
  REQUIRE(found[0].fixes.size() == 1);
  CHECK(found[0].fixes[0].text == "fw::define_routes(f)");
  CHECK(found[0].fixes[0].range.line == 3);
  CHECK(found[0].fixes[0].range.column == 21);
  for (const char* value : {"[](fw::Router&) {}", "5"}) {
    const auto other = findings(std::string("FW_EXPORT_DEFAULT = ") + value + ";\n");
    REQUIRE(other.size() == 1);
    CHECK(other[0].help ==
          "write 'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { … });'");
    CHECK(other[0].fixes.empty());
  }
}

TEST_CASE("fixes: the help for another framework's router names the registration function") {
  const auto found = findings(
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
      "  app.delete_(\"/\", [](fw::Request&, fw::Response&) {});\n"
      "});\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].help ==
        "a route is registered by its method: 'get', 'post', 'put', 'patch', 'del', 'head' or "
        "'options'");
}

TEST_CASE("fixes: the braces of an option get the type that they need") {
  const auto found = findings(
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
      "  app.get(\"/\", {.auth = {.roles = {\"admin\"}}}, [](fw::Request&, fw::Response&) {});\n"
      "  app.get(\"/b\", {.timeout = \"5s\"}, [](fw::Request&, fw::Response&) {});\n"
      "});\n");
  REQUIRE(found.size() == 2);
  REQUIRE(found[0].fixes.size() == 1);
  CHECK(found[0].fixes[0].text == "fw::AuthRequirement");
  CHECK(found[0].fixes[0].range.line == 3);
  CHECK(found[0].fixes[0].range.column == 25);
  CHECK(found[0].fixes[0].range.end_column == 25);
  CHECK(found[1].help.find("a duration without quotes") != std::string::npos);
  CHECK(found[1].fixes.empty());
}

}  // namespace repairs_test
