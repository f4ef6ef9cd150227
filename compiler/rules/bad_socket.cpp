// [bad-socket]
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/cpp_names.hpp"
#include "model/value_members.hpp"
#include "resolve/resolve.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

using fw::schema::Node;
using model::Value;

constexpr const char* kMessageExample =
    R"(write the messages with their schemas: {{"say", {{"text", "string:1-500"}}}})";

/// The message that reports what was invalid in one of the client.
constexpr std::string_view kErrorMessage = "error";

/// A declared message.
struct Declared {
  const Value* name = nullptr;
  Node schema;
  bool is_type = false;  ///< declared by a C++ type
};

class Messages {
 public:
  explicit Messages(Reporter& reporter) : reporter_(reporter) {}

  void check(const Value& messages, std::string_view direction) {
    if (is_raw(messages)) return;
    std::map<std::string, const Value*> names;
    for (const Value& message : messages.items) {
      if (!is_named_entry(message) || message.items[0].kind != Value::Kind::string) continue;
      const Value& name = message.items[0];
      check_sent_name(name, rules::bad_socket, "a message", kMessageExample, reporter_);
      const Node schema = declared_fields(message.items[1], reporter_);
      check_members_of(message.items[1], schema);
      if (name.text == kErrorMessage) {
        reporter_.report(
            rules::bad_socket,
            "the message 'error' is sent by the framework: it tells a client what was not "
            "valid in its message",
            name.range, "give the message another name");
      }
      const auto [first, is_new] = names.emplace(name.text, &name);
      if (!is_new) {
        reporter_
            .report(rules::bad_socket,
                    fmt::format("the message '{}' is declared twice in '{}'", name.text, direction),
                    name.range, "remove one of them")
            .notes.push_back({"first declared here", first->second->range});
        continue;
      }
      check_cpp_name({&name, schema, is_type(message.items[1])});
    }
  }

 private:
  /// `type` of a message is its name.
  void check_members_of(const Value& members, const Node& schema) {
    if (schema.kind != fw::schema::Kind::object) {
      reporter_.report(rules::bad_socket, "a message must be an object", members.range,
                       "name a struct, or write the members of the message");
      return;
    }
    const bool has_type =
        std::ranges::any_of(schema.fields, [](const auto& field) { return field.name == "type"; });
    if (!has_type) return;
    const Value* entry = is_type(members) ? nullptr : resolve::named_entry(members, "type");
    reporter_.report(rules::bad_socket,
                     "a message cannot have the member 'type', which is its name",
                     entry ? entry->items[0].range : members.range, "give the member another name");
  }

  /// The structs of both directions are in one scope.
  void check_cpp_name(const Declared& message) {
    if (message.is_type) return;
    const std::string type = model::type_name(message.name->text);
    const auto [first, is_new] = types_.emplace(type, message);
    if (is_new) return;
    const Declared& other = first->second;
    if (other.name->text != message.name->text) {
      reporter_
          .report(rules::same_cpp_name,
                  fmt::format("the messages '{}' and '{}' have the same name in C++, '{}'",
                              other.name->text, message.name->text, type),
                  message.name->range, "rename one of them")
          .notes.push_back({"the first one is declared here", other.name->range});
    } else if (fw::schema::to_json_schema(other.schema) !=
               fw::schema::to_json_schema(message.schema)) {
      reporter_
          .report(rules::bad_socket,
                  fmt::format("the message '{}' has different members in 'receive' and 'send'",
                              message.name->text),
                  message.name->range, "declare the same members, or rename one of them")
          .notes.push_back({"the other one is declared here", other.name->range});
    }
  }

  Reporter& reporter_;
  std::map<std::string, Declared> types_;
};

}  // namespace

void check_socket(const model::Registration& registration, const model::Route& route,
                  Reporter& reporter) {
  if (!route.socket) return;
  const Value& options = *registration.options;
  const Value* receive = member_value(options, "receive");
  const Value* send = member_value(options, "send");
  const auto is_empty = [](const Value* messages) {
    return !messages || (!is_raw(*messages) && messages->items.empty());
  };
  if (is_empty(receive) && is_empty(send)) {
    reporter.report(rules::bad_socket, "the socket declares no message in 'receive' and 'send'",
                    registration.method_range,
                    R"(write '.receive = {{"say", {{"text", "string"}}}}', or 'fw::raw')");
    return;
  }
  Messages messages(reporter);
  if (receive) messages.check(*receive, "receive");
  if (send) messages.check(*send, "send");
}

}  // namespace fairway::rules
