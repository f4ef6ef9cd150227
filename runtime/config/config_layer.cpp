// Applies a JSON layer to a configuration and reports all errors.
#include <fairway/config.hpp>
#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/json_text.hpp"
#include "base/suggest.hpp"
#include "config/config_table.hpp"

namespace fw {
namespace {

using config::ConfigKey;

/// The first `depth` names of a pointer.
std::string_view ancestor(std::string_view pointer, std::ptrdiff_t depth) {
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/' && depth-- == 0) return pointer.substr(0, i);
  }
  return pointer;
}

std::string nearest_key(std::string_view pointer) {
  const auto depth = std::count(pointer.begin(), pointer.end(), '/');
  std::vector<std::string_view> candidates;
  for (const ConfigKey& key : config::config_keys()) {
    candidates.push_back(ancestor(key.pointer, depth));
  }
  const auto near = base::near_names(pointer, candidates);
  return near.empty() ? std::string() : fmt::format("; did you mean {}?", near.front());
}

void apply(Config& config, const Json& value, const std::string& pointer, const std::string& source,
           std::vector<std::string>& errors) {
  const auto keys = config::config_keys();
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const ConfigKey& candidate) {
    return candidate.pointer == pointer;
  });
  if (key != keys.end()) {
    if (!key->read(config, value)) {
      errors.push_back(fmt::format("{}: {}: expected {}, not {}", source, pointer, key->expectation,
                                   value.dump()));
    }
    return;
  }
  const bool is_group = std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& candidate) {
    return candidate.pointer.starts_with(pointer + "/");
  });
  if (!is_group) {
    errors.push_back(fmt::format("{}: {}: unknown key{}", source, pointer, nearest_key(pointer)));
  } else if (!value.is_object()) {
    errors.push_back(
        fmt::format("{}: {}: expected an object, not {}", source, pointer, value.dump()));
  } else {
    for (const auto& [name, member] : value.items()) {
      apply(config, member, pointer + base::pointer_step(name), source, errors);
    }
  }
}

}  // namespace

void apply_config_layer(Config& config, const Json& layer, const std::string& source) {
  std::vector<std::string> errors;
  if (layer.is_object()) {
    for (const auto& [name, member] : layer.items()) {
      apply(config, member, base::pointer_step(name), source, errors);
    }
  } else {
    errors.push_back(source + ": a configuration layer must be a JSON object");
  }
  if (!errors.empty()) throw StartupError(std::move(errors));
}

}  // namespace fw
