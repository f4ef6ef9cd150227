#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/methods.hpp"
#include "model/option_reader.hpp"

namespace fairway::model {
namespace {

// Functions that store the value of a member in the model.

void read_location(OptionReader& reader, std::string_view name, const Json& fields) {
  if (fields.empty()) return;
  reader.route.validate.push_back(reader.location(name, fields));
}

void read_responses(OptionReader& reader, std::string_view, const Json& responses) {
  for (const auto& [selector, schema] : responses.items()) {
    auto stream = reader.stream(schema);
    reader.route.responses.push_back({.selector = selector,
                                      .schema = stream ? Schema() : reader.response_schema(schema),
                                      .range = {},
                                      .stream = std::move(stream)});
  }
}

void read_middlewares(OptionReader& reader, std::string_view, const Json& references) {
  for (const Json& reference : references) {
    const bool has_options = reference.is_object() && reference.contains("options");
    reader.route.middlewares.push_back({.name = reference.is_object()
                                                    ? reader.string_member(reference, "name")
                                                    : reader.string("middlewares", reference),
                                        .options = has_options ? reference["options"] : Json(),
                                        .range = {}});
  }
}

void read_auth(OptionReader& reader, std::string_view, const Json& auth) {
  Auth& declared = reader.route.auth;
  declared.needs.required = auth != false;
  declared.kind = auth.is_object()          ? AuthKind::requirement
                  : declared.needs.required ? AuthKind::required
                                            : AuthKind::disabled;
}

void read_auth_required(OptionReader& reader, std::string_view, const Json& required) {
  reader.route.auth.needs.required = required != false;
}

void read_auth_group(OptionReader& reader, std::string_view, const Json& items) {
  if (!items.empty()) reader.route.auth.needs.has_groups = true;
}

void read_auth_check(OptionReader& reader, std::string_view, const Json& check) {
  if (!check.empty()) reader.route.auth.needs.has_check = true;
}

void read_client_certificate(OptionReader& reader, std::string_view, const Json& needed) {
  reader.route.auth.needs.client_certificate = needed == true;
}

void read_auth_security(OptionReader& reader, std::string_view, const Json& security) {
  if (security.is_array()) reader.route.auth.security = security;
}

void read_override_timeout(OptionReader& reader, std::string_view, const Json& timeout) {
  reader.route.has_timeout = timeout.is_number();
}

// Read last, because it takes precedence over `override_.timeout`, even if it is `false`.
void read_timeout(OptionReader& reader, std::string_view, const Json& timeout) {
  reader.route.has_timeout = timeout.is_number();
}

void read_files(OptionReader& reader, std::string_view, const Json& files) {
  for (const auto& [name, rules] : files.items()) {
    reader.route.files.push_back({.name = name,
                                  .description = rules.is_object()
                                                     ? reader.string_member(rules, "description")
                                                     : reader.string("files", rules),
                                  .required = reader.flag_member(rules, "required")});
  }
}

template <std::string Documentation::* text>
void docs_string(OptionReader& reader, std::string_view name, const Json& value) {
  reader.route.docs.*text = reader.string(name, value);
}

template <bool Documentation::* flag>
void docs_flag(OptionReader& reader, std::string_view, const Json& value) {
  reader.route.docs.*flag = value == true;
}

template <Json Documentation::* json>
void docs_json(OptionReader& reader, std::string_view, const Json& value) {
  reader.route.docs.*json = value;
}

void read_tags(OptionReader& reader, std::string_view name, const Json& tags) {
  Documentation& docs = reader.route.docs;
  for (const Json& each : tags) {
    std::string tag = reader.string(name, each);
    if (std::ranges::find(docs.tags, tag) == docs.tags.end()) docs.tags.push_back(std::move(tag));
  }
  docs.tags_inferred = docs.tags.empty();
}

void read_operation_id(OptionReader& reader, std::string_view name, const Json& id) {
  std::string written = reader.string(name, id);
  if (written.empty()) return;
  reader.route.operation_id = std::move(written);
  reader.route.operation_id_inferred = false;
}

void read_docs_security(OptionReader& reader, std::string_view, const Json& security) {
  if (security.is_array()) reader.route.docs.security = security;
}

void read_extensions(OptionReader& reader, std::string_view, const Json& extensions) {
  if (extensions.is_object()) reader.route.docs.extensions = extensions;
}

void read_docs_responses(OptionReader& reader, std::string_view, const Json& responses) {
  for (const auto& [selector, written] : responses.items()) {
    DocumentedResponse response;
    response.selector = selector;
    response.description = reader.string_member(written, "description");
    response.content_type = reader.string_member(written, "contentType");
    response.example = member_of(written, "example");
    for (auto [name, into] :
         {std::pair{"examples", &response.examples}, {"headers", &response.headers}}) {
      if (const Json& all = member_of(written, name); all.is_object()) *into = all;
    }
    if (const Json& schema = member_of(written, "schema"); !schema.is_null()) {
      response.schema = reader.response_schema(schema);
    }
    reader.route.docs.responses.push_back(std::move(response));
  }
}

void read_page_data(OptionReader& reader, std::string_view, const Json& schema) {
  if (!schema.empty()) reader.route.page_data = reader.response_schema(schema);
}

template <std::vector<StreamItem> Socket::* items, bool Socket::* is_raw>
void read_messages(OptionReader& reader, std::string_view name, const Json& messages) {
  if (!reader.route.socket) return;
  if (messages.is_string()) {
    (*reader.route.socket).*is_raw = true;
    return;
  }
  for (const auto& [message, members] : messages.items()) {
    ((*reader.route.socket).*items)
        .push_back({.name = message, .schema = reader.message(name, members)});
  }
}

void read_protocols(OptionReader& reader, std::string_view name, const Json& protocols) {
  if (!reader.route.socket) return;
  for (const Json& each : protocols) {
    reader.route.socket->protocols.push_back(reader.string(name, each));
  }
}

void read_p99(OptionReader& reader, std::string_view, const Json& milliseconds) {
  if (milliseconds.is_number()) reader.route.objective.p99 = milliseconds.get<std::int64_t>();
}

void read_availability(OptionReader& reader, std::string_view, const Json& percent) {
  if (percent.is_number()) reader.route.objective.availability = percent.get<double>();
}

struct ReaderRow {
  std::string_view record;
  std::string_view name;
  OptionReader::Read read;
};

// The members that the model has. The others reach the outputs as the route's options.
constexpr ReaderRow kReaders[] = {
    {"RouteOptions", "auth", read_auth},
    {"RouteOptions", "middlewares", read_middlewares},
    {"RouteOptions", "responses", read_responses},
    {"RouteOptions", "timeout", read_timeout},
    {"RouteOptions", "receive", read_messages<&Socket::receive, &Socket::receives_raw>},
    {"RouteOptions", "send", read_messages<&Socket::send, &Socket::sends_raw>},
    {"SocketOptions", "protocols", read_protocols},
    {"Validate", "param", read_location},
    {"Validate", "query", read_location},
    {"Validate", "header", read_location},
    {"Validate", "cookie", read_location},
    {"Validate", "body", read_location},
    {"AuthRequirement", "required", read_auth_required},
    {"AuthRequirement", "roles", read_auth_group},
    {"AuthRequirement", "scopes", read_auth_group},
    {"AuthRequirement", "permissions", read_auth_group},
    {"AuthRequirement", "check", read_auth_check},
    {"AuthRequirement", "client_certificate", read_client_certificate},
    {"AuthRequirement", "security", read_auth_security},
    {"Docs", "summary", docs_string<&Documentation::summary>},
    {"Docs", "description", docs_string<&Documentation::description>},
    {"Docs", "tags", read_tags},
    {"Docs", "operation_id", read_operation_id},
    {"Docs", "hidden", docs_flag<&Documentation::hidden>},
    {"Docs", "deprecated", docs_flag<&Documentation::deprecated>},
    {"Docs", "security", read_docs_security},
    {"Docs", "extensions", read_extensions},
    {"Docs", "responses", read_docs_responses},
    {"Docs", "access", docs_json<&Documentation::access>},
    {"Docs", "request_body", docs_json<&Documentation::request_body>},
    {"Multipart", "files", read_files},
    {"Override", "timeout", read_override_timeout},
    {"Frontend", "data", read_page_data},
    {"Objective", "p99", read_p99},
    {"Objective", "availability", read_availability},
};

}  // namespace

OptionReader::Read OptionReader::reader_of(std::string_view record, std::string_view name) {
  const auto* const found = std::ranges::find_if(
      kReaders, [&](const ReaderRow& row) { return row.record == record && row.name == name; });
  return found == std::end(kReaders) ? nullptr : found->read;
}

void read_options(const Json& options, Route& route, const ErrorHandler& complain) {
  if (route.method == fw::base::kSocketMethod && !route.socket) route.socket.emplace();
  OptionReader(route, complain).read("RouteOptions", options);
}

}  // namespace fairway::model
