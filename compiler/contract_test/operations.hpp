// The operations of an OpenAPI document, as contract tests need them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/document.hpp"

namespace fairway::contract_test {

using diff::Json;

struct Parameter {
  std::string name;
  std::string location;  ///< "path", "query", "header" or "cookie"
  bool required = false;
  bool is_wildcard = false;  ///< the rest of a path, slashes included
  Json schema = true;
};

/// One media type of a request body.
struct MediaType {
  std::string name;
  Json schema = true;
  Json encoding = Json::object();  ///< of the parts of a form
};

/// The messages of a socket in one direction, by name. Raw ones have no declaration.
struct SocketMessages {
  bool is_raw = false;
  std::map<std::string, Json> schemas;  ///< of the members besides `type`
};

struct Socket {
  SocketMessages receive;  ///< from clients
  SocketMessages send;
};

struct Operation {
  std::string id;
  std::string method;
  std::string path;  ///< "/users/{id}"
  std::vector<Parameter> parameters;
  std::vector<MediaType> bodies;
  bool needs_body = false;
  bool is_secured = false;
  std::optional<Socket> socket;
  Json responses = Json::object();  ///< by status, family or "default"; references are resolved

  bool declares(const char* status) const { return responses.contains(status); }
};

/// Whether bodies of this type are events or lines that are sent while the response is open.
bool is_stream_type(std::string_view content_type);

/// In the order of the document. Throws BadDocument.
std::vector<Operation> read_operations(const diff::Document& document);

}  // namespace fairway::contract_test
