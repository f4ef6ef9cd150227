// Security of an operation in the OpenAPI document: the compiler infers it from the route's source,
// the runtime from the registered route, as the configuration of the process may name other guards.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw::schema {

/// What a route declares about its security. Requirements are in OpenAPI's form.
struct SecurityDeclaration {
  std::optional<nlohmann::ordered_json> documented;  ///< `docs.security`
  bool auth_disabled = false;                        ///< `auth: false`
  bool guarded = false;                              ///< `auth: true`, or an object
  bool required = true;                              ///< `auth.required`
  bool has_rules = false;  ///< roles, scopes, permissions or check declared
  std::optional<nlohmann::ordered_json> auth_security;  ///< `auth.security`
  std::vector<std::string_view> middlewares;            ///< names that the route refers to
};

/// The operation's `security`, `[]` for a public one, in the reference's order of inference.
/// `guard_security` is `openapi.guardSecurityMap`: middleware to security scheme.
nlohmann::ordered_json operation_security(const SecurityDeclaration& declaration,
                                          const std::map<std::string, std::string>& guard_security);

}  // namespace fw::schema
