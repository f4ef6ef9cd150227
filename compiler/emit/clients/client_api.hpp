// The operations of an OpenAPI document in a form for client generators. Clients are generated from
// the document, so that they always agree with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/application.hpp"
#include "model/openapi_options.hpp"

namespace fairway::emit {

enum class ParameterLocation { path, query, header, cookie };

struct ClientParameter {
  std::string name;  ///< in requests
  ParameterLocation location = ParameterLocation::query;
  bool required = false;
  bool wildcard = false;  ///< the rest of a path; its slashes are not encoded
  model::Json schema;     ///< JSON Schema
  std::string description;
};

struct ClientBody {
  bool required = false;
  model::Json json;  ///< schema of a JSON body; null if there is none
  model::Json
      form;  ///< schema of a multipart form, binary members are files; null if there is none
  std::string media_type = {};  ///< of a body that is neither JSON nor a form
};

/// What a stream or a socket consists of: the events or messages with one name, or lines.
struct ClientStreamItem {
  std::string name;  ///< of an event or of a message; empty for lines
  model::Json schema;
};

/// A success response.
struct ClientResponse {
  std::string selector;  ///< "201", "2XX" or "default"
  std::string media_type;
  model::Json schema;      ///< of the data without the envelope; null if the response has no body
  bool is_wrapped = true;  ///< JSON has the envelope, if the API has one
  std::vector<ClientStreamItem> items = {};  ///< of a stream; empty for other responses
};

/// The messages of a socket, in the directions of the client. A direction that is raw has none.
struct ClientSocket {
  std::vector<ClientStreamItem> send = {};     ///< without their `type`
  std::vector<ClientStreamItem> receive = {};  ///< the same
  bool sends_raw = false;                      ///< any text and any bytes
  bool receives_raw = false;                   ///< the same
  std::vector<std::string> protocols = {};
};

/// The errors with one code. Each client has a class for them.
struct ClientErrorCode {
  std::string name;  ///< "ProductNotFound"
  model::Json code;  ///< a string or an integer
};

/// An error with a code, as a response.
struct ClientErrorResponse {
  std::string selector;   ///< "404", "4XX" or "default"
  std::size_t error = 0;  ///< its index in `ClientApi::errors`
};

struct ClientOperation {
  std::string id;
  std::string method;  ///< upper case
  std::string path;    ///< "/users/{id}"
  std::string summary;
  std::string description;
  std::vector<std::string> tags;
  bool deprecated = false;
  bool secured = false;  ///< requires credentials
  std::vector<ClientParameter> parameters;
  std::optional<ClientBody> body;
  std::vector<ClientResponse> responses;
  std::vector<ClientErrorResponse> errors;  ///< others are possible
  std::optional<ClientSocket> socket = {};  ///< of an operation that opens a socket

  /// The response that is a stream; null if there is none, or if another one has data.
  const ClientResponse* streamed() const;
};

struct ClientApi {
  std::string title;
  std::string version;
  std::string description;
  bool envelope = true;  ///< success responses contain their data in the member `data`
  std::vector<ClientOperation> operations;
  std::vector<ClientErrorCode> errors;
  /// The schemas of `#/components/schemas/<name>`, except the schemas of `errors`.
  model::Json schemas = model::Json::object();

  bool has_sockets() const {
    return std::ranges::any_of(operations,
                               [](const auto& each) { return each.socket.has_value(); });
  }
};

/// Reads an OpenAPI 3.1 document from `openapi_document`.
ClientApi read_client_api(const model::Json& document);

/// The client API of an application. Independent of the OpenAPI version in `options`.
ClientApi client_api(const model::Application& application, model::OpenApiOptions options);

/// A member of a schema that is a string, or an empty string.
inline std::string text(const model::Json& schema, const char* member) {
  const auto found = schema.find(member);
  return found != schema.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace fairway::emit
