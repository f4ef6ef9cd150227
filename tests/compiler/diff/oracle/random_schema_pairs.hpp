// Pairs of JSON Schemas made at random: two independent ones, or one and the same after small
// edits.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>

#include "contract_test/random_source.hpp"

namespace fairway::testing {

using contract_test::RandomSource;

/// Both are OpenAPI documents with one operation whose request body and response are the component
/// `Root`, which refers to other components.
struct SchemaPair {
  nlohmann::ordered_json before;
  nlohmann::ordered_json after;
};

/// The same pair for the same seed on every platform.
SchemaPair random_schema_pair(std::uint32_t seed);

}  // namespace fairway::testing
