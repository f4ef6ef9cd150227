// The one list that binds each configuration key to its member of fw::Config.
#pragma once

#include <fairway/config.hpp>
#include <fairway/json.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fw::detail {

struct ConfigKey {
  std::string_view pointer;      ///< JSON pointer in a layer: "/response/wrap"
  std::string_view expectation;  ///< what a value must be: "true or false"
  /// Takes a value over; false when it is not what is expected.
  std::function<bool(Config&, const Json&)> read;
  std::function<Json(const Config&)> write;
};

std::span<const ConfigKey> config_keys();

}  // namespace fw::detail
