#include <doctest/doctest.h>

#include "diagnostics/renderers.hpp"

namespace text_renderer_test {

using fairway::diagnostics::MemorySourceText;
using fairway::diagnostics::render_text;
using fairway::diagnostics::render_text_summary;
using fairway::diagnostics::Report;
using fairway::model::Diagnostic;
using fairway::model::Range;
using fairway::model::Severity;

namespace {

Diagnostic bad_schema(Range range) {
  Diagnostic diagnostic;
  diagnostic.id = "bad-schema";
  diagnostic.message = "unknown type 'strin'";
  diagnostic.range = std::move(range);
  return diagnostic;
}

std::string render(const Diagnostic& diagnostic, const std::string& source, bool color = false) {
  MemorySourceText sources;
  sources.add("users.cpp", source);
  Report report;
  report.diagnostics = {diagnostic};
  return render_text(report, sources, color);
}

}  // namespace

TEST_CASE("text renderer: a diagnostic has location, id, line, caret range, route and help") {
  Diagnostic diagnostic = bad_schema({"users.cpp", 2, 19, 2, 24});
  diagnostic.method = "POST";
  diagnostic.route = "/users";
  diagnostic.help = "did you mean 'string'?";
  CHECK(render(diagnostic, "first\n.body = {{\"name\", \"strin\"}}\n") ==
        "users.cpp:2:19: error: unknown type 'strin' [bad-schema]\n"
        "    2 | .body = {{\"name\", \"strin\"}}\n"
        "      |                   ^~~~~\n"
        "  route: POST /users\n"
        "  help: did you mean 'string'?\n");
}

TEST_CASE("text renderer: the method of a route whose path is unknown is shown, and a path alone") {
  Diagnostic diagnostic = bad_schema({"users.cpp", 0, 0, 0, 0});
  diagnostic.method = "GET";
  CHECK(render(diagnostic, "") ==
        "users.cpp: error: unknown type 'strin' [bad-schema]\n"
        "  route: GET\n");
  diagnostic.method.clear();
  diagnostic.route = "/users";
  CHECK(render(diagnostic, "") ==
        "users.cpp: error: unknown type 'strin' [bad-schema]\n"
        "  route: /users\n");
  diagnostic.route.clear();
  CHECK(render(diagnostic, "") == "users.cpp: error: unknown type 'strin' [bad-schema]\n");
}

TEST_CASE("text renderer: control characters are escaped") {
  Diagnostic diagnostic = bad_schema({"users\n.cpp", 0, 0, 0, 0});
  diagnostic.message = "there is no middleware '\x1b[31mred\u009b'";
  diagnostic.route = "/a\x07";
  diagnostic.help = "write '\r\u202e'";
  diagnostic.notes.push_back({"first \x1b", {}});
  CHECK(render(diagnostic, "") ==
        "users<U+000A>.cpp: error: there is no middleware '<U+001B>[31mred<U+009B>' [bad-schema]\n"
        "  route: /a<U+0007>\n"
        "  help: write '<U+000D><U+202E>'\n"
        "fairway: note: first <U+001B>\n");
}

TEST_CASE("text renderer: a warning has the label 'warning'") {
  Diagnostic diagnostic = bad_schema({"users.cpp", 1, 1, 1, 2});
  diagnostic.severity = Severity::warning;
  CHECK(render(diagnostic, "x") ==
        "users.cpp:1:1: warning: unknown type 'strin' [bad-schema]\n    1 | x\n      | ^\n");
}

TEST_CASE("text renderer: tabs are expanded in the line and before the caret") {
  CHECK(render(bad_schema({"users.cpp", 1, 5, 1, 7}), "\ta\t\"xy\"") ==
        "users.cpp:1:5: error: unknown type 'strin' [bad-schema]\n"
        "    1 |         a       \"xy\"\n"
        "      |                  ^~\n");
}

TEST_CASE("text renderer: the caret is aligned after wide, combining and invalid characters") {
  // Two ideographs (3 bytes and 2 columns each), an e with a combining accent, then the error.
  CHECK(render(bad_schema({"users.cpp", 1, 10, 1, 12}),
               "\xE6\x9D\xB1\xE4\xBA\xAC"
               "e\xCC\x81xy") ==
        "users.cpp:1:10: error: unknown type 'strin' [bad-schema]\n"
        "    1 | \xE6\x9D\xB1\xE4\xBA\xAC"
        "e\xCC\x81xy\n"
        "      |      ^~\n");
  CHECK(render(bad_schema({"users.cpp", 1, 2, 1, 3}), "\xE4x") ==
        "users.cpp:1:2: error: unknown type 'strin' [bad-schema]\n"
        "    1 | <E4>x\n"
        "      |     ^\n");
}

TEST_CASE("text renderer: the range of a wide character covers both of its columns") {
  CHECK(render(bad_schema({"users.cpp", 1, 1, 1, 4}), "\xE6\x9D\xB1;") ==
        "users.cpp:1:1: error: unknown type 'strin' [bad-schema]\n"
        "    1 | \xE6\x9D\xB1;\n"
        "      | ^~\n");
}

TEST_CASE("text renderer: an emoji takes two columns, and its modifiers none") {
  // A ship (4 bytes), then a thumb with a skin tone (8 bytes).
  CHECK(render(bad_schema({"users.cpp", 1, 13, 1, 15}),
               "\xF0\x9F\x9A\xA2\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBDxy") ==
        "users.cpp:1:13: error: unknown type 'strin' [bad-schema]\n"
        "    1 | \xF0\x9F\x9A\xA2\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBDxy\n"
        "      |     ^~\n");
}

TEST_CASE("text renderer: a very long line is cut around the caret") {
  const std::string before(300, 'a');
  const std::string behind(300, 'b');
  Diagnostic diagnostic = bad_schema({"users.cpp", 1, 301, 1, 306});
  diagnostic.fixes.push_back({{"users.cpp", 1, 301, 1, 306}, "string"});
  CHECK(render(diagnostic, before + "strin" + behind) ==
        "users.cpp:1:301: error: unknown type 'strin' [bad-schema]\n"
        "    1 | …" +
            std::string(60, 'a') + "strin" + std::string(95, 'b') +
            "…\n"
            "      | " +
            std::string(61, ' ') +
            "^~~~~\n"
            "      | " +
            std::string(61, ' ') + "string\n");
  // At the end of the line, in wide characters, and with a range that continues after the part.
  CHECK(render(bad_schema({"users.cpp", 1, 301, 1, 301}), before) ==
        "users.cpp:1:301: error: unknown type 'strin' [bad-schema]\n"
        "    1 | …" +
            std::string(160, 'a') +
            "\n"
            "      | " +
            std::string(161, ' ') + "^\n");
  CHECK(render(bad_schema({"users.cpp", 1, 1, 1, 601}), before + before) ==
        "users.cpp:1:1: error: unknown type 'strin' [bad-schema]\n"
        "    1 | " +
            std::string(160, 'a') +
            "…\n"
            "      | ^" +
            std::string(159, '~') + "\n");
}

TEST_CASE("text renderer: a line of the maximum width is shown whole") {
  CHECK(render(bad_schema({"users.cpp", 1, 160, 1, 161}), std::string(160, 'a')) ==
        "users.cpp:1:160: error: unknown type 'strin' [bad-schema]\n"
        "    1 | " +
            std::string(160, 'a') +
            "\n"
            "      | " +
            std::string(159, ' ') + "^\n");
}

TEST_CASE("text renderer: line endings and byte order marks are not shown") {
  CHECK(render(bad_schema({"users.cpp", 1, 4, 1, 6}), "\xEF\xBB\xBFxy\r\nnext\r\n") ==
        "users.cpp:1:4: error: unknown type 'strin' [bad-schema]\n    1 | xy\n      | ^~\n");
}

TEST_CASE("text renderer: a multi-line range is underlined to the end of its first line") {
  CHECK(render(bad_schema({"users.cpp", 1, 3, 2, 2}), "f({a,\nb});") ==
        "users.cpp:1:3: error: unknown type 'strin' [bad-schema]\n    1 | f({a,\n      |   ^~~\n");
}

TEST_CASE("text renderer: notes have their own snippets") {
  Diagnostic diagnostic = bad_schema({"users.cpp", 2, 1, 2, 2});
  diagnostic.notes.push_back({"first registered here", {"users.cpp", 1, 1, 1, 4}});
  CHECK(render(diagnostic, "one\ntwo\n") ==
        "users.cpp:2:1: error: unknown type 'strin' [bad-schema]\n"
        "    2 | two\n"
        "      | ^\n"
        "users.cpp:1:1: note: first registered here\n"
        "    1 | one\n"
        "      | ^~~\n");
}

TEST_CASE("text renderer: a fix is shown below the text that it replaces") {
  Diagnostic diagnostic = bad_schema({"users.cpp", 1, 3, 1, 8});
  diagnostic.fixes.push_back({{"users.cpp", 1, 3, 1, 8}, "string"});
  CHECK(render(diagnostic, "x \"strin\"") ==
        "users.cpp:1:3: error: unknown type 'strin' [bad-schema]\n"
        "    1 | x \"strin\"\n"
        "      |   ^~~~~\n"
        "      |   string\n");
}

TEST_CASE("text renderer: a whole file has no line, and a missing file has no snippet") {
  CHECK(render(bad_schema({"users.cpp", 0, 0, 0, 0}), "x") ==
        "users.cpp: error: unknown type 'strin' [bad-schema]\n");
  CHECK(render(bad_schema({"gone.cpp", 3, 1, 3, 2}), "x") ==
        "gone.cpp:3:1: error: unknown type 'strin' [bad-schema]\n");
}

TEST_CASE("text renderer: colours match Clang") {
  Diagnostic diagnostic = bad_schema({"users.cpp", 1, 1, 1, 2});
  diagnostic.fixes.push_back({{"users.cpp", 1, 1, 1, 2}, "y"});
  diagnostic.notes.push_back({"here", {"gone.cpp", 1, 1, 1, 2}});
  CHECK(render(diagnostic, "x", true) ==
        "\033[1musers.cpp:1:1:\033[0m \033[0;1;31merror:\033[0m "
        "\033[1munknown type 'strin' [bad-schema]\033[0m\n"
        "    1 | x\n"
        "      | \033[0;1;32m^\033[0m\n"
        "      | \033[0;32my\033[0m\n"
        "\033[1mgone.cpp:1:1:\033[0m \033[0;1;36mnote:\033[0m here\n");
}

TEST_CASE("text renderer: the summary counts errors, warnings and files") {
  Report report;
  CHECK(render_text_summary(report).empty());
  report.diagnostics = {bad_schema({"a.cpp", 1, 1, 1, 1}), bad_schema({"b.cpp", 1, 1, 1, 1})};
  CHECK(render_text_summary(report) == "2 errors in 2 files");
  report.diagnostics[1].severity = Severity::warning;
  report.diagnostics[1].range.file = "a.cpp";
  CHECK(render_text_summary(report) == "1 error and 1 warning in 1 file");
}

}  // namespace text_renderer_test
