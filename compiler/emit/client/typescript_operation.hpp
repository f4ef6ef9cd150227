// One operation in TypeScript.
#pragma once

#include <string>

#include "emit/client/client_api.hpp"
#include "emit/client/typescript_types.hpp"

namespace fairway::emit {

/// The method `name` of the client's class, as whole lines; declares the types that it needs.
std::string typescript_method(const ClientOperation& operation, const std::string& name,
                              bool envelope, TypeScriptTypes& types);

}  // namespace fairway::emit
