// Checks the options of a route, member by member.
#include "model/value_members.hpp"
#include "resolve/resolve.hpp"
#include "rules/application_rules.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

using model::Value;

void check_validate(const Value& validate, const std::vector<std::string>& parameters,
                    Reporter& reporter) {
  for (const model::Member& location : validate.members) {
    if (location.name == "param") check_path_parameters(location.value, parameters, reporter);
    declared_fields(location.value, reporter, location.name);
  }
}

void check_responses(const Value& responses, const model::Route& route, Reporter& reporter) {
  check_response_selectors(responses, reporter);
  for (const model::ResponseSchema& response : route.responses) {
    if (response.is_inferred || response.stream) continue;
    check_response_schema(resolve::named_entry(responses, response.selector)->items[1], reporter);
  }
}

void check_auth(const Value& auth, const model::Route& route, Reporter& reporter) {
  const Value* security = member_value(auth, "security");
  if (security) check_security_schemes(*route.auth.security, security->range, reporter);
}

void check_docs(const Value& docs, const model::Route& route, Reporter& reporter) {
  if (const Value* responses = member_value(docs, "responses")) {
    check_response_selectors(*responses, reporter);
    for (const model::DocumentedResponse& response : route.docs.responses) {
      const Value& entry = *resolve::named_entry(*responses, response.selector);
      const Value* schema = member_value(entry.items[1], "schema");
      if (schema) check_response_schema(*schema, reporter);
    }
  }
  check_documents(docs, route.docs, reporter);
}

}  // namespace

void check_response_schema(const Value& value, Reporter& reporter) {
  if (is_stream(value)) {
    reporter.report(rules::bad_stream, "a stream must be the response to a selector of 'responses'",
                    value.range, R"(write '.responses = {{"200", fw::events({…})}}')");
  } else if (is_json_schema(value)) {
    check_json_schema(value.items[0], reporter);
  } else {
    declared_field(value, reporter);
  }
}

void check_options(const Value& options, const std::vector<std::string>& parameters,
                   const model::Route& route, Reporter& reporter) {
  check_option_constraints(options, route, parameters, reporter);
  if (const Value* frontend = member_value(options, "frontend")) {
    if (const Value* data = member_value(*frontend, "data")) check_response_schema(*data, reporter);
  }
  if (const Value* validate = member_value(options, "validate")) {
    check_validate(*validate, parameters, reporter);
  }
  if (const Value* responses = member_value(options, "responses")) {
    check_responses(*responses, route, reporter);
  }
  check_streams(options, route, reporter);
  if (const Value* auth = member_value(options, "auth")) check_auth(*auth, route, reporter);
  if (const Value* docs = member_value(options, "docs")) check_docs(*docs, route, reporter);
  check_duplicate_response_schemas(options, route, reporter);
}

}  // namespace fairway::rules
