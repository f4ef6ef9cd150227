// What the command line and the configuration say about the OpenAPI document.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/app_settings.hpp"
#include "model/application.hpp"
#include "schema/operation_security.hpp"

namespace fairway::model {

enum class OpenApiVersion { v3_1, v3_0, v3_2 };

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
  Json info = Json::object();
  std::vector<OpenApiServer> servers = {};  ///< "/" if empty
  /// `openapi.guardSecurityMap` of the configuration: middleware to security scheme.
  std::map<std::string, std::string> guard_security = {};
  /// Security Scheme Objects by name; other schemes are HTTP bearer schemes.
  Json security_schemes = Json::object();
  /// `openapi.authScheme`: the alternatives of routes with `auth` that name none.
  std::vector<std::string> auth_schemes = {std::string(fw::schema::kBearerAuth)};
  bool envelope = true;  ///< `response.wrap` of the configuration
  AppSettings settings = {};
};

}  // namespace fairway::model
