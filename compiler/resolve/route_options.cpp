#include <algorithm>
#include <string_view>

#include "model/option_reader.hpp"
#include "model/route_declaration.hpp"
#include "model/value_members.hpp"
#include "resolve/resolve.hpp"
#include "resolve/value_json.hpp"
#include "schema/fingerprint.hpp"

namespace fairway::resolve {
namespace {

using model::Value;

/// The C++ type of `fw::type<T>`; empty for other schemas.
std::string named_type(const Value& schema) {
  return is_type(schema) ? schema.items[0].text : std::string();
}

// The model of the options is made from their JSON, which has neither source locations nor C++
// types. These functions take both from the expressions of the options, for diagnostics and for
// emitting.

void annotate_validate(const Value& validate, model::Route& route) {
  for (model::LocationSchema& schema : route.validate) {
    const model::Member* member = find_member(validate, schema.location);
    if (member == nullptr) continue;  // a parameter of the handler
    schema.range = member->name_range;
    schema.type = named_type(member->value);
  }
}

/// The types of the items of a stream.
void annotate_items(const Value& stream, model::Stream& resolved) {
  for (model::StreamItem& item : resolved.items) {
    item.type = is_events(stream) ? named_type(named_entry(stream.items[0], item.name)->items[1])
                                  : named_type(stream.items[0]);
  }
}

void annotate_responses(const Value& responses, model::Route& route) {
  for (model::ResponseSchema& response : route.responses) {
    const Value& entry = *named_entry(responses, response.selector);
    response.range = entry.items[0].range;
    response.type = named_type(entry.items[1]);
    if (response.stream) annotate_items(entry.items[1], *response.stream);
  }
}

void annotate_messages(const Value& messages, std::vector<model::StreamItem>& items) {
  for (model::StreamItem& item : items) {
    item.type = named_type(named_entry(messages, item.name)->items[1]);
  }
}

void annotate_docs(const Value& docs, model::Route& route) {
  if (const Value* id = member_value(docs, "operation_id"); id && !route.operation_id_inferred) {
    route.operation_id_range = id->range;
  }
  const Value* responses = member_value(docs, "responses");
  if (!responses) return;
  for (model::DocumentedResponse& response : route.docs.responses) {
    const Value& entry = *named_entry(*responses, response.selector);
    const model::Member* schema = find_member(entry.items[1], "schema");
    response.range = schema ? schema->name_range : entry.items[0].range;
  }
}

/// The model has one reference for each item of the list, in the same order.
void annotate_middlewares(const Value& middlewares, model::Route& route) {
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
void add_page(const Value& frontend, model::Route& route) {
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

void annotate(const Value& options, model::Route& route) {
  if (const Value* frontend = member_value(options, "frontend")) add_page(*frontend, route);
  if (const Value* validate = member_value(options, "validate"))
    annotate_validate(*validate, route);
  if (const Value* responses = member_value(options, "responses")) {
    annotate_responses(*responses, route);
  }
  if (const Value* messages = member_value(options, "receive"); messages && route.socket) {
    annotate_messages(*messages, route.socket->receive);
  }
  if (const Value* messages = member_value(options, "send"); messages && route.socket) {
    annotate_messages(*messages, route.socket->send);
  }
  if (const Value* middlewares = member_value(options, "middlewares")) {
    annotate_middlewares(*middlewares, route);
  }
  if (const Value* docs = member_value(options, "docs")) annotate_docs(*docs, route);
}

}  // namespace

const Value* named_entry(const Value& entries, std::string_view name) {
  const auto found = std::ranges::find_if(entries.items, [&](const Value& entry) {
    return is_named_entry(entry) && entry_name(entry) == name;
  });
  return found == entries.items.end() ? nullptr : &*found;
}

void apply_options(const Value* options, const model::Signature& signature, model::Route& route) {
  if (options) route.options = option_json(*options);
  add_inputs(signature, route.options);
  // Errors are ignored, because rules report them with source ranges.
  model::read_options(route.options, route, [](const std::string&) {});
  if (options) annotate(*options, route);
  for (model::LocationSchema& schema : route.validate) {
    const auto input =
        std::ranges::find(signature.inputs, schema.location, &model::TypedInput::location);
    if (input == signature.inputs.end() || schema.range.line != 0) continue;
    schema.range = input->range;
    schema.type = input->type.name;
  }
  route.fingerprint = fw::schema::declaration_fingerprint(
      model::effective_declaration(route.method, route.subpath, route.options));
  route.option_digests = fw::schema::option_digests(
      model::route_declaration(route.method, route.subpath, route.options));
}

}  // namespace fairway::resolve
