// Approvals, and the reports for people and for programs.
#include <doctest/doctest.h>

#include <string>

#include "diff/comparison.hpp"
#include "golden_files.hpp"
#include "support/compared.hpp"

namespace reports_test {

using namespace fairway::diff;
using namespace fairway::testing;

namespace {

std::string golden_difference(const std::string& name, const std::string& actual) {
  return fairway::test::golden_difference(FAIRWAY_DIFF_GOLDEN_DIR, FAIRWAY_DIFF_GOLDEN_OUTPUT_DIR,
                                          name, actual);
}

/// The schema itself, or the component that it refers to.
Json& followed(Json& document, Json& schema) {
  if (!schema.contains("$ref")) return schema;
  const std::string target = schema["$ref"];
  return document["components"]["schemas"][target.substr(target.rfind('/') + 1)];
}

/// The orders sample, changed by hand in each of the ways that matter.
Json changed_orders() {
  Json document = sample_document("orders");
  Json& paths = document["paths"];
  Json& create = paths["/orders"]["post"];
  create["summary"] = "Create an order";
  Json& body = followed(document, create["requestBody"]["content"]["application/json"]["schema"]);
  body["properties"]["items"]["items"]["properties"]["quantity"]["maximum"] = 50;
  body["required"].push_back("note");
  Json& envelope = followed(
      document,
      paths["/orders/{id}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]);
  Json& order = followed(document, envelope["properties"]["data"]);
  order["properties"]["status"]["enum"].push_back("cancelled");
  order["properties"]["shippedAt"] = {{"type", "string"}, {"format", "date-time"}};
  paths["/orders"]["get"]["parameters"].push_back(
      {{"name", "page"}, {"in", "query"}, {"schema", {{"type", "integer"}}}});
  paths.erase("/customers/by-email/{email}");
  document["components"]["schemas"]["Error"]["properties"]["requestId"]["type"] = {"string",
                                                                                   "null"};
  document["info"]["version"] = "2.0.0";
  return document;
}

Comparison orders_comparison() {
  return {.old_name = "old.json",
          .new_name = "new.json",
          .changes = compared(sample_document("orders"), changed_orders()),
          .unused = {}};
}

Comparison approved_comparison() {
  Comparison comparison = orders_comparison();
  const Approvals approvals = {
      {"operation-removed", "GET /customers/by-email/{email}", "", "unused since May"},
      {"request-range-tightened", "POST /orders", "request body: items[].quantity", ""},
      {"operation-removed", "GET /never", "", ""}};
  comparison.unused = apply_approvals(approvals, comparison.changes);
  sort_changes(comparison.changes);
  return comparison;
}

std::string error_in(const std::string& text) {
  try {
    parse_approvals("a.json", text);
  } catch (const BadDocument& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("diff reports: the text report") {
  Comparison comparison = orders_comparison();
  sort_changes(comparison.changes);
  const std::string text = render_text(comparison, false);
  CHECK(golden_difference("orders.txt", text) == "");
  const std::string colored = render_text(approved_comparison(), true);
  CHECK(golden_difference("approved.color.txt", colored) == "");
}

TEST_CASE("diff reports: the JSON report") {
  const std::string text = render_json(approved_comparison());
  CHECK(golden_difference("approved.json", text) == "");
  const Json document = Json::parse(text);
  CHECK(document["ok"] == false);
  CHECK(document["summary"]["approved"] == 2);
  CHECK(document["unused_approvals"].size() == 1);
}

TEST_CASE("diff reports: a comparison without changes") {
  CHECK(render_text({}, true) == "no changes\n");
  CHECK(Comparison().ok());
}

TEST_CASE("diff approvals: a written file approves every breaking change and no other") {
  Comparison comparison = orders_comparison();
  CHECK_FALSE(comparison.ok());
  const Approvals all = parse_approvals("a.json", write_approvals(comparison.changes));
  CHECK(apply_approvals(all, comparison.changes).empty());
  CHECK(comparison.ok());
  for (const Change& change : comparison.changes) {
    CHECK(change.approved == (change.level == Level::breaking));
  }
  // Written again, reasons stay.
  comparison.changes[0].reason.clear();
  Comparison other = approved_comparison();
  CHECK(write_approvals(other.changes).find("unused since May") != std::string::npos);
}

TEST_CASE("diff approvals: an approval covers one change") {
  Comparison comparison = orders_comparison();
  const auto approves = [&](const Approval& approval) {
    Changes changes = comparison.changes;
    return apply_approvals({approval}, changes).empty();
  };
  CHECK(approves({"request-member-became-required", "POST /orders", "request body: note", ""}));
  CHECK_FALSE(approves({"request-member-became-required", "POST /orders", "request body: x", ""}));
  CHECK_FALSE(
      approves({"request-member-became-required", "PUT /orders", "request body: note", ""}));
  CHECK_FALSE(approves({"request-member-removed", "POST /orders", "request body: note", ""}));
}

TEST_CASE("diff approvals: an approval file is validated") {
  CHECK(error_in("{") == "a.json: is not JSON");
  CHECK(error_in("[]") ==
        "a.json: is not a file of approvals: it must be an object with an array 'approvals'");
  CHECK(error_in(R"({"version": 2, "approvals": []})") == "a.json: /version: must be 1");
  CHECK(error_in(R"({"version": 1, "approvals": [{"id": "operation-removed"}]})") ==
        "a.json: /approvals/0: 'operation' is missing");
  CHECK(error_in(R"({"version": 1, "approvals": [{"id": "x", "operation": "API"}]})") ==
        "a.json: /approvals/0/id: there is no change 'x': see 'fairway diff --list-changes'");
  CHECK(error_in(R"({"version": 1, "approvals": [{"ids": "x"}]})") ==
        "a.json: /approvals/0/ids: unknown member; there are id, operation, location, reason");
  CHECK(error_in(R"({"version": 1, "approvals": [{"id": 1}]})") ==
        "a.json: /approvals/0/id: must be a string");
  CHECK(error_in(R"({"version": 1, "approvals": []})") == "accepted");
}

}  // namespace reports_test
