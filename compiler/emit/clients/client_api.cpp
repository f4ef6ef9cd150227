#include "emit/clients/client_api.hpp"

#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "emit/openapi.hpp"
#include "emit/openapi_parts.hpp"
#include "model/openapi_document.hpp"
#include "schema/openapi_names.hpp"

namespace fairway::emit {
namespace {

using model::Json;

ParameterLocation location_of(std::string_view name) {
  if (name == "path") return ParameterLocation::path;
  if (name == "header") return ParameterLocation::header;
  if (name == "cookie") return ParameterLocation::cookie;
  return ParameterLocation::query;
}

ClientParameter read_parameter(const Json& parameter) {
  return {.name = text(parameter, "name"),
          .location = location_of(text(parameter, "in")),
          .required = parameter.value("required", false),
          .wildcard = parameter.value(model::extensions::kWildcard, false),
          .schema = parameter.value("schema", Json::object()),
          .description = text(parameter, "description")};
}

ClientBody read_body(const Json& body) {
  ClientBody result{.required = body.value("required", false), .json = nullptr, .form = nullptr};
  for (const auto& [media_type, media] : body.at("content").items()) {
    const Json schema = media.value("schema", Json::object());
    if (media_type == "application/json") result.json = schema;
    if (media_type == "multipart/form-data") result.form = schema;
    result.media_type = media_type;
  }
  if (!result.json.is_null() || !result.form.is_null()) result.media_type.clear();
  return result;
}

ClientSocket read_socket(const Json& socket) {
  ClientSocket result{.sends_raw = socket.at("receive").is_string(),
                      .receives_raw = socket.at("send").is_string()};
  result.protocols = socket.value("protocols", std::vector<std::string>());
  const auto read = [&](const char* direction, std::vector<ClientStreamItem>& messages) {
    const Json& schemas = socket.at(direction);
    if (!schemas.is_object()) return;
    for (const auto& [name, schema] : schemas.items()) messages.push_back({name, schema});
  };
  read("receive", result.send);
  read("send", result.receive);
  return result;
}

/// Reads the operations of one document.
class DocumentReader {
 public:
  explicit DocumentReader(const Json& document) : document_(document) {}

  ClientApi read() {
    const Json& info = document_.at("info");
    api_.title = text(info, "title");
    api_.version = text(info, "version");
    api_.description = text(info, "description");
    api_.envelope = false;
    if (const auto components = document_.find("components"); components != document_.end()) {
      Json schemas = components->value("schemas", Json::object());
      for (auto& [name, schema] : schemas.get_ref<Json::object_t&>()) {
        add_schema(name, std::move(schema));
      }
    }
    for (const auto& [path, item] : document_.at("paths").items()) {
      for (const std::string_view method : fw::schema::kOperationMembers) {
        const auto operation = item.find(std::string(method));
        if (operation != item.end()) add_operation(path, std::string(method), *operation);
      }
    }
    return std::move(api_);
  }

 private:
  void add_schema(const std::string& name, Json schema) {
    if (Json code = code_of_error(schema); !code.is_null()) {
      errors_.emplace(std::string(model::kSchemaReferences) + name, api_.errors.size());
      api_.errors.push_back({name, std::move(code)});
      return;
    }
    // Without a search for the name.
    api_.schemas.get_ref<Json::object_t&>().emplace_back(name, std::move(schema));
  }

  void add_operation(const std::string& path, const std::string& method, const Json& operation) {
    ClientOperation result;
    result.id = text(operation, "operationId");
    result.method = model::method_of(method);
    result.path = path;
    result.summary = text(operation, "summary");
    result.description = text(operation, "description");
    result.tags = operation.value("tags", std::vector<std::string>());
    result.deprecated = operation.value("deprecated", false);
    const auto security = operation.find("security");
    result.secured = security != operation.end() && !security->empty();
    for (const Json& parameter : operation.value("parameters", Json::array())) {
      result.parameters.push_back(read_parameter(parameter));
    }
    const auto body = operation.find("requestBody");
    if (body != operation.end()) result.body = read_body(*body);
    if (const auto socket = operation.find(model::extensions::kSocket); socket != operation.end()) {
      result.socket = read_socket(*socket);
    }
    const Json& responses = operation.at("responses");
    for (const auto& [selector, response] : responses.items()) {
      if (selector.starts_with('2')) result.responses.push_back(read_response(selector, response));
      add_errors(selector, response, result.errors);
    }
    if (result.responses.empty()) {
      const auto any = responses.find("default");
      if (any != responses.end()) result.responses.push_back(read_response("default", *any));
    }
    api_.operations.push_back(std::move(result));
  }

