// Applications made at random, with every option that a route can have.
#pragma once

#include <cstdint>

#include "rules/check.hpp"

namespace fairway::testing {

/// The same application for the same seed, on every platform.
rules::CheckedApplication random_application(std::uint32_t seed);

}  // namespace fairway::testing
