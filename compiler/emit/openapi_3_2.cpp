#include <string>
#include <string_view>
#include <utility>

#include "emit/openapi_parts.hpp"
#include "model/openapi_document.hpp"

namespace fairway::emit {
namespace {

using model::Json;

/// The name of an event that is sent without one, so that browsers call `onmessage` with it.
constexpr std::string_view kUnnamed = "message";

/// An event as an item of `text/event-stream`: its fields are strings, and its data is JSON.
Json event_schema(const std::string& name, Json data) {
  Json schema;
  schema["type"] = "object";
  schema["required"] = Json::array();
  if (name != kUnnamed) schema["required"].push_back("event");
  schema["required"].push_back("data");
  Json& fields = schema["properties"];
  fields["event"] = {{"type", "string"}, {"const", name}};
  fields["data"] = {{"type", "string"}, {"contentMediaType", "application/json"}};
  fields["data"]["contentSchema"] = std::move(data);
  fields["id"]["type"] = "string";
  fields["retry"] = {{"type", "integer"}, {"minimum", 0}};
  return schema;
}

void convert_media_type(Json& media) {
  const std::string events(model::extensions::kEvents);
  const std::string lines(model::extensions::kLines);
  Json items;
  if (media.contains(events)) {
    Json alternatives = Json::array();
    for (auto& [name, data] : media[events].items()) {
      alternatives.push_back(event_schema(name, std::move(data)));
    }
    if (alternatives.size() == 1) {
      items = std::move(alternatives.front());
    } else {
      items["oneOf"] = std::move(alternatives);
    }
  } else if (media.contains(lines)) {
    items = std::move(media[lines]);
  } else {
    return;
  }
  media.erase(events);
  media.erase(lines);
  media.erase("schema");
  media["itemSchema"] = std::move(items);
}

}  // namespace

void convert_to_3_2(Json& document) {
  document["openapi"] = "3.2.0";
  for (auto& [path, item] : document["paths"].items()) {
    for (auto& [method, operation] : item.items()) {
      if (!operation.is_object() || !operation.contains("responses")) continue;
      for (auto& [selector, response] : operation["responses"].items()) {
        if (!response.contains("content")) continue;
        for (auto& [type, media] : response["content"].items()) convert_media_type(media);
      }
    }
  }
}

}  // namespace fairway::emit
