// Messages in several languages, from `locales/<language>.json`.
#pragma once

#include <fairway/config.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "settings/settings_file.hpp"

namespace fw::detail {

/// The messages of an application. Immutable after `load`, and thread-safe.
class Locales {
 public:
  /// Reads the files of the configured directory; a missing directory is not an error. Appends the
  /// errors in files to `errors`.
  static Locales load(const LocaleConfig& config, std::vector<std::string>& errors);

  /// The best supported language for an Accept-Language value, or the default.
  const std::string& choose(std::string_view accept_language) const;

  /// The entry in that language, or in the default one; null if there is none.
  const LocaleEntry* find(const std::string& language, std::string_view key) const;

  bool empty() const { return languages_.empty(); }

 private:
  std::map<std::string, LocaleEntries> languages_;
  std::string default_language_;
};

}  // namespace fw::detail
