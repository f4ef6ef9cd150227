#include "support/compared.hpp"

#include <fstream>

#include "emit/openapi.hpp"

namespace fairway::testing {
namespace {

using diff::Json;

std::vector<std::string> schema_ids(diff::ExampleSlot node, std::string_view before,
                                    std::string_view after) {
  diff::ChangeKind kind;
  kind.node = node;
  return ids(compared(kind, before, after));
}

Json with_components(Json document) {
  Json& schemas = document["components"]["schemas"];
  schemas["A"] = {{"type", "string"}};
  schemas["B"] = Json::parse(
      R"({"type": "object", "properties": {"next": {"$ref": "#/components/schemas/B"}}})");
  return document;
}

}  // namespace

diff::Changes compared(const Json& before, const Json& after) {
  return diff::compare_documents({"old.json", before}, {"new.json", after});
}

diff::Changes compared(const diff::ChangeKind& kind, std::string_view before,
                       std::string_view after) {
  diff::ChangeKind other = kind;
  other.before = before;
  other.after = after;
  const diff::Document old_document = example_document(other, diff::Side::before);
  const diff::Document new_document = example_document(other, diff::Side::after);
  if (old_document.source() == diff::Document::Source::metrics) {
    return diff::compare_documents(old_document, new_document);
  }
  return compared(with_components(*old_document.root().value),
                  with_components(*new_document.root().value));
}

std::vector<std::string> request_ids(std::string_view before, std::string_view after) {
  return schema_ids(diff::ExampleSlot::request_schema, before, after);
}

std::vector<std::string> response_ids(std::string_view before, std::string_view after) {
  return schema_ids(diff::ExampleSlot::response_schema, before, after);
}

std::vector<std::string> ids(const diff::Changes& changes) {
  std::vector<std::string> list;
  for (const diff::Change& change : changes) list.push_back(change.id);
  return list;
}

diff::Document parse_document(const std::string& name, const std::string& text) {
  return diff::parse_document(name, text, emit::default_openapi_document);
}

Json sample_document(const std::string& sample) {
  std::ifstream stream(std::string(FAIRWAY_GENERATED_DIR) + '/' + sample + "/openapi.json");
  return Json::parse(stream);
}

}  // namespace fairway::testing
