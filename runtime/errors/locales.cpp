#include "errors/locales.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>

#include "base/ascii.hpp"

namespace fw::detail {
namespace {

std::string_view without_region(std::string_view language) {
  return language.substr(0, language.find('-'));
}

struct Preference {
  std::string_view language;
  double weight;
};

/// Of a field, each of which is compared with all locales. Browsers send a few.
constexpr std::size_t kMaxPreferences = 32;

/// The first languages of an Accept-Language field, most preferred first, without those with q=0.
std::vector<Preference> parse_accept_language(std::string_view field) {
  std::vector<Preference> preferences;
  base::for_each_token(field, ',', [&](std::string_view item) {
    if (preferences.size() == kMaxPreferences) return;
    double weight = 1;
    const auto semicolon = item.find(';');
    if (semicolon != std::string_view::npos) {
      const std::string_view parameter = base::trim_ows(item.substr(semicolon + 1));
      if (parameter.starts_with("q=") || parameter.starts_with("Q=")) {
        std::from_chars(parameter.data() + 2, parameter.data() + parameter.size(), weight);
      }
    }
    const std::string_view language = base::trim_ows(item.substr(0, semicolon));
    if (!language.empty() && weight > 0) preferences.push_back({language, weight});
  });
  std::stable_sort(preferences.begin(), preferences.end(),
                   [](const Preference& a, const Preference& b) { return a.weight > b.weight; });
  return preferences;
}

}  // namespace

Locales Locales::load(const LocaleConfig& config, std::vector<std::string>& errors) {
  Locales locales;
  locales.default_language_ = config.default_language;
  for (const std::filesystem::path& file : settings::json_files_in(config.directory)) {
    const std::string language = file.stem().string();
    if (!is_supported(config, language)) continue;
    const auto [text, error] = settings::read_text(file);
    std::vector<settings::FileError> found;
    if (error) found.push_back(*error);
    locales.languages_[language] = error ? LocaleEntries() : read_locale_file(text, found);
    for (const settings::FileError& each : found) errors.push_back(each.in(file.string()));
  }
  for (const std::string& language : config.supported) {
    if (!locales.languages_.contains(language)) {
      errors.push_back(missing_locale_file(config, language));
    }
  }
  return locales;
}

const std::string& Locales::choose(std::string_view accept_language) const {
  for (const Preference& preference : parse_accept_language(accept_language)) {
    if (preference.language == "*") return default_language_;
    for (const auto& [language, entries] : languages_) {
      if (base::equal_ignoring_case(language, preference.language)) return language;
    }
    // For "zh" or "zh-TW", "zh-CN" is better than another language. Among equal matches, the
    // default language wins.
    if (!languages_.empty() && base::equal_ignoring_case(without_region(default_language_),
                                                         without_region(preference.language))) {
      return default_language_;
    }
    for (const auto& [language, entries] : languages_) {
      if (base::equal_ignoring_case(without_region(language),
                                    without_region(preference.language))) {
        return language;
      }
    }
  }
  return default_language_;
}

const LocaleEntry* Locales::find(const std::string& language, std::string_view key) const {
  for (const std::string& candidate : {language, default_language_}) {
    const auto entries = languages_.find(candidate);
    if (entries == languages_.end()) continue;
    const auto entry = entries->second.find(key);
    if (entry != entries->second.end()) return &entry->second;
  }
  return nullptr;
}

}  // namespace fw::detail
