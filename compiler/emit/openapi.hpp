// The OpenAPI 3.1 document of an application.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/application.hpp"

namespace fairway::emit {

struct OpenApiOptions {
  std::string title = "API";
  std::string version = "0.0.0";
  std::string description = {};
  std::string license = {};               ///< name; left out when empty
  std::vector<std::string> servers = {};  ///< URLs; "/" when empty
  /// `openapi.guardSecurityMap` of the configuration: middleware to security scheme.
  std::map<std::string, std::string> guard_security = {};
  bool envelope = true;  ///< `response.wrap` of the configuration
};

/// The document as a value.
model::Json openapi_document(const model::Application& application, const OpenApiOptions& options);

/// A document as text: indented, ended by a line end.
std::string render_openapi(const model::Json& document);

/// The document as text: indented, ended by a line end, the same for the same application.
std::string emit_openapi(const model::Application& application, const OpenApiOptions& options);

}  // namespace fairway::emit
