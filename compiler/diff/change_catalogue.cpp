#include "diff/change_catalogue.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace fairway::diff {
namespace {

constexpr std::string_view kSkeleton = R"({
  "openapi": "3.1.0",
  "info": {"title": "Orders", "version": "1.0.0"},
  "paths": {"/orders": {"post": {"operationId": "createOrder",
                                 "responses": {"201": {"description": "Created"}}}}}
})";

Json object_with(Json schema) {
  return {{"application/json",
           {{"schema", {{"type", "object"}, {"properties", {{"item", std::move(schema)}}}}}}}};
}

}  // namespace

std::span<const ChangeKind> catalogue() {
  static const std::vector<ChangeKind> rows = [] {
    std::vector<ChangeKind> all;
    for (auto part : {operation_changes(), schema_changes(), documentation_changes()}) {
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

Json example_document(const ChangeKind& kind, Side side) {
  Json document = Json::parse(kSkeleton);
  Json& operation = document["paths"]["/orders"]["post"];
  Json example = Json::parse(side == Side::before ? kind.before : kind.after);
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
  }
  return document;
}

}  // namespace fairway::diff
