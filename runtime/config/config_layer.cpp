// Applies a JSON layer to a configuration and reports all errors.
#include <fairway/config.hpp>
#include <fairway/errors.hpp>

#include <string>
#include <utility>
#include <vector>

#include "settings/settings_file.hpp"

namespace fw {

void apply_config_layer(Config& config, const Json& layer, const std::string& source) {
  std::vector<std::string> errors;
  for (const config::LayerError& error : config::apply_layer(config, layer)) {
    errors.push_back(source + ": " + error.text());
  }
  if (!errors.empty()) throw StartupError(std::move(errors));
}

}  // namespace fw
