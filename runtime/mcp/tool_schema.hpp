// Schemas of an OpenAPI document as JSON Schema that needs no document.
#pragma once

#include <nlohmann/json.hpp>

namespace fw::mcp {

/// The component that `value` refers to with `$ref`; otherwise `value`. A reference to nothing is
/// not followed.
const nlohmann::ordered_json& referenced(const nlohmann::ordered_json& document,
                                         const nlohmann::ordered_json& value);

/// The schema with the components that it reaches in `$defs`, in the dialect 2020-12, without what
/// only OpenAPI has.
nlohmann::ordered_json self_contained(nlohmann::ordered_json schema,
                                      const nlohmann::ordered_json& document);

}  // namespace fw::mcp