  void add_errors(const std::string& selector, const Json& response,
                  std::vector<ClientErrorResponse>& errors) const {
    static const Json::json_pointer kChoices("/content/application~1json/schema/anyOf");
    if (!response.contains(kChoices)) return;
    for (const Json& choice : response.at(kChoices)) {
      const auto error = errors_.find(text(choice, "$ref"));
      if (error != errors_.end()) errors.push_back({selector, error->second});
    }
  }

  bool is_error_body(const Json& schema) const {
    const std::string target = text(schema, "$ref");
    return target.ends_with("/Error") || target.ends_with("/ValidationError") ||
           errors_.contains(target);
  }

  // If a response has both a schema and error bodies, its document has an `anyOf` of them; this
  // removes the error bodies.
  Json without_errors(const Json& schema) const {
    if (is_error_body(schema)) return nullptr;
    const auto is_error = [this](const Json& choice) { return is_error_body(choice); };
    const auto choices = schema.find("anyOf");
    if (choices == schema.end() || std::ranges::none_of(*choices, is_error)) return schema;
    Json kept = Json::array();
    std::ranges::copy_if(*choices, std::back_inserter(kept), std::not_fn(is_error));
    if (kept.empty()) return nullptr;
    if (kept.size() == 1) return kept.front();
    Json result;
    result["anyOf"] = std::move(kept);
    return result;
  }

  ClientResponse read_response(const std::string& selector, const Json& response) {
    ClientResponse result{.selector = selector, .media_type = {}, .schema = nullptr};
    const Json content = response.value("content", Json::object());
    if (content.empty()) return result;
    if (content.size() > 1) {
      // The caller looks at the bytes.
      result.media_type = "*/*";
      result.schema = binary_schema();
      return result;
    }
    const auto media = content.begin();
    result.media_type = media.key();
    if (const auto lines = media.value().find(std::string(model::extensions::kLines));
        lines != media.value().end()) {
      result.items.push_back({.name = {}, .schema = *lines});
    }
    const Json events =
        media.value().value(std::string(model::extensions::kEvents), Json::object());
    for (const auto& [name, schema] : events.items()) {
      result.items.push_back({.name = name, .schema = schema});
    }
    result.schema = without_errors(media.value().value("schema", Json::object()));
    const Json& whole = resolved(result.schema);
    result.is_wrapped = is_envelope(whole);
    if (result.is_wrapped) {
      api_.envelope = true;
      const Json data = whole["properties"]["data"];
      result.schema = data;
    }
    return result;
  }

  // The target of a reference to a component.
  const Json& resolved(const Json& schema) const {
    if (!schema.is_object()) return schema;
    const std::string target = text(schema, "$ref");
    if (!target.starts_with(model::kSchemaReferences)) return schema;
    const auto found = api_.schemas.find(target.substr(model::kSchemaReferences.size()));
    return found == api_.schemas.end() ? schema : *found;
  }

  const Json& document_;
  ClientApi api_;
  std::map<std::string, std::size_t> errors_;  ///< with a code, by reference
};

}  // namespace

const ClientResponse* ClientOperation::streamed() const {
  const ClientResponse* found = nullptr;
  for (const ClientResponse& response : responses) {
    if (!response.items.empty()) {
      found = &response;
    } else if (!response.schema.is_null()) {
      return nullptr;
    }
  }
  return found;
}

ClientApi read_client_api(const Json& document) { return DocumentReader(document).read(); }

ClientApi client_api(const model::Application& application, model::OpenApiOptions options) {
  options.openapi = model::OpenApiVersion::v3_1;
  return read_client_api(openapi_document(application, options));
}

}  // namespace fairway::emit
