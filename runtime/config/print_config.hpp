// `--print-config`: the effective configuration and the origin of each value. It has no secrets.
#pragma once

#include <fairway/config.hpp>

#include <map>
#include <string>

namespace fw::config {

/// The name of the layer of each value, by JSON pointer. Absent keys have their defaults.
using ConfigOrigins = std::map<std::string, std::string>;

/// Records `source` for every key that the layer sets.
void note_origins(ConfigOrigins& origins, const Json& layer, const std::string& source);

/// One line per key: pointer, value, origin. Hides secrets: members whose names suggest passwords,
/// tokens or keys, and credentials in URLs.
std::string render_config(const Config& config, const ConfigOrigins& origins);

/// The same as an object, without origins, for `/config` of the admin listener.
Json shown_config(const Config& config);

}  // namespace fw::config
