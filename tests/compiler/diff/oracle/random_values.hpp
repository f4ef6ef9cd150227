// Values made at random that match a schema, or nearly do.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>

#include "random_source.hpp"

namespace fairway::testing {

/// `count` values for the component `Root` of a document.
nlohmann::ordered_json random_values(const nlohmann::ordered_json& document, std::size_t count,
                                     RandomSource& random);

}  // namespace fairway::testing
