// Pages: their errors with source locations, references to them, and their files in the table.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "check/lints.hpp"
#include "check/resolve.hpp"
#include "emit/application_files.hpp"
#include "support/builders.hpp"

using namespace fairway;
using namespace fairway::testing;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

check::Resolution resolve_pages(const Files& files,
                                std::vector<model::Registration> routes = {route("GET", "/")}) {
  check::ResolveOptions options{.name = "", .source_name = "src", .middlewares = {}};
  for (const auto& [path, content] : files) {
    options.pages.push_back({path, "src/pages/" + path, content});
  }
  return check::resolve({route_file("routes/index.cpp", std::move(routes))}, options);
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
  for (const auto& each : check::lint(resolution.application, {})) {
    if (each.id == "unused-page") lines += each.range.file + ": " + each.message + "\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("[bad-page] and [unsafe-page-value] have a file, a line and a column") {
  CHECK(errors({{"a.html", "<p>\n {{#x}}</p>"}}) ==
        "src/pages/a.html:2:2 bad-page: the section 'x' is not closed\n");
  CHECK(errors({{"a.html", "{{> _b}}"}, {"_b.html", "<p>\n<b onclick='{{x}}'></b>"}}) ==
        "src/pages/_b.html:2:13 unsafe-page-value: a value cannot be escaped safely in the "
        "attribute 'onclick' of 'b'\n");
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
        "src/pages/b.html:1:4 unsafe-page-value: a value cannot be escaped safely in a tag\n");
  CHECK(errors({{"a.html", "<p>{{x}}</p>"}, {"a.js", "{{"}, {"a.css", "{{"}}) == "");
}

TEST_CASE("[unknown-page] pages that handlers render") {
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

TEST_CASE("[unused-page] pages that no route renders") {
  const Files files = {{"a.html", ""}, {"b.html", ""}, {"error.html", ""}, {"_part.html", ""}};
  CHECK(unused(files, "a") == "src/pages/b.html: no route renders the page 'b'\n");
  CHECK(unused(files, "") == "");
}

TEST_CASE("the files of pages are part of the table") {
  const auto resolution = resolve_pages({{"a.css", "p {}"}, {"a.html", "<p>\n\"é\"</p>\n"}});
  const std::string table = emit::emit_app_table(resolution.application, model::Json::object());
  CHECK(table.find("    \"<p>\\n\"\n    \"\\\"é\\\"</p>\\n\",\n") != std::string::npos);
  CHECK(table.find("{\"a.css\", kPage0},\n    {\"a.html\", kPage1},") != std::string::npos);
  CHECK(table.find("openapi, kPages, \"src/pages\",") != std::string::npos);
  const auto without = resolve_pages({});
  CHECK(emit::emit_app_table(without.application, model::Json::object()).find("kPage") ==
        std::string::npos);
}
