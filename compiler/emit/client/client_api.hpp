// What a typed client offers: the operations of an OpenAPI document, ready for a generator. Clients
// are made from the document, so that they cannot say anything else than it does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emit/openapi.hpp"
#include "model/application.hpp"

namespace fairway::emit {

enum class ParameterLocation { path, query, header, cookie };

struct ClientParameter {
  std::string name;  ///< on the wire
  ParameterLocation place = ParameterLocation::query;
  bool required = false;
  bool wildcard = false;  ///< the rest of a path: its slashes stay
  model::Json schema;     ///< JSON Schema
  std::string description;
};

struct ClientBody {
  bool required = false;
  model::Json json;  ///< schema of a JSON body; null when there is none
  model::Json
      form;  ///< schema of a multipart form, binary members are files; null when there is none
  std::string media_type = {};  ///< of a body that is neither
};

/// A success response.
struct ClientResponse {
  std::string selector;  ///< "201", "2XX" or "default"
  std::string media_type;
  model::Json schema;  ///< of the data without the envelope; null when the response has no body
};

struct ClientOperation {
  std::string id;
  std::string method;  ///< upper case
  std::string path;    ///< "/users/{id}"
  std::string summary;
  std::string description;
  std::vector<std::string> tags;
  bool deprecated = false;
  bool secured = false;  ///< needs credentials
  std::vector<ClientParameter> parameters;
  std::optional<ClientBody> body;
  std::vector<ClientResponse> responses;
};

struct ClientApi {
  std::string title;
  std::string version;
  std::string description;
  bool envelope = true;  ///< success responses have their data in the member `data`
  std::vector<ClientOperation> operations;
  model::Json schemas = model::Json::object();  ///< what `#/components/schemas/<name>` refers to
};

/// Reads a document of `openapi_document`, in OpenAPI 3.1.
ClientApi read_client_api(const model::Json& document);

/// What clients of an application offer; whatever version its document is written in.
ClientApi client_api(const model::Application& application, OpenApiOptions options);

/// A member of a schema that is a string, or an empty string.
inline std::string text(const model::Json& schema, const char* member) {
  const auto found = schema.find(member);
  return found != schema.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace fairway::emit
