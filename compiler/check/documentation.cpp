#include "check/documentation.hpp"

#include <algorithm>
#include <utility>

#include "check/bad_response_selector.hpp"
#include "check/json_value.hpp"
#include "check/members.hpp"
#include "check/openapi_invalid.hpp"
#include "check/option_json.hpp"
#include "check/response_schemas.hpp"

namespace fairway::check {
namespace {

using model::Json;
using model::Value;

Json json_member(const Value& record, std::string_view name) {
  const Value* value = member_value(record, name);
  return value ? json_value(*value) : Json();
}

model::DocumentedResponse documented_response(const Value& entry, Reporter& reporter) {
  const Value& config = entry.items[1];
  model::DocumentedResponse response;
  response.selector = entry_name(entry);
  response.range = entry.items[0].range;
  response.description = text_member(config, "description");
  response.content_type = text_member(config, "content_type");
  response.example = json_member(config, "example");
  if (const model::Member* schema = find_member(config, "schema")) {
    response.schema = declared_response_schema(schema->value, reporter).schema;
    response.range = schema->name_range;
  }
  const Json all = option_json(config);
  if (all.contains("examples")) response.examples = all["examples"];
  if (all.contains("headers")) response.headers = all["headers"];
  return response;
}

}  // namespace

model::Documentation declared_documentation(const Value& docs, Reporter& reporter) {
  model::Documentation result;
  result.summary = text_member(docs, "summary");
  result.description = text_member(docs, "description");
  if (const Value* tags = member_value(docs, "tags")) {
    for (std::string& tag : texts_of(*tags)) {
      if (std::ranges::find(result.tags, tag) == result.tags.end()) {
        result.tags.push_back(std::move(tag));
      }
    }
  }
  result.tags_inferred = result.tags.empty();
  result.hidden = flag_member(docs, "hidden").value_or(false);
  result.deprecated = flag_member(docs, "deprecated").value_or(false);
  if (const Value* security = member_value(docs, "security")) {
    result.security = security_json(*security);
  }
  if (Json extensions = json_member(docs, "extensions"); extensions.is_object()) {
    result.extensions = std::move(extensions);
  }
  result.access = json_member(docs, "access");
  result.request_body = json_member(docs, "request_body");
  if (const Value* responses = member_value(docs, "responses")) {
    check_response_selectors(*responses, reporter);
    for (const Value& entry : responses->items) {
      if (is_named_entry(entry)) result.responses.push_back(documented_response(entry, reporter));
    }
  }
  check_documents(docs, result, reporter);
  return result;
}

}  // namespace fairway::check
