// Converts the configuration to the options of the HTTP engine.
#pragma once

#include <fairway/config.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/adapter.hpp"

namespace fw::detail {

/// Creates the configured engine.
std::unique_ptr<http::Adapter> make_adapter(HttpEngine engine);

/// Whether clients with TLS may choose HTTP/2.
bool offers_http2(const Config& config);

/// The configuration must have no errors.
http::AdapterOptions adapter_options(const Config& config);

/// The error response of the engine to a request that no handler sees. An empty message stands for
/// the message of the status.
std::pair<http::ResponseHead, std::string> adapter_error(const Config& config, int status,
                                                         std::string_view message);

}  // namespace fw::detail
