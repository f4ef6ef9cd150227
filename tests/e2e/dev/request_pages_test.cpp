#include "dev/request_pages.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "temporary_directory.hpp"

namespace request_pages_test {

using namespace fairway;
using Json = dev::RequestLog::Json;

namespace {

struct Pages {
  Json get(const std::string& target) const {
    const auto decision = pages.respond({.method = "GET",
                                         .target = "/.fairway/dev/requests" + target,
                                         .host = "localhost",
                                         .is_local = true},
                                        project);
    const auto* reply = std::get_if<dev::Reply>(&decision);
    return reply == nullptr ? Json() : Json::parse(reply->body);
  }
  /// A request whose route is registered there.
  std::string request(const std::string& file) {
    const std::string trace = "0123456789abcdef0123456789abcdef";
    const auto id = log.begin("GET / HTTP/1.1\r\n\r\n",
                              *fw::base::parse_traceparent("00-" + trace + "-0123456789abcdef-01"));
    const Json attributes = {{{"key", "code.file.path"}, {"value", {{"stringValue", file}}}},
                             {{"key", "code.line.number"}, {"value", {{"intValue", "14"}}}}};
    const Json span = {
        {"traceId", trace}, {"parentSpanId", "0123456789abcdef"}, {"attributes", attributes}};
    log.add_spans({{"resourceSpans", {{{"scopeSpans", {{{"spans", {span}}}}}}}}});
    return "/" + std::to_string(id);
  }

  dev::RequestLog log{[] {}};
  dev::RequestPages pages{log, "127.0.0.1"};
  dev::ProjectView project = {.editor = "vscode://file{file}:{line}"};
};

}  // namespace

TEST_CASE("request pages: a request has the place of its route, which an editor opens") {
  const test::TemporaryDirectory folder;
  folder.write("my shop/src/routes/notes.cpp", "");
  Pages pages;
  pages.project.source_dirs = {folder.path() / "other/src", folder.path() / "my shop/src"};
  CHECK(pages.get(pages.request("src/routes/notes.cpp"))["source"] ==
        Json{{"file", "src/routes/notes.cpp"},
             {"line", 14},
             {"url",
              "vscode://file" + folder.path().string() + "/my%20shop/src/routes/notes.cpp:14"}});
  CHECK(pages.get(pages.request("src/routes/gone.cpp"))["source"]["url"] == "");
  CHECK(pages.get(pages.request(""))["source"] == nullptr);
}

TEST_CASE("request pages: the rows come at once after a build that the page does not know") {
  Pages pages;
  pages.project.version = 3;
  pages.project.failure = "The build failed";
  pages.project.docs_path = "/docs";
  CHECK(pages.get("/rows?after=0&build=3").is_null());
  CHECK(pages.get("/rows?after=0").is_null());
  const Json rows = pages.get("/rows?after=0&build=2");
  CHECK(rows["build"] == Json{{"version", 3}, {"failure", "The build failed"}});
  CHECK(rows["docs"] == "/docs");
}

}  // namespace request_pages_test
