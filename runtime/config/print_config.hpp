// `--print-config`: the configuration as it is in effect, and where each value comes from.
#pragma once

#include <fairway/config.hpp>

#include <map>
#include <string>

namespace fw::detail {

/// Which layer a value comes from: JSON pointer to the name of the layer. A key that is not there
/// has its default.
using ConfigOrigins = std::map<std::string, std::string>;

/// Notes `source` for every key that the layer sets.
void note_origins(ConfigOrigins& origins, const Json& layer, const std::string& source);

/// One line a key: pointer, value, origin. Secrets are not shown: members with the names of
/// passwords, tokens and keys, and the user part of URLs.
std::string render_config(const Config& config, const ConfigOrigins& origins);

}  // namespace fw::detail
