// What the route compiler knows of the configuration of an application.
#pragma once

#include <fairway/config.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fairway::model {

/// What a locale file says of the errors with a key.
struct LocaleError {
  std::optional<int> status = {};
  std::string code = {};  ///< in JSON; empty: the status

  friend bool operator==(const LocaleError&, const LocaleError&) = default;
};

/// A setting in the application's configuration that has no effect, or a bad one, without HTTPS.
struct HttpsSetting {
  std::string pointer;      ///< a JSON pointer
  std::string consequence;  ///< what happens in cleartext
};

/// Layers that the compiler does not read, such as the layer of a profile, may change it.
struct AppSettings {
  bool is_known = false;   ///< whether a configuration was given
  fw::Config config = {};  ///< the runtime's defaults, and what was given
  std::string file = {};   ///< of the configuration, as it was given
  std::vector<HttpsSetting> https_settings = {};
  bool has_https = false;  ///< `server.tls` or `trustProxy`, in a file of the configuration
  /// The names in `middlewares` of all files of the configuration, if they have no errors.
  std::optional<std::set<std::string>> listed_middlewares = {};
  /// By key: the different entries of all languages.
  std::map<std::string, std::vector<LocaleError>, std::less<>> locale_errors = {};
};

}  // namespace fairway::model
