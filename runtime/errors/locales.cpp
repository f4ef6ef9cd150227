#include "errors/locales.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/ascii.hpp"
#include "base/json_position.hpp"

namespace fw::detail {
namespace {

std::optional<LocaleEntry> read_entry(const Json& value) {
  LocaleEntry entry;
  if (value.is_string()) {
    entry.message = value;
    return entry;
  }
  if (!value.is_object()) return std::nullopt;
  for (const auto& [name, member] : value.items()) {
    if (name == "message" && member.is_string()) {
      entry.message = member;
    } else if (name == "code" && (member.is_string() || member.is_number())) {
      entry.code = member;
    } else if (name == "status" && member.is_number_integer() && member >= 400 && member <= 599) {
      entry.status = member.get<int>();
    } else {
      return std::nullopt;
    }
  }
  return entry;
}

std::string_view without_region(std::string_view language) {
  return language.substr(0, language.find('-'));
}

struct Preference {
  std::string_view language;
  double weight;
};

/// The languages of an Accept-Language field, most preferred first, without those with q=0.
std::vector<Preference> parse_accept_language(std::string_view field) {
  std::vector<Preference> preferences;
  base::for_each_token(field, ',', [&](std::string_view item) {
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

/// The content of a locale file.
std::optional<Json> read_object(const std::filesystem::path& file,
                                std::vector<std::string>& errors) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  try {
    Json content = Json::parse(text.str());
    if (content.is_object()) return content;
    errors.push_back(fmt::format("{}: a locale file must contain one JSON object", file.string()));
  } catch (const Json::exception& error) {
    errors.push_back(fmt::format("{}: not valid JSON: {}", file.string(),
                                 base::syntax_error(text.str(), error)));
  }
  return std::nullopt;
}

}  // namespace

Locales Locales::load(const LocaleConfig& config, std::vector<std::string>& errors) {
  namespace fs = std::filesystem;
  Locales locales;
  locales.default_language_ = config.default_language;
  std::error_code ignored;
  std::vector<fs::path> files;
  for (const auto& item : fs::directory_iterator(config.directory, ignored)) {
    if (item.path().extension() == ".json") files.push_back(item.path());
  }
  std::sort(files.begin(), files.end());
  const auto supported = [&](const std::string& language) {
    return config.supported.empty() || language == config.default_language ||
           std::find(config.supported.begin(), config.supported.end(), language) !=
               config.supported.end();
  };
  for (const fs::path& file : files) {
    const std::string language = file.stem().string();
    if (!supported(language)) continue;
    const auto content = read_object(file, errors);
    if (!content) continue;
    Entries& entries = locales.languages_[language];
    for (const auto& [key, value] : content->items()) {
      if (auto entry = read_entry(value)) {
        if (entry->message.empty()) entry->message = key;
        entries.emplace(key, std::move(*entry));
      } else {
        errors.push_back(
            fmt::format("{}: \"{}\" must be a string, or an object of code (string or number), "
                        "message (string) "
                        "and status (400 to 599)",
                        file.string(), key));
      }
    }
  }
  for (const std::string& language : config.supported) {
    if (!locales.languages_.contains(language)) {
      errors.push_back(fmt::format("locale.supported names '{}', but there is no file {}/{}.json",
                                   language, config.directory, language));
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
