// Finds and removes unused components of a document.
#pragma once

#include <nlohmann/json.hpp>

#include <set>
#include <string>

namespace fw::openapi {

/// Paths of components below `components`: "schemas/Order".
using ComponentNames = std::set<std::string>;

/// Components that no operation reaches, through references, discriminators and `security`.
ComponentNames unused_components(const nlohmann::ordered_json& document);

/// Removes unused components, except those in `kept` and the components they refer to. If `kept`
/// has the unused components of an earlier state, this removes those that have become unused since.
void remove_unused_components(nlohmann::ordered_json& document, const ComponentNames& kept);

}  // namespace fw::openapi
