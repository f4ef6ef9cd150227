#include "schema/operation_security.hpp"

#include "schema/openapi_names.hpp"

namespace fw::schema {
namespace {

using nlohmann::ordered_json;

ordered_json alternatives(const std::vector<std::string>& schemes) {
  ordered_json security = ordered_json::array();
  for (const std::string& name : schemes) {
    security.push_back(ordered_json::object({{name, ordered_json::array()}}));
  }
  return security;
}

ordered_json security_of_middlewares(const std::vector<std::string_view>& middlewares,
                                     const std::map<std::string, std::string>& guard_security) {
  ordered_json requirement = ordered_json::object();
  for (const std::string_view name : middlewares) {
    const auto scheme = guard_security.find(std::string(name));
    if (scheme != guard_security.end()) requirement[scheme->second] = ordered_json::array();
  }
  return requirement.empty() ? ordered_json::array() : ordered_json::array({requirement});
}

bool has_type(const ordered_json& schemes, const std::string& name, std::string_view type) {
  return schemes.value(name, ordered_json::object()).value("type", ordered_json()) == type;
}

void convert_requirement(ordered_json& requirement, const ordered_json& schemes,
                         ordered_json& operation) {
  ordered_json converted = ordered_json::object();
  for (auto& [name, scopes] : requirement.items()) {
    if (has_type(schemes, name, kMutualTls)) {
      operation[std::string(extensions::kClientCertificate)] = true;
    } else {
      const bool has_scopes =
          has_type(schemes, name, "oauth2") || has_type(schemes, name, "openIdConnect");
      converted[name] = has_scopes ? std::move(scopes) : ordered_json::array();
    }
  }
  requirement = std::move(converted);
}

}  // namespace

ordered_json operation_security(const SecurityDeclaration& declaration,
                                const std::map<std::string, std::string>& guard_security,
                                const std::vector<std::string>& auth_schemes) {
  if (declaration.documented) return *declaration.documented;
  if (declaration.auth_disabled) return ordered_json::array();
  if (!declaration.guarded) return security_of_middlewares(declaration.middlewares, guard_security);
  const AuthNeeds& needs = declaration.needs;
  if (!needs.anything()) return ordered_json::array();
  if (declaration.auth_security) return *declaration.auth_security;
  ordered_json security =
      needs.identity() ? alternatives(auth_schemes) : ordered_json::array({ordered_json::object()});
  if (needs.client_certificate) {
    for (ordered_json& requirement : security) {
      requirement[std::string(kMutualTls)] = ordered_json::array();
    }
  }
  return security;
}

ordered_json default_security_scheme(std::string_view name, const std::string& session_cookie) {
  ordered_json scheme;
  if (name == kSessionCookie) {
    scheme["type"] = "apiKey";
    scheme["in"] = "cookie";
    scheme["name"] = session_cookie;
  } else if (name == kMutualTls) {
    scheme["type"] = "mutualTLS";
  } else {
    scheme["type"] = "http";
    scheme["scheme"] = "bearer";
  }
  return scheme;
}

void convert_security_to_3_0(ordered_json& document) {
  const ordered_json::json_pointer at("/components/securitySchemes");
  const ordered_json schemes = document.value(at, ordered_json::object());
  for (auto& [path, item] : document["paths"].items()) {
    for (auto& [method, operation] : item.items()) {
      const auto security = operation.find("security");
      if (security == operation.end()) continue;
      ordered_json converted = std::move(*security);
      for (ordered_json& requirement : converted) {
        convert_requirement(requirement, schemes, operation);
      }
      operation["security"] = std::move(converted);
    }
  }
  for (const auto& [name, scheme] : schemes.items()) {
    if (has_type(schemes, name, kMutualTls)) document[at].erase(name);
  }
}

}  // namespace fw::schema
