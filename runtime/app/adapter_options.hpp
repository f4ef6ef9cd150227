// What the configuration says of the HTTP front, in the front's own terms.
#pragma once

#include <fairway/config.hpp>

#include "http/adapter.hpp"

namespace fw::detail {

/// Of a configuration without faults.
http::AdapterOptions adapter_options(const Config& config);

}  // namespace fw::detail
