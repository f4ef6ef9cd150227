// The OpenAPI document of an application.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.hpp"

namespace fairway::emit {

enum class OpenApiVersion { v3_1, v3_0 };

struct OpenApiServer {
  std::string url;
  std::string description = {};
};

struct OpenApiOptions {
  OpenApiVersion openapi = OpenApiVersion::v3_1;
  std::string title = "API";
  std::string version = "0.0.0";
  std::string description = {};
  std::string license = {};  ///< name; left out when empty
  /// Further members of `info`, in OpenAPI's form: `contact`, `termsOfService`, `license` with a
  /// URL. The strings above win.
  model::Json info = model::Json::object();
  std::vector<OpenApiServer> servers = {};  ///< "/" when empty
  /// `openapi.guardSecurityMap` of the configuration: middleware to security scheme.
  std::map<std::string, std::string> guard_security = {};
  /// Security Scheme Objects by name; a scheme that is not among them is an HTTP bearer scheme.
  model::Json security_schemes = model::Json::object();
  bool envelope = true;  ///< `response.wrap` of the configuration
};

/// The document as a value.
model::Json openapi_document(const model::Application& application, const OpenApiOptions& options);

/// A document as JSON text: indented, ended by a line end.
std::string openapi_text(const model::Json& document);

/// The document as JSON text, the same for the same application.
std::string emit_openapi(const model::Application& application, const OpenApiOptions& options);

/// What references to component schemas begin with.
inline constexpr std::string_view kSchemaReferences = "#/components/schemas/";

/// The method of a member of a path item: "GET" of "get".
std::string method_of(std::string_view member);

/// The steps of a JSON pointer without its first slash, unescaped (RFC 6901).
std::vector<std::string> pointer_steps(std::string_view pointer);

}  // namespace fairway::emit
