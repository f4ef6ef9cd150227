// The security of an operation in the OpenAPI document. The compiler infers it from the source of
// the route, and the runtime from the registered route, because the configuration may change it.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw::schema {

/// What the guard of a route requires; of lists and functions, only whether they are declared.
struct AuthNeeds {
  bool required = true;             ///< `auth.required`
  bool has_groups = false;          ///< roles, scopes or permissions
  bool has_check = false;           ///< `auth.check`
  bool client_certificate = false;  ///< `auth.client_certificate`

  /// Whether anonymous callers are rejected. A client certificate suffices for callers of whom no
  /// group is required.
  bool identity() const { return has_groups || (!client_certificate && (required || has_check)); }
  /// Whether some requests are rejected.
  bool anything() const { return identity() || client_certificate; }
};

/// The security declarations of a route. Requirements are in the form of OpenAPI.
struct SecurityDeclaration {
  std::optional<nlohmann::ordered_json> documented;     ///< `docs.security`
  bool auth_disabled = false;                           ///< `auth: false`
  bool guarded = false;                                 ///< `auth: true`, or an object
  AuthNeeds needs = {};                                 ///< of the guard
  std::optional<nlohmann::ordered_json> auth_security;  ///< `auth.security`
  std::vector<std::string_view> middlewares;            ///< names that the route refers to
};

/// Schemes that the configuration need not describe.
inline constexpr std::string_view kBearerAuth = "bearerAuth";
inline constexpr std::string_view kSessionCookie = "sessionCookie";
inline constexpr std::string_view kMutualTls = "mutualTLS";

/// The `security` of an operation; `[]` if it is public (docs/openapi.md).
/// `guard_security` is `openapi.guardSecurityMap`: middleware to security scheme. `auth_schemes` is
/// `openapi.authScheme`: the alternatives of `auth` if the route names none.
nlohmann::ordered_json operation_security(const SecurityDeclaration& declaration,
                                          const std::map<std::string, std::string>& guard_security,
                                          const std::vector<std::string>& auth_schemes);

/// The Security Scheme Object of a scheme that the configuration does not describe: the session's
/// cookie for `kSessionCookie`, a client certificate for `kMutualTls`, else HTTP bearer
/// authentication.
nlohmann::ordered_json default_security_scheme(std::string_view name,
                                               const std::string& session_cookie);

/// Converts the security requirements and schemes of a document to OpenAPI 3.0, where only OAuth 2
/// and OpenID Connect schemes have scopes, and client certificates have no scheme: an extension of
/// the operation, `x-fw-client-certificate`, says that it needs one.
void convert_security_to_3_0(nlohmann::ordered_json& document);

}  // namespace fw::schema
