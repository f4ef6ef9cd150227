// Removes the envelopes from the embedded document, for applications with `response.wrap` false.
#pragma once

#include <nlohmann/json.hpp>

namespace fw::openapi {

/// Replaces each envelope of a response by its data, in schemas and in examples.
void remove_envelopes(nlohmann::ordered_json& document);

}  // namespace fw::openapi
