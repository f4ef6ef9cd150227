#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "emit/source_parts.hpp"
#include "emit/struct_types.hpp"

namespace fairway::emit {
namespace {

using fw::schema::Node;

/// Whether a schema becomes a struct.
bool has_members(const Node* node) {
  return node != nullptr && node->kind == fw::schema::Kind::object && !node->fields.empty();
}

/// The function that writes a value of a type by its JSON tree.
std::string tree_encoder(const std::string& type) {
  return fill(R"(
void fw_encode(fw::detail::JsonWriter& out, const $type$& value) { out.tree(fw::Json(value)); }
)",
              {{"type", type}});
}

/// The struct of an item of a stream. Data that is no object is its only member. `first_lines` are
/// at its start.
StreamText item_text(const fw::schema::Node* node, const std::string& name, std::string first_lines,
                     const std::string& route, SharedEnumerations& enumerations) {
  const bool is_object = has_members(node);
  if (is_object && is_encodable(*node)) {
    return {.type = struct_text(
                *node, name, first_lines,
                {.enclosing = route, .is_encoded = true, .enumerations = &enumerations}),
            .is_always_valid = true};
  }
  const std::string whole_name = route + "::" + name;
  first_lines +=
      fmt::format("friend void fw_encode(fw::detail::JsonWriter& out, const {}& value);\n", name);
  TypeText type;
  if (is_object) {
    type =
        struct_text(*node, name, first_lines, {.enclosing = route, .enumerations = &enumerations});
  } else {
    model::NameScope members({name, "data", "kEventName", "fw_json", "fw_value"});
    type = node == nullptr ? TypeText{"", "fw::Json"}
                           : type_text(*node, "Data", members, {.enclosing = whole_name});
    type.declarations = fill(
        R"(
struct $name$ {
  $members$

  friend void to_json(fw::Json& fw_json, const $name$& fw_value);
  friend void from_json(const fw::Json& fw_json, $name$& fw_value);
};
)",
        {{"name", name},
         {"members", joined({first_lines, type.declarations, type.expression + " data = {};\n"})}});
    type.expression = name;
    append_block(type.definitions, fill(R"(
void to_json(fw::Json& fw_json, const $name$& fw_value) {
  fw_json = fw_value.data;
}
void from_json(const fw::Json& fw_json, $name$& fw_value) {
  fw_json.get_to(fw_value.data);
}
)",
                                        {{"name", whole_name}}));
  }
  append_block(type.definitions, tree_encoder(whole_name));
  return {.type = std::move(type)};
}

/// The struct of a message without members.
TypeText empty_message(const std::string& name, const std::string& first_lines,
                       const std::string& route) {
  return {.declarations = fill(R"(
struct $name$ {
  $first$
  friend void fw_encode(fw::detail::JsonWriter& out, const $name$& value);

  friend void to_json(fw::Json& fw_json, const $name$& fw_value);
  friend void from_json(const fw::Json& fw_json, $name$& fw_value);
};
)",
                               {{"name", name}, {"first", first_lines}}),
          .expression = name,
          .definitions = fill(R"(
void to_json(fw::Json& fw_json, const $name$&) { fw_json = fw::Json::object(); }
void from_json(const fw::Json&, $name$&) {}
)",
                              {{"name", route + "::" + name}}) +
                         tree_encoder(route + "::" + name)};
}

}  // namespace

std::vector<StreamText> stream_texts(const model::Stream& stream, const std::string& route,
                                     SharedEnumerations& enumerations, model::NameScope& scope) {
  std::vector<StreamText> texts;
  if (stream.format == model::Stream::Format::lines) {
    const model::StreamItem& line = stream.items.front();
    if (!line.type.empty()) return texts;
    texts.push_back(
        item_text(std::get_if<Node>(&line.schema), scope.add("Line"), "", route, enumerations));
    return texts;
  }
  const std::string any = scope.add("Event");
  std::string alternatives;
  for (const model::StreamItem& event : stream.items) {
    if (!event.type.empty()) continue;
    texts.push_back(item_text(std::get_if<Node>(&event.schema),
                              scope.add(model::type_name(event.name)),
                              fmt::format("static constexpr std::string_view kEventName = {};\n",
                                          string_literal(event.name)),
                              route, enumerations));
    texts.back().event = event.name;
    alternatives += (alternatives.empty() ? "" : ", ") + texts.back().type.expression;
  }
  if (texts.size() < stream.items.size()) return texts;
  texts.push_back({.type = {alias(any, "std::variant<" + alternatives + ">"), any}});
  return texts;
}

std::vector<MessageText> message_texts(const model::Socket& socket, const std::string& route,
                                       SharedEnumerations& enumerations, model::NameScope& scope) {
  std::vector<MessageText> texts;
  const std::string any = scope.add("Send");
  const auto has = [](const std::vector<model::StreamItem>& items, const std::string& name) {
    return std::ranges::find(items, name, &model::StreamItem::name) != items.end();
  };
  const auto add = [&](const model::StreamItem& message) {
    const auto* node = std::get_if<Node>(&message.schema);
    if (!message.type.empty() || node == nullptr) return;
    const std::string name = scope.add(model::type_name(message.name));
    std::string first_lines = fmt::format("static constexpr std::string_view kEventName = {};\n",
                                          string_literal(message.name));
    MessageText text{.type = {}, .name = message.name};
    if (!has_members(node)) {
      text.type = empty_message(name, first_lines, route);
      text.is_always_valid = has(socket.send, message.name);
    } else {
      TypeContext context{.enclosing = route, .enumerations = &enumerations};
      const bool is_sent = has(socket.send, message.name);
      if (has(socket.receive, message.name)) context.decoder = decoder_of("body", *node);
      context.is_encoded = is_sent && is_encodable(*node);
      const bool is_tree = is_sent && !context.is_encoded;
      if (is_tree) {
        first_lines += fmt::format(
            "friend void fw_encode(fw::detail::JsonWriter& out, const {}& value);\n", name);
      }
      text.type = struct_text(*node, name, first_lines, context);
      if (is_tree) append_block(text.type.definitions, tree_encoder(route + "::" + name));
      text.is_read = context.decoder == Decoder::json;
      text.is_always_valid = context.is_encoded;
    }
    texts.push_back(std::move(text));
  };
  for (const model::StreamItem& message : socket.receive) add(message);
  for (const model::StreamItem& message : socket.send) {
    if (!has(socket.receive, message.name)) add(message);
  }
  std::string alternatives;
  for (const model::StreamItem& message : socket.send) {
    const auto text = std::ranges::find(texts, message.name, &MessageText::name);
    // The types of the application are listed by the application.
    if (text == texts.end()) return texts;
    alternatives += (alternatives.empty() ? "" : ", ") + text->type.expression;
  }
  if (!alternatives.empty()) {
    texts.push_back({.type = {alias(any, "std::variant<" + alternatives + ">"), any}, .name = {}});
  }
  return texts;
}

}  // namespace fairway::emit
