// [bad-stream]
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "model/cpp_names.hpp"
#include "model/value_members.hpp"
#include "options/response_selectors.hpp"
#include "resolve/resolve.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

using model::Value;

constexpr std::string_view kExample =
    R"(write the events with their schemas: fw::events({{"created", {{"id", "integer"}}}}))";

/// "events" or "lines".
std::string_view noun_of(const model::Stream& stream) {
  return stream.format == model::Stream::Format::events ? "events" : "lines";
}

void check_events(const Value& events, Reporter& reporter) {
  std::map<std::string, const Value*> names;
  std::map<std::string, const Value*> types;
  for (const Value& event : events.items) {
    if (!is_named_entry(event) || event.items[0].kind != Value::Kind::string) continue;
    const Value& name = event.items[0];
    check_sent_name(name, rules::bad_stream, "an event",
                    "write the name that clients listen to, for example \"created\"", reporter);
    check_response_schema(event.items[1], reporter);
    const auto [first, is_new] = names.emplace(name.text, &name);
    if (!is_new) {
      reporter
          .report(rules::bad_stream, fmt::format("the event '{}' is declared twice", name.text),
                  name.range, "remove one of them")
          .notes.push_back({"first declared here", first->second->range});
      continue;
    }
    const std::string type = model::type_name(name.text);
    const auto [same, is_new_type] = types.emplace(type, &name);
    if (is_new_type) continue;
    reporter
        .report(rules::same_cpp_name,
                fmt::format("the events '{}' and '{}' have the same name in C++, '{}'",
                            same->second->text, name.text, type),
                name.range, "rename one of them")
        .notes.push_back({"the first one is declared here", same->second->range});
  }
}

void check_stream(const Value& stream, Reporter& reporter) {
  if (is_lines(stream)) {
    check_response_schema(stream.items[0], reporter);
  } else if (stream.items[0].items.empty()) {
    reporter.report(rules::bad_stream, "'fw::events' declares no event", stream.range,
                    std::string(kExample));
  } else {
    check_events(stream.items[0], reporter);
  }
}

/// What `docs.responses` cannot say about a response that is a stream.
void check_documentation(const Value& options, const model::ResponseSchema& response,
                         Reporter& reporter) {
  const Value* docs = member_value(options, "docs");
  const Value* responses = docs ? member_value(*docs, "responses") : nullptr;
  const Value* entry = responses ? resolve::named_entry(*responses, response.selector) : nullptr;
  if (!entry) return;
  for (const std::string_view name : {"content_type", "example", "examples"}) {
    const model::Member* member = find_member(entry->items[1], name);
    if (!member) continue;
    reporter
        .report(rules::bad_stream,
                fmt::format("'docs.responses' declares '{}' for '{}', which is a stream", name,
                            response.selector),
                member->name_range, "remove it")
        .notes.push_back({"the stream is declared here", response.range});
  }
}

/// Whether an option is written and not switched off.
const model::Member* find_active(const Value& options, std::string_view name) {
  const model::Member* member = find_member(options, name);
  if (!member) return nullptr;
  const Value& value = member->value;
  const bool is_off = (value.kind == Value::Kind::boolean && !value.boolean) ||
                      (value.kind == Value::Kind::integer && value.integer == 0);
  return is_off ? nullptr : member;
}

void check_options_of_streams(const Value& options, const model::Route& route, Reporter& reporter) {
  const model::ResponseSchema* response = route.streamed();
  const model::Member* events = find_member(options, "events");
  if (!response) {
    if (!events || route.socket) return;  // another error of a socket
    reporter.report(rules::conflicting_options, "'events' needs a stream", events->name_range,
                    R"(declare it: '.responses = {{"200", fw::events({…})}}', or remove 'events')");
    return;
  }
  const std::string_view noun = noun_of(*response->stream);
  for (const std::string_view name : {"cache", "frontend"}) {
    const model::Member* member = find_active(options, name);
    if (!member) continue;
    reporter
        .report(rules::conflicting_options, fmt::format("a stream of {} excludes '{}'", noun, name),
                member->name_range, "remove it: each client has a stream of its own")
        .notes.push_back({"the stream is declared here", response->range});
  }
  const Value* overflow = events ? member_value(events->value, "overflow") : nullptr;
  const bool is_lines = response->stream->format == model::Stream::Format::lines;
  if (is_lines && is_kind(overflow, Value::Kind::string) && overflow->text == "coalesce") {
    reporter.report(rules::conflicting_options,
                    "a stream of lines excludes 'events.overflow' 'coalesce'", overflow->range,
                    "write \"close\" or \"drop_oldest\": lines have no names");
  }
}

}  // namespace

void check_sent_name(const Value& name, const Rule& rule, std::string_view noun, std::string help,
                     Reporter& reporter) {
  if (name.text.empty()) {
    reporter.report(rule, fmt::format("{} has no name", noun), name.range, std::move(help));
    return;
  }
  const auto at = std::ranges::find_if(
      name.text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (at == name.text.end()) return;
  reporter.report(rule, fmt::format("the name of {} cannot contain control characters", noun),
                  part_of(name, static_cast<std::size_t>(at - name.text.begin()), 1));
}

bool is_stream(const Value& schema) { return is_events(schema) || is_lines(schema); }

void check_streams(const Value& options, const model::Route& route, Reporter& reporter) {
  check_options_of_streams(options, route, reporter);
  const Value* responses = member_value(options, "responses");
  if (!responses) return;
  for (const model::ResponseSchema& response : route.responses) {
    if (!response.stream || response.is_inferred) continue;
    const Value& entry = *resolve::named_entry(*responses, response.selector);
    check_stream(entry.items[1], reporter);
    const std::string_view noun = noun_of(*response.stream);
    if (response.selector != "200") {
      reporter.report(
          rules::bad_stream,
          fmt::format("a stream of {} must have the status 200, not '{}'", noun, response.selector),
          response.range, "declare it for \"200\"");
      continue;
    }
    if (route.method == "HEAD") {
      reporter.report(rules::bad_stream, fmt::format("a HEAD route sends no {}", noun),
                      response.range, "register the route with 'get', which handles HEAD, too");
    }
    check_documentation(options, response, reporter);
    // A client of the route is made for its stream.
    for (const model::ResponseSchema& other : route.responses) {
      const bool is_success = other.selector.starts_with('2') && !other.stream;
      if (!is_success || !fw::options::may_have_content(other.selector)) continue;
      reporter
          .report(rules::bad_stream,
                  fmt::format("'responses' declares a stream for '200' and data for '{}'",
                              other.selector),
                  other.range, "register another route for the data")
          .notes.push_back({"the stream is declared here", response.range});
    }
  }
}

}  // namespace fairway::rules
