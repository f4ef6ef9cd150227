// What documents take from the application's own configuration.
#pragma once

#include <filesystem>

#include "emit/openapi.hpp"

namespace fairway::cli {

/// Applies a JSON layer such as config/default.json to the options: `response.wrap` and, below
/// `openapi`, `info`, `servers`, `guardSecurityMap` and `securitySchemes`. Everything else is the
/// runtime's. Throws UsageError naming the file, the place and what belongs there.
void apply_app_config(const std::filesystem::path& file, emit::OpenApiOptions& options);

}  // namespace fairway::cli
