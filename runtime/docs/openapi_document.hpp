// The document of the running application: what the compiler embedded, brought into agreement with
// the configuration of this process.
#pragma once

#include <fairway/config.hpp>

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/route.hpp"

namespace fw::docs {

/// Adds the document of a mounted table to `document`, which is null before the first. Appends to
/// `errors` what cannot be read or be told apart.
void add_document(nlohmann::ordered_json& document, std::string_view text,
                  std::vector<std::string>& errors);

/// Applies `response.wrap`, `openapi.guardSecurityMap`, and what else the configuration says below
/// `openapi` of the document: see `apply_settings`.
void apply_configuration(nlohmann::ordered_json& document, const Config& config,
                         std::span<const detail::Route* const> routes);

/// Applies the members of `openapi` in a layer that are OpenAPI's own: `info` (texts that are not
/// empty), `servers` (when there are any) and `securitySchemes` (of those that are used).
void apply_settings(nlohmann::ordered_json& document, const Json& settings);

/// Appends an error for each operation id that two routes have.
void check_operation_ids(std::span<const detail::Route* const> routes,
                         std::vector<std::string>& errors);

}  // namespace fw::docs
