#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "diff/document.hpp"
#include "diff/metric_list.hpp"
#include "files/data_file.hpp"
#include "model/openapi_document.hpp"
#include "schema/schema_visitor.hpp"

namespace fairway::diff {
namespace {

Json parsed(const std::string& name, const std::string& text) {
  try {
    return files::read_data(name, text, kMaxDepth);
  } catch (const files::BadData& error) {
    throw BadDocument(error.what());
  }
}

bool is_manifest(const Json& root) {
  return root.contains("files") && root["files"].is_array() && root.contains("version");
}

/// The name and the data of an event, from an item of `text/event-stream`; empty for a schema of
/// another form.
std::optional<std::pair<std::string, Json>> event_of(const Json& item) {
  const Json name = item.value("/properties/event/const"_json_pointer, Json());
  const Json data = item.value("/properties/data"_json_pointer, Json());
  if (!name.is_string() || !data.is_object()) return std::nullopt;
  return std::pair(name.get<std::string>(), data.value("contentSchema", data));
}

/// The schema of the document to which one consisting of a reference refers; itself if it has other
/// keywords, or there is nothing. Errors of references are found by the comparison.
Json referred(const Json& root, Json schema) {
  for (std::size_t steps = 0; steps < kMaxDepth; ++steps) {
    const Json reference = schema.is_object() ? schema.value("$ref", Json()) : Json();
    if (schema.size() != 1 || !reference.is_string()) break;
    const std::string text = reference;
    if (!text.starts_with("#/")) break;
    const Json* found = &root;
    for (const std::string& step : model::pointer_steps(std::string_view(text).substr(2))) {
      found = found->is_object() && found->contains(step) ? &(*found)[step] : nullptr;
      if (found == nullptr) return schema;
    }
    schema = *found;
  }
  return schema;
}

/// Describes the items of a stream in the way of the documents before 3.2.
void extend_media_type(Json& media, const Json& root) {
  if (!media.is_object() || !media.contains("itemSchema")) return;
  const Json declared = std::move(media["itemSchema"]);
  media.erase("itemSchema");
  const Json items = referred(root, declared);
  Json events = Json::object();
  const Json alternatives = !items.is_object()        ? Json::array()
                            : items.contains("oneOf") ? items["oneOf"]
                            : items.contains("anyOf") ? items["anyOf"]
                                                      : Json::array({items});
  for (const Json& alternative : alternatives) {
    const Json each = referred(root, alternative);
    if (!each.is_object()) break;
    auto event = event_of(each);
    if (event) events[event->first] = std::move(event->second);
  }
  if (!events.empty() && events.size() == alternatives.size()) {
    media[std::string(model::extensions::kEvents)] = std::move(events);
  } else {
    media[std::string(model::extensions::kLines)] = declared;
  }
}

/// Writes several types as documents from 3.1 on do: as a list, not as alternatives.
void unite_types(Json& schema) {
  if (!schema.is_object() || schema.contains("type") || !schema.contains("anyOf")) return;
  const Json& alternatives = schema["anyOf"];
  if (!alternatives.is_array() || alternatives.empty()) return;
  Json types = Json::array();
  Json items;
  bool has_null = false;
  for (const Json& each : alternatives) {
    if (!each.is_object() || !each.contains("type") || !each["type"].is_string()) return;
    for (const auto& [name, value] : each.items()) {
      if (name == "nullable") {
        has_null = has_null || value == true;
      } else if (name == "items" && items.is_null() && !schema.contains("items")) {
        items = value;
      } else if (name != "type") {
        return;
      }
    }
    types.push_back(each["type"]);
  }
  if (has_null) types.push_back("null");
  schema["type"] = std::move(types);
  if (!items.is_null() && items != Json::object()) schema["items"] = std::move(items);
  schema.erase("anyOf");
}

/// All media types of `root`, also in the components. `value` is a part of it.
void extend_items(Json& value, const Json& root) {
  if (value.is_array()) {
    for (Json& item : value) extend_items(item, root);
  }
  if (!value.is_object()) return;
  for (auto& [name, member] : value.items()) {
    const bool has_media_types = name == "content" || name == "mediaTypes";
    if (has_media_types && member.is_object()) {
      for (Json& media : member) extend_media_type(media, root);
    } else if (!name.starts_with("x-") && name != "schemas" && name != "example") {
      extend_items(member, root);
    }
  }
}

}  // namespace

Document parse_document(const std::string& name, const std::string& text,
                        const DocumentOf& document_of) {
  Json root = parsed(name, text);
  if (root.is_object() && is_manifest(root)) {
    return {name, document_of(read_manifest(name, root)), Document::Source::manifest};
  }
  if (is_metric_list(root)) return {name, std::move(root), Document::Source::metrics};
  if (root.is_object() && root.contains("swagger")) {
    throw BadDocument(fmt::format(
        "{}: is a Swagger 2.0 document: convert it first, for example with 'npx swagger2openapi'",
        name));
  }
  if (!root.is_object() || !root.contains("openapi") || !root["openapi"].is_string()) {
    throw BadDocument(fmt::format(
        "{}: is neither an OpenAPI document (no 'openapi' member) nor a routes.manifest.json nor a "
        "list of metrics",
        name));
  }
  const auto version = root["openapi"].get<std::string>();
  if (version.starts_with("3.2")) {
    extend_items(root, root);
  } else if (version.starts_with("3.0")) {
    model::for_each_document_schema(root, [](Json& schema, const std::string& pointer) {
      fw::schema::for_each_schema(schema, pointer,
                                  [](Json& part, const std::string&) { unite_types(part); });
    });
  } else if (!version.starts_with("3.1")) {
    throw BadDocument(
        fmt::format("{}: is OpenAPI {}: versions 3.0 to 3.2 can be compared", name, version));
  }
  return {name, std::move(root)};
}

Document read_document(const std::filesystem::path& path, const DocumentOf& document_of) {
  // The path may be a pipe: `fairway diff <(git show main:openapi.json) openapi.json`.
  std::error_code error;
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path, error)) {
    throw BadDocument(fmt::format("cannot read '{}'", path.string()));
  }
  return parse_document(path.string(), {std::istreambuf_iterator<char>(stream), {}}, document_of);
}

}  // namespace fairway::diff
