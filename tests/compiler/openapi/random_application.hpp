// Applications made at random, with every option that a route can have.
#pragma once

#include <cstdint>

#include "check/resolve.hpp"

namespace fairway::testing {

/// The same application for the same seed, on every platform.
check::Resolution random_application(std::uint32_t seed);

}  // namespace fairway::testing
