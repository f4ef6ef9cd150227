#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lsp/features.hpp"
#include "model/option_reader.hpp"
#include "model/value_members.hpp"
#include "resolve/security.hpp"
#include "schema/node.hpp"

namespace fairway::lsp {
namespace {

using fw::schema::Node;

/// Whether the schema language can write a schema in one string.
bool is_one_string(const Node& node) {
  switch (node.kind) {
    case fw::schema::Kind::map:
    case fw::schema::Kind::one_of:
    case fw::schema::Kind::reference:
      return false;
    case fw::schema::Kind::array:
      return node.items == nullptr || is_one_string(*node.items);
    default:
      return node.fields.empty();
  }
}

/// A schema in the schema language; objects in braces, with a line for each member, and C++ types
/// with their names.
std::string schema_text(const Node& node, const std::string& indent) {
  if (is_one_string(node)) return fw::schema::to_dsl(node);
  std::string text;
  switch (node.kind) {
    case fw::schema::Kind::array: {
      Node array = node;
      array.items = nullptr;
      return fw::schema::to_dsl(array) + " of " + schema_text(*node.items, indent);
    }
    case fw::schema::Kind::map:
      text = "map of " + schema_text(*node.items, indent);
      break;
    case fw::schema::Kind::one_of:
      for (const Node& alternative : node.alternatives) {
        text += (text.empty() ? "" : " | ") + schema_text(alternative, indent);
      }
      break;
    case fw::schema::Kind::reference:
      text = node.name;
      break;
    default:
      if (!node.name.empty()) text = node.name + " ";
      text += "{\n";
      for (const fw::schema::Field& field : node.fields) {
        text +=
            fmt::format("{}  {}: {}\n", indent, field.name, schema_text(field.node, indent + "  "));
      }
      text += indent + "}";
  }
  return node.required ? text : text + '?';
}

std::string schema_text(const model::Schema& schema) {
  const Node* const node = model::node_of(schema);
  return node == nullptr ? "JSON Schema" : schema_text(*node, "");
}

std::string security_text(const model::Route& route, const model::OpenApiOptions& options) {
  std::vector<std::string> alternatives;
  for (const Json& requirement : resolve::operation_security(route, options)) {
    std::vector<std::string> schemes;
    for (const auto& [name, scopes] : requirement.items()) {
      std::vector<std::string> words = scopes.get<std::vector<std::string>>();
      schemes.push_back(words.empty() ? fmt::format("`{}`", name)
                                      : fmt::format("`{}` ({})", name, fmt::join(words, ", ")));
    }
    alternatives.push_back(schemes.empty() ? "none"
                                           : fmt::format("{}", fmt::join(schemes, " and ")));
  }
  return alternatives.empty() ? "none" : fmt::format("{}", fmt::join(alternatives, ", or "));
}

/// "query `page`": a part of the key of cached responses, with the names that it is limited to.
std::string part_of_key(std::string_view part, const Json& names) {
  std::string text(part);
  for (const Json& name : names) {
    text += fmt::format("{}`{}`", text.size() == part.size() ? " " : ", ",
                        name.is_string() ? name.get<std::string>() : name.dump());
  }
  return text;
}

/// The time to live and the key of cached responses; empty if the route is not cached.
std::string cache_text(const Json& cache) {
  const bool is_off = cache.is_null() || cache == false || cache == 0;
  if (is_off) return {};
  const Json& ttl = cache.is_object() ? model::member_of(cache, "ttl") : cache;
  std::vector<std::string> key;
  if (!model::member_of(cache, "key").is_null()) {
    key.emplace_back("`key`");
  } else {
    key.emplace_back("path");
    const Json& query = model::member_of(cache, "query");
    if (query.is_null() || !query.empty()) key.push_back(part_of_key("query", query));
  }
  const Json& headers = model::member_of(cache, "headers");
  if (!headers.empty()) key.push_back(part_of_key("headers", headers));
  if (!model::member_of(cache, "partitionKey").is_null()) key.emplace_back("`partition_key`");
  return fmt::format("{}by {}", ttl.is_number() ? fmt::format("{} ms, ", ttl.dump()) : "",
                     fmt::join(key, "; "));
}

/// "200 event created: {…}", a line for each event; "200 lines: {…}".
std::string stream_text(const model::ResponseSchema& response) {
  std::string text;
  for (const model::StreamItem& item : response.stream->items) {
    text += fmt::format("{} {}{}: {}\n", response.selector, item.name.empty() ? "lines" : "event ",
                        item.name, schema_text(item.schema));
  }
  return text;
}

/// "receive say: {…}", a line for each message; "receive raw".
std::string messages_text(std::string_view direction,
                          const std::vector<model::StreamItem>& messages, bool is_raw) {
  if (is_raw) return fmt::format("{} raw\n", direction);
  std::string text;
  for (const model::StreamItem& message : messages) {
    text += fmt::format("{} {}: {}\n", direction, message.name, schema_text(message.schema));
  }
  return text;
}

std::string schemas_text(const model::Route& route) {
  std::string text;
  for (const model::LocationSchema& each : route.validate) {
    text += fmt::format("{}: {}\n", each.location, schema_text(each.schema, ""));
  }
  for (const model::ResponseSchema& each : route.responses) {
    if (each.stream) {
      text += stream_text(each);
    } else {
      text += fmt::format("{}: {}\n", each.selector, schema_text(each.schema));
    }
  }
  if (route.socket) {
    text += messages_text("receive", route.socket->receive, route.socket->receives_raw);
    text += messages_text("send", route.socket->send, route.socket->sends_raw);
  }
  return text;
}

std::string route_text(const model::Route& route, const model::OpenApiOptions& options) {
  std::string text = fmt::format("**{}** `{}`\n\n", route.method, route.path);
  if (!route.docs.summary.empty()) text += route.docs.summary + "\n\n";
  text += fmt::format("- operation id: `{}`{}\n", route.operation_id,
                      route.operation_id_inferred ? " (inferred)" : "");
  text += fmt::format("- security: {}\n", security_text(route, options));
  if (!route.middlewares.empty()) {
    std::vector<std::string> names;
    for (const auto& each : route.middlewares) names.push_back(fmt::format("`{}`", each.name));
    text += fmt::format("- middlewares: {}\n", fmt::join(names, ", "));
  }
  const std::string cache = cache_text(model::member_of(route.options, "cache"));
  if (!cache.empty()) text += fmt::format("- cache: {}\n", cache);
  const std::string schemas = schemas_text(route);
  if (!schemas.empty()) text += fmt::format("\n```yaml\n{}```\n", schemas);
  return text;
}

/// The schema of a type, with everything that it refers to in "$defs". Empty if it cannot be read,
/// because an error in it is reported.
std::optional<Node> node_of(const Json& schema) {
  try {
    return fw::schema::node_of_schema(schema);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// Where the source says that a schema is a C++ type.
struct TypeUse {
  std::string label;  ///< "body", "201"
  std::string schema;
  model::Range range;
};

/// The type of a response, or the types of the items of a stream.
void add_response_type(const std::string& label, const model::Value& schema,
                       std::vector<TypeUse>& uses) {
  if (model::is_type(schema)) uses.push_back({label, schema.items[1].text, schema.range});
  if (model::is_lines(schema)) add_response_type(label + " lines", schema.items[0], uses);
  if (!model::is_events(schema)) return;
  for (const model::Value& event : schema.items[0].items) {
    if (!model::is_named_entry(event)) continue;
    add_response_type(label + " event " + model::entry_name(event), event.items[1], uses);
  }
}

std::vector<TypeUse> type_uses(const model::Registration& registration) {
  std::vector<TypeUse> uses;
  for (const model::TypedInput& input : registration.signature.inputs) {
    uses.push_back({input.location, input.type.schema, input.range});
  }
  for (const model::TypedResult& result : registration.signature.results) {
    const std::string item = result.event.empty() ? result.stream : "event " + result.event;
    uses.push_back({fmt::format("{}{}{}", result.status, item.empty() ? "" : " ", item),
                    result.type.schema, result.range});
  }
  if (!registration.options) return uses;
  if (const auto* validate = model::member_value(*registration.options, "validate")) {
    for (const model::Member& member : validate->members) {
      if (!model::is_type(member.value)) continue;
      uses.push_back({member.name, member.value.items[1].text, member.value.range});
    }
  }
  if (const auto* responses = model::member_value(*registration.options, "responses")) {
    for (const model::Value& entry : responses->items) {
      if (model::is_named_entry(entry)) {
        add_response_type(model::entry_name(entry), entry.items[1], uses);
      }
    }
  }
  for (const char* direction : {"receive", "send"}) {
    const auto* messages = model::member_value(*registration.options, direction);
    if (!messages || model::is_raw(*messages)) continue;
    for (const model::Value& message : messages->items) {
      if (!model::is_named_entry(message) || !model::is_type(message.items[1])) continue;
      uses.push_back({fmt::format("{} {}", direction, model::entry_name(message)),
                      message.items[1].items[1].text, message.items[1].range});
    }
  }
  return uses;
}

/// A line for each schema at a position. All have the same range.
struct SchemasAt {
  std::set<std::string> lines = {};
  model::Range range = {};

  void add(std::string line, const model::Range& at) {
    if (!lines.empty() && at != range) return;
    range = at;
    lines.insert(std::move(line));
  }
};

/// A type that handlers or options of the document use.
void add_uses(const View& view, const Position& position, SchemasAt& found) {
  for (const auto& [registration, routes] : routes_in(view)) {
    for (const TypeUse& use : type_uses(*registration)) {
      if (!view.is_at(use.range, position)) continue;
      const auto node = use.schema.empty() ? std::nullopt : node_of(Json::parse(use.schema));
      const std::string text = node ? schema_text(*node, "") : "no content";
      if (node || use.schema.empty()) found.add(fmt::format("{}: {}", use.label, text), use.range);
    }
  }
}

/// A struct, an enumeration or a member, where it is declared: often in a header.
void add_declarations(const View& view, const Position& position, SchemasAt& found) {
  for (const model::ParsedFile& file : view.snapshot.files) {
    for (const model::CppType& type : file.types) {
      const auto member = std::ranges::find_if(type.members, [&](const model::TypeMember& each) {
        return view.is_at(each.range, position);
      });
      const bool is_member = member != type.members.end();
      if (!is_member && !view.is_at(type.range, position)) continue;
      Json schema = {{"$ref", "#/$defs/" + type.component}};
      for (const model::CppType& each : file.types) {
        schema["$defs"][each.component] = Json::parse(each.schema);
      }
      const auto node = node_of(schema);
      if (!node) continue;
      if (!is_member) {
        found.add(schema_text(*node, ""), type.range);
        continue;
      }
      const auto field =
          std::ranges::find(node->fields, member->json_name, &fw::schema::Field::name);
      if (field == node->fields.end()) continue;
      found.add(fmt::format("{}: {}", field->name, schema_text(field->node, "")), member->range);
    }
  }
}

Json hover_of(const View& view, const std::string& markdown, const model::Range& range) {
  return {{"contents", {{"kind", "markdown"}, {"value", markdown}}},
          {"range", EditorRange(range, view.sources).json()}};
}

}  // namespace

Json hover(const View& view, const Position& position) {
  for (const auto& [registration, routes] : routes_in(view)) {
    const bool is_at_method = view.is_at(registration->method_range, position);
    if (!is_at_method && !view.is_at(registration->path_value.range, position)) continue;
    std::string text;
    for (const model::Route* route : routes) {
      if (!text.empty()) text += "\n---\n\n";
      text += route_text(*route, view.snapshot.document_options);
    }
    if (text.empty()) return nullptr;
    return hover_of(view, text,
                    is_at_method ? registration->method_range : registration->path_value.range);
  }
  SchemasAt found;
  add_uses(view, position, found);
  add_declarations(view, position, found);
  if (found.lines.empty()) return nullptr;
  return hover_of(view, fmt::format("```yaml\n{}\n```\n", fmt::join(found.lines, "\n")),
                  found.range);
}

}  // namespace fairway::lsp
