// The table of configuration keys and their members of fw::Config.
#pragma once

#include <fairway/config.hpp>
#include <fairway/json.hpp>

#include <span>
#include <string_view>

#include "settings/value_checks.hpp"

namespace fw::settings {

struct ConfigKey {
  std::string_view pointer;      ///< JSON pointer in a layer: "/response/wrap"
  std::string_view expectation;  ///< the expected value: "true or false"

  /// Sets the member; returns false if the value is invalid.
  bool read(Config& config, const Json& value) const;
  Json write(const Config& config) const;
  /// What is wrong with the member, which `read` has accepted.
  ValueErrors errors(const Config& config) const;

  // The same for any member of the key's kind:
  const void* (*member)(const Config&);
  bool (*read_member)(void* member, const Json& value);
  Json (*write_member)(const void* member);
  ValueErrors (*check)(const void* member);  ///< null: all that is read is right
};

std::span<const ConfigKey> config_keys();

}  // namespace fw::settings
