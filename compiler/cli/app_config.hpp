// What documents take from the application's own configuration.
#pragma once

#include <filesystem>

#include "emit/openapi.hpp"

namespace fairway::cli {

/// Applies a JSON or YAML layer such as config/default.json to the options: `response.wrap` and,
/// below `openapi`, `info`, `servers`, `guardSecurityMap` and `securitySchemes`. Everything else is
/// the runtime's. Throws UserError naming the file, the JSON pointer and what must be there.
void apply_app_config(const std::filesystem::path& file, emit::OpenApiOptions& options);

}  // namespace fairway::cli
