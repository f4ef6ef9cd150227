// Pages: their errors with source locations, references to them, and their files in the table.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "emit/application_files.hpp"
#include "rules/check.hpp"
#include "rules/lints.hpp"
#include "support/builders.hpp"

namespace pages_test {

using namespace fairway;
using namespace fairway::testing;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

rules::CheckedApplication resolve_pages(const Files& files,
                                        std::vector<model::Registration> routes = {
                                            route("GET", "/")}) {
  resolve::Options options{.name = "", .source_name = "src", .middlewares = {}};
  for (const auto& [path, content] : files) {
    options.pages.push_back({path, "src/pages/" + path, content});
  }
  return checked({route_file("routes/index.cpp", std::move(routes))}, options);
}

std::string errors(const Files& files) { return summary(resolve_pages(files).diagnostics); }

model::Registration rendering(std::string page) {
  model::Registration registration = route("GET", "/");
  registration.handler.pages.push_back({std::move(page), {"src/routes/index.cpp", 2, 9, 2, 12}});
  return registration;
}

std::string unused(const Files& files, const std::string& rendered) {
  const auto resolution = resolve_pages(files, {rendering(rendered)});
  std::string lines;
  for (const auto& each : rules::lint(resolution.application, {})) {
    if (each.id == "unused-page") lines += each.range.file + ": " + each.message + "\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("[bad-page] [unsafe-page-value] errors have file, line and column") {
  CHECK(errors({{"a.html", "<p>\n {{#x}}</p>"}}) ==
        "src/pages/a.html:2:2 bad-page: the section 'x' is not closed\n");
  CHECK(errors({{"a.html", "{{> _b}}"}, {"_b.html", "<p>\n<b onclick='{{x}}'></b>"}}) ==
        "src/pages/_b.html:2:13 unsafe-page-value: a value in the attribute 'onclick' "
        "of 'b' cannot be escaped safely\n");
  CHECK(errors({{"a.html", "{{> _c}}"}, {"_b.html", ""}}) ==
        "src/pages/a.html:1:1 bad-page: there is no template '_c'\n");
  CHECK(errors({{"_document.html", "{{{body}}}"}}) ==
        "src/pages/_document.html:1:1 bad-page: the document must contain '{{{head}}}' once, not 0 "
        "times\n"
        "src/pages/_document.html:1:1 bad-page: the document must contain '{{{scripts}}}' once, "
        "not 0 times\n");
  // An error in one page hides none in another.
  CHECK(errors({{"a.html", "{{x"}, {"b.html", "<p {{y}}>"}}) ==
        "src/pages/a.html:1:1 bad-page: the tag '{{' is not closed\n"
        "src/pages/b.html:1:4 unsafe-page-value: a value in a tag cannot be escaped safely\n");
  CHECK(errors({{"a.html", "<p>{{x}}</p>"}, {"a.js", "{{"}, {"a.css", "{{"}}) == "");
}

TEST_CASE("[unknown-page] pages that handlers render must exist") {
  const Files files = {{"shop/list.html", ""}, {"_part.html", ""}};
  const auto error = [&](const std::string& page) {
    return summary(resolve_pages(files, {rendering(page)}).diagnostics);
  };
  CHECK(error("shop/list") == "");
  CHECK(error("") == "");  // known at run time only
  CHECK(error("shop/lists") ==
        "src/routes/index.cpp:2:9 unknown-page: there is no page 'shop/lists'\n");
  CHECK(error("_part") == "src/routes/index.cpp:2:9 unknown-page: there is no page '_part'\n");
}

TEST_CASE("[conflicting-options] a page rendered in the browser needs a script") {
  const auto errors_with = [](const Files& files) {
    return summary(
        resolve_pages(
            files,
            {route("GET", "/",
                   options({{"frontend", record("Frontend", {{"page", text("a")},
                                                             {"client_only", flag(true)}})}}))})
            .diagnostics);
  };
  CHECK(errors_with({{"a.html", ""}, {"a.js", ""}}) == "");
  // The script of all pages knows none of them.
  CHECK(errors_with({{"a.html", ""}, {"b.js", ""}, {"_document.js", ""}}) ==
        "src/routes/index.cpp:2:1 conflicting-options: 'frontend.client_only' needs a script for "
        "'frontend.page' 'a'\n");
}

namespace {

/// The errors of pages that GET / renders with data of a schema; `pages` are the names.
std::string variable_errors(const Files& files, Named data,
                            const std::vector<std::string>& pages = {"a"}) {
  model::Registration registration =
      route("GET", "/", options({{"frontend", record("Frontend", {{"data", entries(data)}})}}));
  for (const std::string& page : pages) {
    registration.handler.pages.push_back({page, {"src/routes/index.cpp", 2, 9, 2, 12}});
  }
  return summary(resolve_pages(files, {registration}).diagnostics);
}

model::Value items(const Named& fields) { return call("array_of", {entries(fields)}); }

}  // namespace

TEST_CASE("[unknown-page-variable] names are looked up from the inner to the outer section") {
  const Named data = {{"heading", text("string")},
                      {"products", items({{"name", text("string")}, {"tags", text("array?")}})},
                      {"user", entries({{"name", text("string?")}, {"home", text("object")}})},
                      {"any", text("any")}};
  const auto errors_in = [&](const std::string& page) {
    return variable_errors({{"a.html", page}}, data);
  };
  CHECK(errors_in("{{heading}} {{#products}}{{name}}{{heading}}{{#tags}}{{.}}{{x}}{{/tags}}"
                  "{{/products}}{{^products}}{{heading}}{{/products}}") == "");
  CHECK(errors_in("{{#user}}{{name}}{{/user}}{{user.name}}{{user.home.street}}{{any.x.y}}") == "");
  CHECK(errors_in("<h1>\n  {{ haeding }}</h1>") ==
        "src/pages/a.html:2:6 unknown-page-variable: the data of GET / has no 'haeding'\n");
  CHECK(errors_in("{{name}}{{user.nmae}}{{#products}}{{nmae}}{{/products}}{{^produkts}}"
                  "{{/produkts}}") ==
        "src/pages/a.html:1:3 unknown-page-variable: the data of GET / has no 'name'\n"
        "src/pages/a.html:1:16 unknown-page-variable: the data of GET / has no 'user.nmae'\n"
        "src/pages/a.html:1:37 unknown-page-variable: the data of GET / has no 'nmae'\n"
        "src/pages/a.html:1:59 unknown-page-variable: the data of GET / has no 'produkts'\n");
  // What is in a section without a value is never rendered.
  CHECK(errors_in("{{#x}}{{y}}{{/x}}") ==
        "src/pages/a.html:1:4 unknown-page-variable: the data of GET / has no 'x'\n");
}

TEST_CASE("[unknown-page-variable] the nearest name is suggested, with a note at the declaration") {
  const auto registration = [] {
    model::Registration page = rendering("a");
    page.options = options(
        {{"frontend",
          record("Frontend", {{"data", entries({{"user", entries({{"email", text("string")}})},
                                                {"title", text("string")}})}})}});
    return page;
  }();
  const auto found =
      resolve_pages({{"a.html", "{{titel}}{{email}}{{other}}"}}, {registration}).diagnostics;
  REQUIRE(found.size() == 3);
  CHECK(found[0].help == "did you mean 'title'?");
  REQUIRE(found[0].fixes.size() == 1);
  CHECK(found[0].fixes[0].text == "title");
  CHECK(found[0].fixes[0].range.column == 3);
  CHECK(found[0].fixes[0].range.end_column == 8);
  CHECK(found[1].help == "did you mean 'user.email'?");
  CHECK(found[2].help == "add it to 'frontend.data', or remove it here");
}

TEST_CASE("[unknown-page-variable] partials, layouts and the document are checked") {
  const Named data = {{"tree", items({{"name", text("string")}, {"children", text("array?")}})}};
  CHECK(variable_errors({{"a.html", "{{#tree}}{{> _node}}{{/tree}}"},
                         {"_node.html", "{{name}}{{#children}}{{> _node}}{{/children}}"}},
                        data) == "");
  const Files files = {{"_layout.html", "{{title}}{{$main}}{{/main}}"},
                       {"a.html", "{{< _layout}}{{$main}}{{tree}}{{lost}}{{/main}}{{/_layout}}"},
                       {"b.html", "{{< _layout}}{{/_layout}}"},
                       {"_document.html", "{{title}}{{page}}{{{head}}}{{{body}}}{{{scripts}}}"}};
  // An error of syntax in one page hides none in another.
  CHECK(variable_errors({{"a.html", "{{lost}}"}, {"b.html", "{{#x}}"}}, data, {"a", "b"}) ==
        "src/pages/a.html:1:3 unknown-page-variable: the data of GET / has no 'lost'\n"
        "src/pages/b.html:1:1 bad-page: the section 'x' is not closed\n");
  // A page that no known route renders may have any data.
  CHECK(variable_errors(files, data) ==
        "src/pages/a.html:1:33 unknown-page-variable: the data of GET / has no 'lost'\n");
  CHECK(variable_errors(files, data, {"a", "b"}) ==
        "src/pages/_layout.html:1:3 unknown-page-variable: the data of GET / has no 'title'\n"
        "src/pages/a.html:1:33 unknown-page-variable: the data of GET / has no 'lost'\n");
}

TEST_CASE("[unknown-page-variable] the data is described by frontend.data or a response schema") {
  const auto errors_of = [](const std::string& page, Named members, const std::string& path = "/") {
    model::Registration registration = route("GET", path, options(std::move(members)));
    registration.handler.pages.push_back({"a", {}});
    return summary(resolve_pages({{"a.html", page}}, {registration}).diagnostics);
  };
  const auto data = [](model::Value schema) {
    return Named{{"frontend", record("Frontend", {{"data", std::move(schema)}})}};
  };
  CHECK(errors_of("{{x}}{{name}}", data(entries({{"name", text("string")}}))) ==
        "src/pages/a.html:1:3 unknown-page-variable: the data of GET / has no 'x'\n");
  // Schemas of responses do not apply to pages.
  CHECK(
      errors_of("{{x}}{{name}}",
                Named{{"responses", list({list({text("2xx"), entries({{"name", text("string")}})}),
                                          list({text("default"), text("string")})})}}) == "");
  const auto json = [&](const std::string& schema) {
    return data(call("json_schema", {text(schema)}));
  };
  const std::string recursive =
      R"({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {
          "v": {"type": ["string", "null"]}, "n": {"type": "array", "items": {"$ref": "#/$defs/n"}}}}}})";
  CHECK(errors_of("{{#n}}{{v}}{{#n}}{{v}}{{w}}{{/n}}{{/n}}", json(recursive)) ==
        "src/pages/a.html:1:25 unknown-page-variable: the data of GET / has no 'w'\n");
  CHECK(errors_of("{{x.y}}", json(R"({"type": "object"})")) == "");
  CHECK(errors_of("{{x.y}}", json(R"({"properties": {"a": {}}, "additionalProperties": true})")) ==
        "");
  CHECK(errors_of("{{x}}{{x.y}}", json(R"({"properties": {"a": {}},
                                          "additionalProperties": {"type": "string"}})")) ==
        "src/pages/a.html:1:10 unknown-page-variable: the data of GET / has no 'x.y'\n");
  CHECK(errors_of("{{a}}{{b}}{{c}}", json(R"({"anyOf": [{"properties": {"a": {}}},
                                                        {"properties": {"b": {}}}]})")) ==
        "src/pages/a.html:1:13 unknown-page-variable: the data of GET / has no 'c'\n");
  CHECK(errors_of("{{x}}", {}) == "");

  const auto static_page = [&](const std::string& page, model::Value params) {
    return errors_of(page,
                     {{"frontend", record("Frontend", {{"page", text("a")},
                                                       {"mode", text("static")},
                                                       {"static_params", std::move(params)}})}},
                     "/:id");
  };
  const model::Value params = list({entries({{"id", text("1")}, {"tags", list({text("t")})}}),
                                    entries({{"id", text("2")}, {"name", text("N")}})});
  CHECK(static_page("{{params.id}}{{#params}}{{name}}{{#tags}}{{.}}{{/tags}}{{/params}}", params) ==
        "");
  CHECK(
      static_page("{{name}}{{params.title}}", params) ==
      "src/pages/a.html:1:3 unknown-page-variable: the data of GET /:id has no 'name'\n"
      "src/pages/a.html:1:18 unknown-page-variable: the data of GET /:id has no 'params.title'\n");
  CHECK(errors_of("", {{"frontend", record("Frontend", {{"page", text("a")},
                                                        {"mode", text("static")},
                                                        {"data", entries({{"x", text("any")}})}})}})
            .find("conflicting-options: 'frontend.mode' 'static' excludes 'frontend.data'") !=
        std::string::npos);
}

