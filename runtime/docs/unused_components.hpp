// Components that nothing in a document refers to.
#pragma once

#include <nlohmann/json.hpp>

#include <set>
#include <string>

namespace fw::docs {

/// "schemas/Order": a component's place below `components`.
using ComponentNames = std::set<std::string>;

/// Components that no operation reaches, through references, discriminators and `security`.
ComponentNames unused_components(const nlohmann::ordered_json& document);

/// Removes the components that nothing reaches but those in `kept`, and what these refer to. With
/// the unused ones of an earlier state as `kept` that is what has become unused since.
void remove_unused_components(nlohmann::ordered_json& document, const ComponentNames& kept);

}  // namespace fw::docs
