// The typed TypeScript client of an application, as one file.
#pragma once

#include <string>

#include "emit/client/client_api.hpp"

namespace fairway::emit {

std::string emit_typescript_client(const ClientApi& api, const std::string& name);

}  // namespace fairway::emit
