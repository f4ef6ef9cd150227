#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emit/openapi_parts.hpp"
#include "lsp/features.hpp"
#include "schema/schema.hpp"

namespace fairway::lsp {
namespace {

using fw::schema::Node;

/// A schema in the schema language; objects in braces, with a line for each member.
std::string schema_text(const Node& node, const std::string& indent) {
  const Node* object = &node;
  std::string prefix;
  if (node.kind == fw::schema::Kind::array && node.items != nullptr &&
      !node.items->fields.empty()) {
    Node array = node;
    array.items = nullptr;
    prefix = fw::schema::to_dsl(array) + " of ";
    object = node.items.get();
  } else if (node.fields.empty()) {
    return fw::schema::to_dsl(node);
  }
  std::string text = prefix + "{\n";
  for (const fw::schema::Field& field : object->fields) {
    text += fmt::format("{}  {}: {}\n", indent, field.name, schema_text(field.node, indent + "  "));
  }
  text += indent + "}";
  if (object == &node && !node.required) text += '?';
  return text;
}

std::string security_text(const model::Route& route, const emit::OpenApiOptions& options) {
  std::vector<std::string> alternatives;
  for (const Json& requirement : emit::operation_security(route, options)) {
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

std::string schemas_text(const model::Route& route) {
  std::string text;
  for (const model::LocationSchema& each : route.validate) {
    text += fmt::format("{}: {}\n", each.location, schema_text(each.schema, ""));
  }
  for (const model::ResponseSchema& each : route.responses) {
    const Node* const node = std::get_if<Node>(&each.schema);
    text += fmt::format("{}: {}\n", each.selector,
                        node == nullptr ? "JSON Schema" : schema_text(*node, ""));
  }
  return text;
}

std::string route_text(const model::Route& route, const emit::OpenApiOptions& options) {
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
  const std::string schemas = schemas_text(route);
  if (!schemas.empty()) text += fmt::format("\n```yaml\n{}```\n", schemas);
  return text;
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
    const EditorRange range(
        is_at_method ? registration->method_range : registration->path_value.range, view.sources);
    return {{"contents", {{"kind", "markdown"}, {"value", text}}}, {"range", range.json()}};
  }
  return nullptr;
}

}  // namespace fairway::lsp
