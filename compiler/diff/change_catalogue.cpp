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

}  // namespace fairway::diff
