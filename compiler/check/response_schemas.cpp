#include "check/response_schemas.hpp"

#include <utility>

#include "check/bad_json_schema.hpp"
#include "check/bad_response_selector.hpp"
#include "check/bad_schema.hpp"
#include "check/members.hpp"

namespace fairway::check {

using model::Value;

DeclaredResponseSchema declared_response_schema(const Value& value, Reporter& reporter) {
  const bool is_json_schema = value.kind == Value::Kind::call && value.text == "json_schema" &&
                              !value.items.empty() && value.items[0].kind == Value::Kind::string;
  if (is_json_schema) {
    return {json_schema_of(value.items[0], reporter), {{"$jsonSchema", value.items[0].text}}};
  }
  DeclaredSchema declared = declared_field(value, reporter);
  return {std::move(declared.node), std::move(declared.contract)};
}

DeclaredResponses declared_responses(const Value& responses, Reporter& reporter) {
  check_response_selectors(responses, reporter);
  DeclaredResponses result;
  for (const Value& entry : responses.items) {
    if (!is_named_entry(entry)) continue;
    const std::string selector = entry_name(entry);
    if (!is_response_selector(selector) || result.contract.contains(selector)) continue;
    DeclaredResponseSchema declared = declared_response_schema(entry.items[1], reporter);
    result.schemas.push_back({selector, std::move(declared.schema), entry.items[0].range});
    result.contract[selector] = std::move(declared.contract);
  }
  return result;
}

}  // namespace fairway::check
