#include <doctest/doctest.h>

#include <string>

#include "rules/lints.hpp"
#include "support/builders.hpp"

namespace summarized_test {

using namespace fairway;

namespace {

model::Diagnostic finding(const std::string& id, const std::string& file, unsigned line,
                          model::Severity severity = model::Severity::warning) {
  model::Diagnostic result;
  result.id = id;
  result.severity = severity;
  result.message = "found";
  result.range = {file, line, 1, line, 2};
  return result;
}

}  // namespace

TEST_CASE("summary of lints: several findings about documentation are one line per file") {
  const std::string docs = "missing-docs-summary";
  const auto result = rules::summarized(
      {finding(docs, "a.cpp", 1), finding("shadowed-route", "a.cpp", 1), finding(docs, "a.cpp", 2),
       finding("auto-operation-id", "a.cpp", 2), finding("shadowed-route", "a.cpp", 3),
       finding(docs, "a.cpp", 4), finding(docs, "b.cpp", 5)});
  CHECK(testing::summary(result) ==
        "a.cpp:0:0 missing-docs-summary: 3 routes without 'docs.summary'\n"
        "a.cpp:1:1 shadowed-route: found\n"
        "a.cpp:2:1 auto-operation-id: found\n"
        "a.cpp:3:1 shadowed-route: found\n"
        "b.cpp:5:1 missing-docs-summary: found\n");
}

TEST_CASE("summary of lints: findings that are errors are listed") {
  const auto error = model::Severity::error;
  const auto result = rules::summarized({finding("auto-operation-id", "a.cpp", 1, error),
                                         finding("auto-operation-id", "a.cpp", 2, error)});
  CHECK(result.size() == 2);
}

}  // namespace summarized_test
