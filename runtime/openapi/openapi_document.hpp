// The document of the running application: the document that the compiler embedded, adjusted to the
// configuration.
#pragma once

#include <fairway/config.hpp>

#include <nlohmann/json.hpp>

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/route.hpp"

namespace fw::openapi {

/// Adds the document of a mounted table to `document`, which is null before the first one. Appends
/// an error if it cannot be read or conflicts with another document.
void add_document(nlohmann::ordered_json& document, std::string_view text,
                  std::vector<std::string>& errors);

/// Applies `response.wrap`, `openapi.guardSecurityMap`, `etag`, `cache`, and the other settings
/// below `openapi`: see `apply_settings`.
void apply_configuration(nlohmann::ordered_json& document, const Config& config,
                         std::span<const detail::Route* const> routes);

/// Applies the settings that are members of OpenAPI: `info` (without empty texts), `servers` (if
/// there are any) and `securitySchemes` (those that are used).
void apply_settings(nlohmann::ordered_json& document, const Json& settings);

/// Appends an error for each duplicate operation id.
void check_operation_ids(std::span<const detail::Route* const> routes,
                         std::vector<std::string>& errors);

// envelope.cpp: For applications with `response.wrap` false.

/// Replaces each envelope of a response by its data, in schemas and in examples.
void remove_envelopes(nlohmann::ordered_json& document);

// unused_components.cpp

/// Paths of components below `components`: "schemas/Order".
using ComponentNames = std::set<std::string>;

/// Components that no operation reaches, through references, discriminators and `security`.
ComponentNames unused_components(const nlohmann::ordered_json& document);

/// Removes unused components, except those in `kept` and the components they refer to. If `kept`
/// has the unused components of an earlier state, this removes those that have become unused since.
void remove_unused_components(nlohmann::ordered_json& document, const ComponentNames& kept);

}  // namespace fw::openapi
