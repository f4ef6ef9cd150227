#include "contract_test/operations.hpp"

#include "base/ascii.hpp"
#include "base/media_type.hpp"
#include "model/application.hpp"
#include "model/openapi_document.hpp"

namespace fairway::contract_test {
namespace {

using diff::Document;
using diff::Node;

/// The value of a node; `fallback` if it is empty.
Json value_or(const Node& node, Json fallback) { return node ? *node.value : std::move(fallback); }

std::string text_at(const Document& document, const Node& parent, std::string_view name) {
  const Node node = parent.member(name);
  if (!node || !node.value->is_string()) {
    document.fail(parent, std::string("has no string '") + std::string(name) + "'");
  }
  return node.value->get<std::string>();
}

void add_parameters(const Document& document, const Node& parent, Operation& operation) {
  const Node list = document.array(parent, "parameters");
  for (std::size_t i = 0; list && i < list.value->size(); ++i) {
    const Node node = document.resolved(list.item(i));
    Parameter parameter{.name = text_at(document, node, "name"),
                        .location = text_at(document, node, "in"),
                        .required = diff::is_true(node.member("required")),
                        .is_wildcard = diff::is_true(node.member(model::extensions::kWildcard)),
                        .schema = value_or(node.member("schema"), true)};
    // Parameters of an operation replace parameters of its path.
    std::erase_if(operation.parameters, [&](const Parameter& other) {
      return other.name == parameter.name && other.location == parameter.location;
    });
    operation.parameters.push_back(std::move(parameter));
  }
}

void add_bodies(const Document& document, const Node& node, Operation& operation) {
  const Node body = document.resolved(node.member("requestBody"));
  if (!body) return;
  operation.needs_body = diff::is_true(body.member("required"));
  const Node content = document.object(body, "content");
  if (!content) return;
  for (const auto& [name, value] : content.value->items()) {
    const Node media = document.resolved(content.member(name));
    operation.bodies.push_back(
        {.name = name,
         .schema = value_or(media.member("schema"), true),
         .encoding = value_or(document.object(media, "encoding"), Json::object())});
  }
}

void add_responses(const Document& document, const Node& node, Operation& operation) {
  const Node responses = document.object(node, "responses");
  if (!responses) return;
  for (const auto& [status, value] : responses.value->items()) {
    const Node response = document.resolved(responses.member(status));
    Json& copy = operation.responses[status];
    copy = *response.value;
    const Node content = document.object(response, "content");
    if (!content) continue;
    for (auto& [name, media] : copy["content"].items()) {
      media = *document.resolved(content.member(name)).value;
    }
  }
}

SocketMessages messages_of(const Document& document, const Node& socket, std::string_view name) {
  const Node declared = socket.member(name);
  SocketMessages messages{.is_raw = declared && declared.value->is_string(), .schemas = {}};
  if (messages.is_raw) return messages;
  const Node schemas = document.object(socket, name);
  if (!schemas) return messages;
  for (const auto& [message, schema] : schemas.value->items()) messages.schemas[message] = schema;
  return messages;
}

/// Whether every alternative names a scheme.
bool is_secured(const Node& security) {
  if (!security || !security.value->is_array() || security.value->empty()) return false;
  for (const Json& requirement : *security.value) {
    if (requirement.empty()) return false;
  }
  return true;
}

}  // namespace

bool is_stream_type(std::string_view content_type) {
  const std::string type = fw::base::lower_case(fw::base::media_type(content_type));
  return type == model::kEventsType || type == model::kLinesType;
}

std::vector<Operation> read_operations(const Document& document) {
  std::vector<Operation> operations;
  const Node paths = document.object(document.root(), "paths");
  if (!paths) return operations;
  for (const auto& [path, unused] : paths.value->items()) {
    const Node item = document.resolved(paths.member(path));
    for (const auto& [method, node] : diff::operations_in(document, item)) {
      Operation operation;
      operation.method = method;
      operation.path = path;
      const Node id = node.member("operationId");
      operation.id = id && id.value->is_string() ? id.value->get<std::string>()
                                                 : operation.method + " " + path;
      add_parameters(document, item, operation);
      add_parameters(document, node, operation);
      add_bodies(document, node, operation);
      add_responses(document, node, operation);
      if (const Node socket = node.member(model::extensions::kSocket)) {
        operation.socket = {.receive = messages_of(document, socket, "receive"),
                            .send = messages_of(document, socket, "send")};
      }
      const Node own = node.member("security");
      operation.is_secured = is_secured(own ? own : document.root().member("security"));
      operations.push_back(std::move(operation));
    }
  }
  return operations;
}

}  // namespace fairway::contract_test
