#include <algorithm>
#include <string_view>

#include "check/application_rules.hpp"
#include "check/members.hpp"
#include "check/resolve.hpp"
#include "check/route_rules.hpp"
#include "check/value_json.hpp"
#include "model/option_members.hpp"
#include "schema/fingerprint.hpp"

namespace fairway::check {
namespace {

using model::Value;

/// The entry with that name in a named list, or null.
const Value* named_entry(const Value& entries, std::string_view name) {
  const auto found = std::ranges::find_if(entries.items, [&](const Value& entry) {
    return is_named_entry(entry) && entry_name(entry) == name;
  });
  return found == entries.items.end() ? nullptr : &*found;
}

void check_response_schema(const Value& value, Reporter& reporter) {
  if (is_json_schema(value)) {
    check_json_schema(value.items[0], reporter);
  } else {
    declared_field(value, reporter);
  }
}

void check_validate(const Value& validate, const std::vector<std::string>& parameters,
                    model::Route& route, Reporter& reporter) {
  for (const model::Member& location : validate.members) {
    if (location.name == "param") check_path_parameters(location.value, parameters, reporter);
    declared_fields(location.value, reporter, location.name);
  }
  for (model::LocationSchema& schema : route.validate) {
    schema.range = find_member(validate, schema.location)->name_range;
  }
}

void check_responses(const Value& responses, model::Route& route, Reporter& reporter) {
  check_response_selectors(responses, reporter);
  for (model::ResponseSchema& response : route.responses) {
    const Value& entry = *named_entry(responses, response.selector);
    check_response_schema(entry.items[1], reporter);
    response.range = entry.items[0].range;
  }
}

void check_auth(const Value& auth, const model::Route& route, Reporter& reporter) {
  const Value* security = member_value(auth, "security");
  if (security) check_security_schemes(*route.auth.security, security->range, reporter);
}

void check_docs(const Value& docs, model::Route& route, Reporter& reporter) {
  if (const Value* id = member_value(docs, "operation_id"); id && !route.operation_id_inferred) {
    route.operation_id_range = id->range;
  }
  if (const Value* responses = member_value(docs, "responses")) {
    check_response_selectors(*responses, reporter);
    for (model::DocumentedResponse& response : route.docs.responses) {
      const Value& entry = *named_entry(*responses, response.selector);
      const model::Member* schema = find_member(entry.items[1], "schema");
      if (schema) check_response_schema(schema->value, reporter);
      response.range = schema ? schema->name_range : entry.items[0].range;
    }
  }
  check_documents(docs, route.docs, reporter);
}

/// The model has one reference for each item of the list, in the same order.
void locate_middlewares(const Value& middlewares, model::Route& route) {
  auto reference = route.middlewares.begin();
  for (const Value& item : middlewares.items) {
    const bool is_named = is_named_entry(item);
    if (!is_named && item.kind != Value::Kind::string) continue;
    const Value& name = is_named ? item.items[0] : item;
    reference->range = name.range;
    reference->name_range = spelled_at(name, 0, name.text.size());
    ++reference;
  }
}

/// `frontend.page`, before the pages that the handler renders, and what declares their data.
void check_page(const Value& frontend, model::Route& route, Reporter& reporter) {
  if (const Value* data = member_value(frontend, "data")) check_response_schema(*data, reporter);
  for (const std::string_view name : {"data", "static_params"}) {
    const model::Member* member = find_member(frontend, name);
    if (member) route.page_data_range = member->name_range;
  }
  const Value* page = member_value(frontend, "page");
  if (!is_kind(page, Value::Kind::string) || page->text.empty()) return;
  route.pages.insert(route.pages.begin(),
                     {.name = page->text,
                      .range = page->range,
                      .name_range = spelled_at(*page, 0, page->text.size()),
                      .needs_script = flag_member(frontend, "client_only").value_or(false)});
}

}  // namespace

void apply_options(const Value* options, const std::vector<std::string>& parameters,
                   model::Route& route, Reporter& reporter) {
  if (options) {
    route.options = option_json(*options);
    // Errors are ignored, because other checks report them with source ranges.
    model::read_options(route.options, route, [](const std::string&) {});
    check_option_constraints(*options, reporter);
    check_page_options(*options, route, parameters, reporter);
    if (const Value* frontend = member_value(*options, "frontend"))
      check_page(*frontend, route, reporter);
    if (const Value* validate = member_value(*options, "validate")) {
      check_validate(*validate, parameters, route, reporter);
    }
    if (const Value* responses = member_value(*options, "responses")) {
      check_responses(*responses, route, reporter);
    }
    if (const Value* middlewares = member_value(*options, "middlewares")) {
      locate_middlewares(*middlewares, route);
    }
    if (const Value* auth = member_value(*options, "auth")) check_auth(*auth, route, reporter);
    if (const Value* docs = member_value(*options, "docs")) check_docs(*docs, route, reporter);
    check_duplicate_response_schemas(route, reporter);
  }
  route.fingerprint = fw::schema::contract_fingerprint(
      model::route_contract(route.method, route.subpath, route.options));
  route.option_digests = fw::schema::option_digests(
      model::route_declaration(route.method, route.subpath, route.options));
}

}  // namespace fairway::check
