// Checks a complete configuration.
#pragma once

#include <fairway/config.hpp>

#include <string>
#include <vector>

namespace fw::config {

/// One message per error, with the key; empty if the configuration is valid.
std::vector<std::string> config_errors(const Config& config);

/// One message for each setting of a valid configuration that has no effect.
std::vector<std::string> config_warnings(const Config& config);

}  // namespace fw::config
