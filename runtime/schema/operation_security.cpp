#include "schema/operation_security.hpp"

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

}  // namespace

ordered_json operation_security(const SecurityDeclaration& declaration,
                                const std::map<std::string, std::string>& guard_security,
                                const std::vector<std::string>& auth_schemes) {
  if (declaration.documented) return *declaration.documented;
  if (declaration.auth_disabled) return ordered_json::array();
  if (!declaration.guarded) return security_of_middlewares(declaration.middlewares, guard_security);
  if (!declaration.required && !declaration.has_rules) return ordered_json::array();
  return declaration.auth_security ? *declaration.auth_security : alternatives(auth_schemes);
}

ordered_json default_security_scheme(std::string_view name, const std::string& session_cookie) {
  ordered_json scheme;
  if (name == kSessionCookie) {
    scheme["type"] = "apiKey";
    scheme["in"] = "cookie";
    scheme["name"] = session_cookie;
  } else {
    scheme["type"] = "http";
    scheme["scheme"] = "bearer";
  }
  return scheme;
}

}  // namespace fw::schema
