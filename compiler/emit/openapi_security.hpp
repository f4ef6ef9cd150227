// Security of operations in the OpenAPI document (reference: Documentation metadata, the
// inference order).
#pragma once

#include <map>
#include <string>

#include "model/application.hpp"

namespace fairway::emit {

/// Whether the guard can answer 401 and 403.
bool is_guarded(const model::Route& route);

/// The operation's `security`: `[]` for a public one.
model::Json operation_security(const model::Route& route,
                               const std::map<std::string, std::string>& guard_security);

/// Adds the schemes that a `security` member names. Routes name schemes without a type: those that
/// are not `described` by the configuration are HTTP bearer schemes.
void add_security_schemes(const model::Json& security, const model::Json& described,
                          model::Json& schemes);

}  // namespace fairway::emit
