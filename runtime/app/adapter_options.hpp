// What the configuration says of the HTTP front, in the front's own terms.
#pragma once

#include <fairway/config.hpp>

#include <memory>

#include "http/adapter.hpp"

namespace fw::detail {

/// The engine that is configured.
std::unique_ptr<http::Adapter> make_adapter(HttpEngine engine);

/// Of a configuration without errors.
http::AdapterOptions adapter_options(const Config& config);

}  // namespace fw::detail
