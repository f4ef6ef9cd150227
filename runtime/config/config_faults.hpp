// What is wrong with a configuration, however it was made.
#pragma once

#include <fairway/config.hpp>

#include <string>
#include <vector>

namespace fw::detail {

/// One text a fault, naming the key; empty when the application can start with it.
std::vector<std::string> config_faults(const Config& config);

}  // namespace fw::detail