TEST_CASE("[unused-page] a page that no route renders is reported") {
  const Files files = {{"a.html", ""}, {"b.html", ""}, {"error.html", ""}, {"_part.html", ""}};
  CHECK(unused(files, "a") == "src/pages/b.html: no route renders the page 'b'\n");
  CHECK(unused(files, "") == "");
}

TEST_CASE("pages: the files of pages are in the table") {
  const auto resolution = resolve_pages({{"a.css", "p {}"}, {"a.html", "<p>\n\"é\"</p>\n"}});
  const std::string table =
      emit::emit_app_table(resolution.application, model::Json::object(), false);
  CHECK(table.find("    \"<p>\\n\"\n    \"\\\"é\\\"</p>\\n\",\n") != std::string::npos);
  CHECK(table.find("{\"a.css\", kPage0},\n    {\"a.html\", kPage1},") != std::string::npos);
  CHECK(table.find(".pages = kPages,\n      .pages_directory = \"src/pages\",\n") !=
        std::string::npos);
  const auto without = resolve_pages({});
  CHECK(emit::emit_app_table(without.application, model::Json::object(), false).find("kPage0") ==
        std::string::npos);
}

TEST_CASE("pages: static pages are rendered by the build") {
  const auto table_of = [](const std::string& page, model::Value seo) {
    const model::Value params = list({entries({{"id", text("1")}, {"name", text("<A>")}}),
                                      entries({{"id", text("2")}, {"name", text("B")}})});
    const auto resolution =
        resolve_pages({{"a.html", page}},
                      {route("GET", "/:id",
                             options({{"frontend", record("Frontend", {{"page", text("a")},
                                                                       {"mode", text("static")},
                                                                       {"static_params", params},
                                                                       {"seo", seo}})}}))});
    return summary(resolution.diagnostics) +
           emit::emit_app_table(resolution.application, model::Json::object(), false);
  };
  const std::string table =
      table_of("<p>{{params.name}}</p>", entries({{"title", text("{{params.name}} of 2")}}));
  CHECK(table.find("\"<p>&lt;A&gt;</p>") != std::string::npos);
  CHECK(table.find("\"<title>&lt;A&gt; of 2</title>") != std::string::npos);
  CHECK(table.find("\"<title>B of 2</title>") != std::string::npos);
  CHECK(table.find("    {\"/:id\", kStaticPage0},\n    {\"/:id\", kStaticPage1},\n") !=
        std::string::npos);
  CHECK(table.find(".static_pages = kStaticPages,\n      .pages_version = \"") !=
        std::string::npos);
  const auto seo_error = [&](const std::string& title) {
    const std::string errors = table_of("", entries({{"title", text(title)}}));
    return errors.substr(0, errors.find('\n'));
  };
  CHECK(seo_error("{{params.nam}}")
            .find("'{{params.nam}}' in 'frontend.seo': the data of GET /:id has no") !=
        std::string::npos);
  CHECK(seo_error("{{#params}}").find("bad-page: '{{#params}}' in 'frontend.seo': the section") !=
        std::string::npos);
  CHECK(seo_error("{{> a}}").find("bad-page: '{{> a}}' in 'frontend.seo': only values can be") !=
        std::string::npos);
}

}  // namespace pages_test
