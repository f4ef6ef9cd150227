#include <doctest/doctest.h>

#include "diagnostics/renderers.hpp"

namespace json_renderer_test {

using fairway::diagnostics::render_json;
using fairway::model::Diagnostic;
using fairway::model::Severity;

TEST_CASE("json renderer: an empty run is an object with version, result and counts") {
  CHECK(render_json({.files = 2, .routes = 5, .diagnostics = {}}) == R"({
  "version": 1,
  "ok": true,
  "summary": {
    "files": 2,
    "routes": 5,
    "errors": 0,
    "warnings": 0
  },
  "diagnostics": []
}
)");
}

TEST_CASE("json renderer: a diagnostic has all its members, optional ones only if known") {
  Diagnostic full;
  full.id = "duplicate-route";
  full.message = "'GET /x' is registered twice";
  full.range = {"src/routes/x.cpp", 4, 3, 4, 9};
  full.method = "GET";
  full.route = "/x";
  full.help = "remove one";
  full.notes.push_back({"first registered here", {"src/routes/x.cpp", 2, 3, 2, 9}});
  full.fixes.push_back({{"src/routes/x.cpp", 4, 3, 4, 5}, "y"});
  Diagnostic bare;
  bare.id = "missing-docs-summary";
  bare.severity = Severity::warning;
  bare.message = "no summary";
  bare.range.file = "src/routes/y.cpp";
  CHECK(render_json({.files = 2, .routes = 3, .diagnostics = {full, bare}}) == R"({
  "version": 1,
  "ok": false,
  "summary": {
    "files": 2,
    "routes": 3,
    "errors": 1,
    "warnings": 1
  },
  "diagnostics": [
    {
      "id": "duplicate-route",
      "severity": "error",
      "message": "'GET /x' is registered twice",
      "file": "src/routes/x.cpp",
      "line": 4,
      "column": 3,
      "end_line": 4,
      "end_column": 9,
      "method": "GET",
      "route": "/x",
      "help": "remove one",
      "notes": [
        {
          "message": "first registered here",
          "file": "src/routes/x.cpp",
          "line": 2,
          "column": 3
        }
      ],
      "fixes": [
        {
          "file": "src/routes/x.cpp",
          "line": 4,
          "column": 3,
          "end_line": 4,
          "end_column": 5,
          "text": "y"
        }
      ]
    },
    {
      "id": "missing-docs-summary",
      "severity": "warning",
      "message": "no summary",
      "file": "src/routes/y.cpp",
      "line": 0,
      "column": 0,
      "end_line": 0,
      "end_column": 0,
      "notes": []
    }
  ]
}
)");
}

TEST_CASE("json renderer: invalid UTF-8 is replaced") {
  Diagnostic diagnostic;
  diagnostic.message = "unknown type '\xE4'";
  CHECK(render_json({.files = 1, .routes = 0, .diagnostics = {diagnostic}}).find("\xEF\xBF\xBD") !=
        std::string::npos);
}

TEST_CASE("json renderer: findings are sorted by location, and a shared error is reported once") {
  Diagnostic first;
  first.id = "bad-schema";
  first.message = "m";
  first.range = {"a.cpp", 9, 1, 9, 2};
  Diagnostic second = first;
  second.range = {"a.cpp", 10, 1, 10, 2};
  Diagnostic other = first;
  other.range = {"b.cpp", 1, 1, 1, 2};
  fairway::model::Diagnostics all = {other, second, first, second};
  all[3].route = "/elsewhere";
  fairway::diagnostics::sort_diagnostics(all);
  REQUIRE(all.size() == 3);
  CHECK(all[0].range.line == 9);
  CHECK(all[1].range.line == 10);
  CHECK(all[2].range.file == "b.cpp");
}

}  // namespace json_renderer_test
