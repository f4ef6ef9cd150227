// Converts the configuration to the options of the HTTP engine.
#pragma once

#include <fairway/config.hpp>

#include <memory>

#include "http/adapter.hpp"

namespace fw::detail {

/// Creates the configured engine.
std::unique_ptr<http::Adapter> make_adapter(HttpEngine engine);

/// The configuration must have no errors.
http::AdapterOptions adapter_options(const Config& config);

}  // namespace fw::detail
