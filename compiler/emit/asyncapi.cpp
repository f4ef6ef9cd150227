#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "base/url_encoding.hpp"
#include "emit/openapi.hpp"
#include "model/openapi_document.hpp"
#include "schema/schema_references.hpp"

namespace fairway::emit {
namespace {

using model::Json;

/// A reference to a member of the document.
Json reference_to(std::initializer_list<std::string_view> steps) {
  std::string pointer = "#";
  for (const std::string_view step : steps) {
    pointer += '/' + fw::base::percent_encode(fw::base::pointer_step(step).substr(1), "~-._");
  }
  Json reference;
  reference["$ref"] = std::move(pointer);
  return reference;
}

/// Copies members that both kinds of documents have.
void copy_members(const Json& from, std::initializer_list<const char*> names, Json& to) {
  for (const char* name : names) {
    if (const auto found = from.find(name); found != from.end()) to[name] = *found;
  }
}

Json asyncapi_info(const Json& openapi) {
  Json info = openapi.at("info");
  info.erase("summary");
  if (info.contains("license")) info["license"].erase("identifier");
  return info;
}

/// The servers with absolute URLs: others depend on where the document is.
Json asyncapi_servers(const Json& openapi) {
  Json servers = Json::object();
  for (const Json& server : openapi.value("servers", Json::array())) {
    const std::string url = server.value("url", "");
    const bool is_secure = url.starts_with("https://");
    if (!is_secure && !url.starts_with("http://")) continue;
    const std::string rest = url.substr(url.find("://") + 3);
    const std::size_t path = std::min(rest.find('/'), rest.size());
    Json& entry = servers["server" + std::to_string(servers.size() + 1)];
    entry["host"] = rest.substr(0, path);
    entry["protocol"] = is_secure ? "wss" : "ws";
    if (path + 1 < rest.size()) entry["pathname"] = rest.substr(path);
    copy_members(server, {"description", "variables"}, entry);
  }
  return servers;
}

/// A security scheme of OpenAPI as one of AsyncAPI.
Json scheme_json(const Json& openapi) {
  Json scheme = openapi;
  const std::string type = openapi.value("type", "");
  if (type == "apiKey") scheme["type"] = "httpApiKey";
  if (type == "mutualTLS") scheme["type"] = "X509";
  if (!scheme.contains("flows")) return scheme;
  for (auto& [name, flow] : scheme["flows"].items()) {
    if (const auto scopes = flow.find("scopes"); scopes != flow.end()) {
      Json available = std::move(*scopes);
      flow.erase("scopes");
      flow["availableScopes"] = std::move(available);
    }
  }
  return scheme;
}

/// The key of the message of `fw::raw`, which no declared message of the other direction has.
std::string raw_key(const Json& socket) {
  std::string key = "raw";
  while (socket.at("receive").contains(key) || socket.at("send").contains(key)) key += '_';
  return key;
}

Json raw_message() {
  return {{"title", "Any text or bytes"}, {"contentType", "application/octet-stream"}};
}

/// The key of the message that tells clients what was not valid, and the message.
constexpr const char* kErrorKey = "error";

Json error_message() {
  return Json::parse(R"({
    "name": "error",
    "title": "A message that was not valid",
    "payload": {
      "type": "object",
      "properties": {
        "type": {"type": "string", "const": "error"},
        "message": {"type": "string"},
        "received": {"type": "string", "description": "The type of that message"},
        "errors": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            "required": ["field", "message"]
          }
        }
      },
      "required": ["type", "message"]
    }
  })");
}

/// Whether messages of clients can be invalid.
bool checks_messages(const Json& socket) {
  return socket.at("receive").is_object() && !socket.at("receive").empty();
}

/// The messages of a direction, by name; none for `fw::raw`.
std::vector<std::pair<std::string, Json>> messages_of(const Json& schemas) {
  std::vector<std::pair<std::string, Json>> all;
  if (!schemas.is_object()) return all;
  for (const auto& [name, schema] : schemas.items()) all.emplace_back(name, schema);
  return all;
}

/// Converts a document to one of AsyncAPI.
class DocumentConverter {
 public:
  explicit DocumentConverter(const Json& openapi) : openapi_(openapi) {}

  Json convert() {
    for (const auto& [path, item] : openapi_.at("paths").items()) {
      for (const auto& [method, operation] : item.items()) {
        if (operation.is_object() && operation.contains(model::extensions::kSocket)) {
          add_socket(path, operation);
        }
      }
    }
    if (channels_.empty()) return nullptr;
    Json document;
    document["asyncapi"] = "3.0.0";
    document["info"] = asyncapi_info(openapi_);
    if (Json servers = asyncapi_servers(openapi_); !servers.empty()) {
      document["servers"] = std::move(servers);
    }
    document["defaultContentType"] = "application/json";
    document["channels"] = std::move(channels_);
    document["operations"] = std::move(operations_);
    // In the order of the other document.
    const Json components = openapi_.value("components", Json::object());
    for (const auto& [kind, all] : components.items()) {
      for (const auto& [name, component] : all.items()) {
        if (kind == "schemas" && schemas_.contains(name)) {
          document["components"][kind][name] = converted(component);
        } else if (kind == "securitySchemes" && schemes_.contains(name)) {
          document["components"][kind][name] = scheme_json(component);
        }
      }
    }
    return document;
  }

