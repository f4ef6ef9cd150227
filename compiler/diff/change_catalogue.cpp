#include "diff/change_catalogue.hpp"

#include <algorithm>
#include <iterator>

namespace fairway::diff {
namespace {

constexpr std::string_view kSkeleton = R"({
  "openapi": "3.1.0",
  "info": {"title": "Orders", "version": "1.0.0"},
  "paths": {"/orders": {"post": {"operationId": "createOrder",
                                 "responses": {"201": {"description": "Created"}}}}}
})";

constexpr std::string_view kMetricList = R"({
  "version": 1,
  "metrics": [
    {"name": "http_server_request_duration_seconds", "type": "histogram", "help": "Duration of requests.",
     "labels": ["http_request_method", "http_route"],
     "series": ["http_server_request_duration_seconds_bucket", "http_server_request_duration_seconds_sum",
                "http_server_request_duration_seconds_count"],
     "buckets": [0.1, 1]},
    {"name": "fairway_cache_responses_total", "type": "counter", "labels": ["http_request_method", "http_route"],
     "series": ["fairway_cache_responses_total"]}],
  "routes": [
    {"http_request_method": "POST", "http_route": "/orders", "operationId": "createOrder",
     "metrics": ["http_server_request_duration_seconds"]}]
})";

Json object_with(Json schema) {
  return {{"application/json",
           {{"schema", {{"type", "object"}, {"properties", {{"item", std::move(schema)}}}}}}}};
}

bool is_of_metrics(ExampleSlot slot) { return slot >= ExampleSlot::metrics; }

Json example_metric_list(ExampleSlot slot, const Json& example) {
  Json list = Json::parse(kMetricList);
  if (slot == ExampleSlot::metric) {
    list["metrics"][0].merge_patch(example);
  } else if (slot == ExampleSlot::route) {
    list["routes"][0].merge_patch(example);
  } else {
    Json& items = list[slot == ExampleSlot::metrics ? "metrics" : "routes"];
    items.insert(items.end(), example.begin(), example.end());
  }
  return list;
}

}  // namespace

std::span<const ChangeKind> catalogue() {
  static const std::vector<ChangeKind> rows = [] {
    std::vector<ChangeKind> all;
    for (auto part :
         {operation_changes(), schema_changes(), documentation_changes(), metric_changes()}) {
      std::ranges::move(part, std::back_inserter(all));
    }
    return all;
  }();
  return rows;
}

const ChangeKind* find_change(std::string_view id) {
  const auto rows = catalogue();
  const auto found = std::ranges::find(rows, id, &ChangeKind::id);
  return found == rows.end() ? nullptr : &*found;
}

Document example_document(const ChangeKind& kind, Side side) {
  const std::string name = side == Side::before ? "before" : "after";
  Json example = Json::parse(side == Side::before ? kind.before : kind.after);
  if (is_of_metrics(kind.node)) {
    return {name, example_metric_list(kind.node, example), Document::Source::metrics};
  }
  Json document = Json::parse(kSkeleton);
  Json& operation = document["paths"]["/orders"]["post"];
  switch (kind.node) {
    case ExampleSlot::document:
      document.merge_patch(example);
      break;
    case ExampleSlot::operation:
      operation.merge_patch(example);
      break;
    case ExampleSlot::parameter:
      operation["parameters"] = Json::array({std::move(example)});
      break;
    case ExampleSlot::request_schema:
      operation["requestBody"]["content"] = object_with(std::move(example));
      break;
    case ExampleSlot::response_schema:
      operation["responses"]["201"]["content"] = object_with(std::move(example));
      break;
    default:
      break;
  }
  return {name, std::move(document)};
}

std::vector<ChangeKind> documentation_changes() {
  using enum Level;
  constexpr auto kDocument = ExampleSlot::document;
  constexpr auto kOperation = ExampleSlot::operation;
  constexpr auto kSchema = ExampleSlot::request_schema;
  return {
      {"openapi-version-changed", documentation, "the OpenAPI version of the document changed",
       "Both versions can describe the same API.", kDocument, "{}", R"({"openapi": "3.0.3"})"},
      {"info-changed", documentation,
       "the title, version, contact, licence or terms of the API changed",
       "They have no effect on requests and responses.", kDocument, "{}",
       R"({"info": {"version": "1.1.0"}})"},
      {"summary-changed", documentation, "a summary changed",
       "It has no effect on requests and responses.", kOperation,
       R"({"summary": "Create an order"})", R"({"summary": "Place an order"})"},
      {"description-changed", documentation, "a description changed",
       "It has no effect on requests and responses. Review it nevertheless: it may state a rule "
       "that a schema cannot express.",
       kOperation, "{}", R"({"description": "Responds within a second."})"},
      {"title-changed", documentation, "the title of a schema changed",
       "It has no effect on requests and responses.", kSchema, R"({"title": "Item"})",
       R"({"title": "Line"})"},
      {"tags-changed", documentation, "the tags of an operation changed",
       "Tags group operations in the documentation. Their order does not matter.", kOperation,
       R"({"tags": ["orders"]})", R"({"tags": ["orders", "shop"]})"},
      {"examples-changed", documentation, "an example changed",
       "It has no effect on requests and responses.", kSchema,
       R"({"type": "integer", "examples": [1]})", R"({"type": "integer", "examples": [1, 2]})"},
      {"external-docs-changed", documentation, "a link to external documentation changed",
       "It has no effect on requests and responses.", kOperation, "{}",
       R"({"externalDocs": {"url": "https://docs.example/orders"}})"},
      {"docs-access-changed", documentation, "access to the documentation of an operation changed",
       "'x-fw-docs-access' limits the documentation, not the operation.", kOperation, "{}",
       R"({"x-fw-docs-access": {"roles": ["partner"]}})"},
      {"extension-changed", documentation, "an extension ('x-...') changed",
       "Its meaning depends on the tools that use it.", kOperation, R"({"x-owner": "sales"})",
       R"({"x-owner": "logistics"})"},
  };
}

}  // namespace fairway::diff
