#include <doctest/doctest.h>

#include "diagnostics/renderers.hpp"

namespace github_renderer_test {

using fairway::diagnostics::MemorySourceText;
using fairway::diagnostics::render_github;
using fairway::model::Diagnostic;
using fairway::model::Severity;

namespace {

Diagnostic bad_schema(fairway::model::Range range) {
  Diagnostic diagnostic;
  diagnostic.id = "bad-schema";
  diagnostic.message = "unknown type 'strin'";
  diagnostic.range = std::move(range);
  return diagnostic;
}

std::string render(const Diagnostic& diagnostic, const std::string& prefix = {}) {
  MemorySourceText sources;
  sources.add("src/users.cpp", "\xE6\x9D\xB1 strin\nnext\n");
  return render_github({.files = 1, .routes = 0, .diagnostics = {diagnostic}}, sources, prefix);
}

}  // namespace

TEST_CASE("github renderer: a finding is one annotation with columns in characters, end included") {
  CHECK(render(bad_schema({"src/users.cpp", 1, 5, 1, 10})) ==
        "::error file=src/users.cpp,line=1,endLine=1,col=3,endColumn=7,title=bad-schema::"
        "unknown type 'strin'\n");
}

TEST_CASE("github renderer: a warning is a warning annotation") {
  Diagnostic diagnostic = bad_schema({"src/users.cpp", 2, 1, 2, 2});
  diagnostic.severity = Severity::warning;
  CHECK(render(diagnostic).starts_with("::warning file="));
}

TEST_CASE("github renderer: a multi-line range has no columns, a whole file has no lines") {
  CHECK(render(bad_schema({"src/users.cpp", 1, 5, 2, 3})) ==
        "::error file=src/users.cpp,line=1,endLine=2,title=bad-schema::unknown type 'strin'\n");
  CHECK(render(bad_schema({"src/users.cpp", 0, 0, 0, 0})) ==
        "::error file=src/users.cpp,title=bad-schema::unknown type 'strin'\n");
  CHECK(render(bad_schema({})) == "::error title=bad-schema::unknown type 'strin'\n");
}

TEST_CASE("github renderer: characters that end a property or a command are escaped") {
  Diagnostic diagnostic = bad_schema({"a,b:c%\n.cpp", 0, 0, 0, 0});
  diagnostic.message = "100%: a,\r\nb";
  CHECK(render(diagnostic) ==
        "::error file=a%2Cb%3Ac%25%0A.cpp,title=bad-schema::100%25: a,%0D%0Ab\n");
}

TEST_CASE("github renderer: route, help and notes follow the message, one per line") {
  Diagnostic diagnostic = bad_schema({"src/users.cpp", 2, 1, 2, 2});
  diagnostic.method = "GET";
  diagnostic.route = "/users";
  diagnostic.help = "did you mean 'string'?";
  diagnostic.notes.push_back({"first declared here", {"src/users.cpp", 1, 5, 1, 10}});
  CHECK(render(diagnostic) ==
        "::error file=src/users.cpp,line=2,endLine=2,col=1,endColumn=1,title=bad-schema::"
        "unknown type 'strin'%0Aroute: GET /users%0Ahelp: did you mean 'string'?%0A"
        "src/users.cpp:1:3: note: first declared here\n");
}

TEST_CASE("github renderer: relative paths get the path from the repository root") {
  CHECK(render(bad_schema({"src/users.cpp", 0, 0, 0, 0}), "api/") ==
        "::error file=api/src/users.cpp,title=bad-schema::unknown type 'strin'\n");
  CHECK(render(bad_schema({"/include/users.hpp", 0, 0, 0, 0}), "api/") ==
        "::error file=/include/users.hpp,title=bad-schema::unknown type 'strin'\n");
}

}  // namespace github_renderer_test
