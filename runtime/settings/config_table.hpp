// The table of configuration keys and their members of fw::Config.
#pragma once

#include <fairway/config.hpp>
#include <fairway/json.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "settings/value_checks.hpp"

namespace fw::config {

struct ConfigKey {
  std::string_view pointer;      ///< JSON pointer in a layer: "/response/wrap"
  std::string_view expectation;  ///< the expected value: "true or false"
  /// Sets the member; returns false if the value is invalid.
  std::function<bool(Config&, const Json&)> read;
  std::function<Json(const Config&)> write;
  /// What is wrong with the member, which `read` has accepted.
  std::function<ValueErrors(const Config&)> errors;
};

std::span<const ConfigKey> config_keys();

}  // namespace fw::config
