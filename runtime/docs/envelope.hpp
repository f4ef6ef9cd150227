// The embedded document describes responses inside the envelope; an application whose
// `response.wrap` is off sends them without.
#pragma once

#include <nlohmann/json.hpp>

namespace fw::docs {

/// Puts the data in the place of each envelope around a response of `document`, in schemas and in
/// examples.
void remove_envelopes(nlohmann::ordered_json& document);

}  // namespace fw::docs
