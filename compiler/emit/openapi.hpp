// The OpenAPI document of an application.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.hpp"
#include "schema/operation_security.hpp"

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
  std::string license = {};  ///< name; omitted if empty
  /// Further members of `info` in the form of OpenAPI: `contact`, `termsOfService`, `license` with
  /// a URL. The strings above take precedence.
  model::Json info = model::Json::object();
  std::vector<OpenApiServer> servers = {};  ///< "/" if empty
  /// `openapi.guardSecurityMap` of the configuration: middleware to security scheme.
  std::map<std::string, std::string> guard_security = {};
  /// Security Scheme Objects by name; other schemes are HTTP bearer schemes.
  model::Json security_schemes = model::Json::object();
  /// `openapi.authScheme`: the alternatives of routes with `auth` that name none.
  std::vector<std::string> auth_schemes = {std::string(fw::schema::kBearerAuth)};
  bool envelope = true;  ///< `response.wrap` of the configuration
  model::AppSettings settings = {};
};

/// The document as a JSON value. Throws std::logic_error if it has one of `reference_errors`, which
/// the rule [openapi-invalid] excludes.
model::Json openapi_document(const model::Application& application, const OpenApiOptions& options);

/// A reference in a document that leads to no schema of the document.
struct ReferenceError {
  std::string pointer;
  std::string reference;
};

/// The errors in all schemas of the document.
std::vector<ReferenceError> reference_errors(const model::Application& application,
                                             const OpenApiOptions& options);

/// A document as indented JSON text with a line end.
std::string openapi_text(const model::Json& document);

/// The document as JSON text. Deterministic.
std::string emit_openapi(const model::Application& application, const OpenApiOptions& options);

/// The beginning of references to component schemas.
inline constexpr std::string_view kSchemaReferences = "#/components/schemas/";

/// The method for a member of a path item: "GET" for "get".
std::string method_of(std::string_view member);

/// The steps of a JSON pointer without its first slash, unescaped (RFC 6901).
std::vector<std::string> pointer_steps(std::string_view pointer);

}  // namespace fairway::emit
