#include "dev/stored_report.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "temporary_directory.hpp"

namespace stored_report_test {

namespace fs = std::filesystem;

namespace {

constexpr const char* kText =
    "a<b>.cpp: error: the name '\"<script>' is wrong [bad-schema]\n1 error in 1 file\n";

/// A folder with one stored report, whose text is kText.
struct Reports {
  Reports() {
    fairway::diagnostics::Report report;
    fairway::model::Diagnostic diagnostic;
    diagnostic.id = "bad-schema";
    diagnostic.message = "the name '\"<script>' is wrong";
    diagnostic.range.file = "a<b>.cpp";
    report.diagnostics = {diagnostic};
    ::setenv(fairway::dev::kReportsVariable, directory.path().c_str(), 1);
    fairway::dev::store_report(report);
    fairway::dev::store_report({});
    ::unsetenv(fairway::dev::kReportsVariable);
    fairway::dev::store_report(report);
  }
  std::string html(const std::string& output) const {
    return fairway::dev::html_of_output(directory.path(), output);
  }
  auto files() const {
    return std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator());
  }

  fairway::test::TemporaryDirectory directory;
};

}  // namespace

TEST_CASE("stored report: is rendered where its text is, and the rest stays text") {
  const Reports reports;
  const std::string article =
      "<article class=\"error\">\n<p class=\"location\">a&lt;b&gt;.cpp</p>\n"
      "<p class=\"message\"><span class=\"label\">error:</span> the name '&quot;&lt;script&gt;' is "
      "wrong <a class=\"rule\" href=\"/.fairway/dev/rules/bad-schema\">bad-schema</a></p>\n"
      "</article>\n<p class=\"count\">1 error in 1 file</p>\n";
  const std::string output = std::string("first <i>\n") + kText + "last\n";
  const std::string html = "<pre class=\"output\" tabindex=\"0\">first &lt;i&gt;\n</pre>\n" +
                           article + "<pre class=\"output\" tabindex=\"0\">last\n</pre>\n";
  CHECK(reports.html(output) == html);
  // The build prints it again without running the command.
  CHECK(reports.html(output) == html);
  CHECK(reports.html(std::string(kText) + kText) == article + article);
  CHECK(reports.files() == 1);
}

TEST_CASE("stored report: one that the output does not contain is removed") {
  const Reports reports;
  std::ofstream(reports.directory.path() / "broken.json") << "{";
  CHECK(reports.files() == 2);
  CHECK(reports.html("a<b>.cpp: error: another\n") ==
        "<pre class=\"output\" tabindex=\"0\">a&lt;b&gt;.cpp: error: another\n</pre>\n");
  CHECK(reports.files() == 0);
  CHECK(reports.html("") == "");
  CHECK(fairway::dev::html_of_output("/nowhere", "text") ==
        "<pre class=\"output\" tabindex=\"0\">text</pre>\n");
}

}  // namespace stored_report_test
