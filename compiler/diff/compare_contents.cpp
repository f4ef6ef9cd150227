// Compares media types and their schemas.
#include <fmt/format.h>

#include <algorithm>

#include "base/media_type.hpp"
#include "diff/comparisons.hpp"
#include "model/openapi_document.hpp"

namespace fairway::diff {
namespace {

struct MediaType {
  std::string name;  ///< in lower case, without parameters
  Node node;
};

std::vector<MediaType> media_types(const Document& document, const Node& content) {
  std::vector<MediaType> types;
  if (!content) return types;
  for (const auto& [name, value] : content.value->items()) {
    types.push_back({fw::base::lower_case(fw::base::media_type(name)),
                     document.resolved(content.member(name))});
  }
  return types;
}

/// "application/*" and "*/*" apply to every type without its own entry.
bool covers(const std::string& range, const std::string& name) {
  if (range == "*/*") return true;
  return range.ends_with("/*") &&
         name.starts_with(std::string_view(range).substr(0, range.size() - 1));
}

const MediaType* find(const std::vector<MediaType>& types, const std::string& name) {
  const auto exact = std::ranges::find(types, name, &MediaType::name);
  if (exact != types.end()) return &*exact;
  const auto range =
      std::ranges::find_if(types, [&](const MediaType& type) { return covers(type.name, name); });
  return range == types.end() ? nullptr : &*range;
}

bool is_form(const std::string& name) {
  return name == "application/x-www-form-urlencoded" || name == "multipart/form-data";
}

Location of_type(const Location& location, const std::string& name) {
  if (name == "application/json") return location;
  return {fmt::format("{} ({})", location.part, name), location.path};
}

void compare_encodings(const MediaType& before, const MediaType& after, const Location& location,
                       Recorder& recorder) {
  for (const char* name : {"encoding", "prefixEncoding", "itemEncoding"}) {
    const Node old_encoding = before.node.member(name);
    const Node new_encoding = after.node.member(name);
    if (!old_encoding && !new_encoding) continue;
    if (old_encoding && new_encoding && same_value(*old_encoding.value, *new_encoding.value)) {
      continue;
    }
    const auto text = [](const Node& node) { return node ? value_text(*node.value) : "none"; };
    recorder.add("encoding-changed", location, old_encoding ? old_encoding : before.node,
                 new_encoding ? new_encoding : after.node,
                 fmt::format("{} {} became {}", name, text(old_encoding), text(new_encoding)));
  }
}

bool is_stream(const MediaType& type) {
  return type.node.member(model::extensions::kLines) ||
         type.node.member(model::extensions::kEvents);
}

/// The schemas of what a stream consists of.
void compare_streams(const Documents& documents, const MediaType& before, const MediaType& after,
                     Direction direction, const Location& location, Recorder& recorder) {
  SchemaComparison(documents, direction, false, recorder)
      .compare(conjunction_of(before.node.member(model::extensions::kLines)),
               conjunction_of(after.node.member(model::extensions::kLines)),
               {location.part + " lines", location.path});
  const Node old_events = documents.before.object(before.node, model::extensions::kEvents);
  const Node new_events = documents.after.object(after.node, model::extensions::kEvents);
  const auto at = [&](const std::string& name) {
    return Location{fmt::format("{} event '{}'", location.part, name), location.path};
  };
  if (old_events) {
    for (const auto& [name, value] : old_events.value->items()) {
      const Node event = old_events.member(name);
      const Node other = new_events.member(name);
      if (other) {
        SchemaComparison(documents, direction, false, recorder)
            .compare(conjunction_of(event), conjunction_of(other), at(name));
      } else {
        recorder.add("response-event-removed", at(name), event, {}, "the event was removed");
      }
    }
  }
  if (!new_events) return;
  for (const auto& [name, value] : new_events.value->items()) {
    if (old_events.member(name)) continue;
    recorder.add("response-event-added", at(name), {}, new_events.member(name),
                 "the event was added");
  }
}

}  // namespace

void compare_contents(const Documents& documents, const Node& before, const Node& after,
                      Direction direction, const Location& location, Recorder& recorder) {
  const auto old_types = media_types(documents.before, before);
  const auto new_types = media_types(documents.after, after);
  const bool is_request = direction == Direction::request;
  for (const MediaType& type : old_types) {
    const MediaType* other = find(new_types, type.name);
    if (!other) {
      recorder.add(is_request ? "request-media-type-removed" : "response-media-type-removed",
                   location, type.node, {}, fmt::format("media type '{}' was removed", type.name));
      continue;
    }
    const Location node = of_type(location, type.name);
    // The schema of a whole stream says nothing in documents of Fairway before 3.2, and documents
    // of 3.2 have none.
    const bool is_on_one_side =
        bool(type.node.member("schema")) != bool(other->node.member("schema"));
    if (!is_stream(type) || !is_stream(*other) || !is_on_one_side) {
      SchemaComparison(documents, direction, is_form(type.name), recorder)
          .compare(conjunction_of(type.node.member("schema")),
                   conjunction_of(other->node.member("schema")), node);
    }
    compare_streams(documents, type, *other, direction, node, recorder);
    compare_encodings(type, *other, node, recorder);
    compare_descriptions(type.node, other->node, node, recorder);
  }
  for (const MediaType& type : new_types) {
    const bool is_known = std::ranges::any_of(
        old_types, [&](const MediaType& old_type) { return covers(type.name, old_type.name); });
    if (find(old_types, type.name) || (is_known && is_request)) continue;
    recorder.add(is_request ? "request-media-type-added" : "response-media-type-added", location,
                 {}, type.node, fmt::format("media type '{}' was added", type.name));
  }
}

}  // namespace fairway::diff
