// What is wrong with a configuration, however it was made.
#pragma once

#include <fairway/config.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fw::detail {

/// One text an error, naming the key; empty when the application can start with it.
std::vector<std::string> config_errors(const Config& config);

/// Whether a path of the configuration can be served: it begins with / and has no parameters.
bool is_plain_path(std::string_view path);

}  // namespace fw::detail