 private:
  void add_socket(const std::string& path, const Json& operation) {
    const std::string id = operation.at("operationId");
    const Json& socket = operation.at(model::extensions::kSocket);
    Json channel;
    channel["address"] = path;
    if (operation.contains("summary")) channel["title"] = operation["summary"];
    copy_members(operation, {"description"}, channel);
    for (const auto& tag : operation.value("tags", Json::array())) {
      channel["tags"].push_back({{"name", tag}});
    }
    add_parameters(operation, socket, channel);
    Json& messages = channel["messages"] = Json::object();
    for (const char* direction : {"receive", "send"}) {
      const Json& schemas = socket.at(direction);
      if (schemas.is_string()) messages[raw_key(socket)] = raw_message();
      for (const auto& [name, schema] : messages_of(schemas)) {
        messages[name] = {{"name", name}, {"payload", payload(name, schema)}};
      }
    }
    const bool sends_errors = checks_messages(socket);
    if (sends_errors) messages[kErrorKey] = error_message();
    channels_[id] = std::move(channel);
    for (const char* direction : {"receive", "send"}) {
      const bool has_errors = direction == std::string_view("send") && sends_errors;
      if (socket.at(direction).empty() && !has_errors) continue;
      Json& own = add_operation(id, direction, operation, socket);
      if (has_errors) {
        own["messages"].push_back(reference_to({"channels", id, "messages", kErrorKey}));
      }
    }
  }

  Json& add_operation(const std::string& id, const char* direction, const Json& operation,
                      const Json& socket) {
    Json& result = operations_[id + '.' + direction];
    result["action"] = direction;
    result["channel"] = reference_to({"channels", id});
    const Json& schemas = socket.at(direction);
    if (schemas.is_string()) {
      result["messages"].push_back(reference_to({"channels", id, "messages", raw_key(socket)}));
    }
    for (const auto& [name, schema] : messages_of(schemas)) {
      result["messages"].push_back(reference_to({"channels", id, "messages", name}));
    }
    Json security = security_json(operation.value("security", Json::array()));
    if (!security.empty()) result["security"] = std::move(security);
    return result;
  }

  /// Each scheme that is sufficient. AsyncAPI cannot say that none is needed, or several.
  Json security_json(const Json& requirements) {
    Json list = Json::array();
    for (const Json& requirement : requirements) {
      if (requirement.empty()) return Json::array();
      if (requirement.size() > 1) continue;
      const std::string& name = requirement.begin().key();
      schemes_.insert(name);
      list.push_back(reference_to({"components", "securitySchemes", name}));
    }
    return list;
  }

  void add_parameters(const Json& operation, const Json& socket, Json& channel) {
    Json query;
    Json headers;
    for (const Json& parameter : operation.value("parameters", Json::array())) {
      const std::string in = parameter.at("in");
      const std::string name = parameter.at("name");
      const Json& schema = parameter.at("schema");
      if (in == "path") {
        Json& own = channel["parameters"][name] = Json::object();
        copy_members(parameter, {"description"}, own);
        // The values of a parameter are strings.
        if (schema.value("type", "") == "string") copy_members(schema, {"enum"}, own);
      } else if (in == "query" || in == "header") {
        add_field(name, schema, parameter.value("required", false),
                  in == "query" ? query : headers);
      }
    }
    if (socket.contains("protocols")) {
      add_field("Sec-WebSocket-Protocol", {{"type", "string"}, {"enum", socket["protocols"]}},
                false, headers);
    }
    Json& binding = channel["bindings"]["ws"];
    binding["method"] = "GET";
    if (!query.is_null()) binding["query"] = std::move(query);
    if (!headers.is_null()) binding["headers"] = std::move(headers);
    binding["bindingVersion"] = "0.1.0";
  }

  void add_field(const std::string& name, const Json& schema, bool is_required, Json& object) {
    object["type"] = "object";
    object["properties"][name] = used(schema);
    if (is_required) object["required"].push_back(name);
  }

  /// The whole message: its data and its type. An object that is written out has it among its
  /// members, because it may not allow others.
  Json payload(const std::string& name, const Json& schema) {
    const Json* whole = &schema;
    while (const std::string* target = fw::schema::reference_of(*whole)) {
      whole = &openapi_.at(Json::json_pointer(target->substr(1)));
    }
    Json type = {{"type", "string"}, {"const", name}};
    Json message;
    message["type"] = "object";
    message["properties"]["type"] = std::move(type);
    message["required"] = Json::array({"type"});
    if (whole->is_object() && whole->value("type", "") == "object") {
      for (const auto& [keyword, value] : whole->items()) {
        if (keyword == "properties") {
          message["properties"].update(value);
        } else if (keyword == "required") {
          for (const Json& member : value) message["required"].push_back(member);
        } else {
          message[keyword] = value;
        }
      }
    } else {
      message["allOf"].push_back(schema);
    }
    return used(message);
  }

  /// A schema as AsyncAPI has it, whose components become part of the document.
  Json used(const Json& schema) {
    fw::schema::for_each_reference(schema, "", [&](const std::string& target, const std::string&) {
      if (!target.starts_with(model::kSchemaReferences)) return;
      const std::string name =
          model::pointer_steps(target.substr(model::kSchemaReferences.size())).front();
      if (schemas_.insert(name).second) used(openapi_.at("components").at("schemas").at(name));
    });
    return converted(schema);
  }

  /// A discriminator is something else in AsyncAPI.
  static Json converted(Json schema) {
    fw::schema::for_each_schema(schema, "", [](Json& part, const std::string&) {
      if (part.is_object()) part.erase("discriminator");
    });
    return schema;
  }

  const Json& openapi_;
  Json channels_ = Json::object();
  Json operations_ = Json::object();
  std::set<std::string> schemas_;
  std::set<std::string> schemes_;
};

}  // namespace

Json asyncapi_document(const Json& openapi) { return DocumentConverter(openapi).convert(); }

}  // namespace fairway::emit
