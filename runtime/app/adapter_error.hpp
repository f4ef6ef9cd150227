// The error response of the HTTP engine to a request that no handler sees.
#pragma once

#include <fairway/config.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "http/adapter.hpp"

namespace fw::detail {

/// An empty message stands for the message of the status.
std::pair<http::ResponseHead, std::string> adapter_error(const Config& config, int status,
                                                         std::string_view message);

}  // namespace fw::detail
