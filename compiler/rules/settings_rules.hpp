// The rules for the JSON files of a project, which its program reads when it starts. Each function
// is in a separate file that is named after the id of its rule.
#pragma once

#include <fairway/config.hpp>

#include <string>
#include <vector>

#include "model/diagnostic.hpp"
#include "rules/reporter.hpp"
#include "settings/settings_file.hpp"

namespace fairway::rules {

// NOLINTBEGIN(readability-identifier-naming): rules have the names of their diagnostics.
inline constexpr model::Rule bad_configuration{
    "bad-configuration", model::Severity::error,
    "a configuration file must have valid values for known keys",
    "The files of 'config/' are layers of the configuration, and the program does not start with "
    "an error in one of those that it reads. The keys and their values are in "
    "docs/configuration.md; 'app' has the keys of the application. Errors that involve several "
    "keys "
    "are reported when the program starts.",
    R"({
  "ratelimit": { "max": 100 },
  "server": { "maxWorkers": 0, "http2": true }
})"};

inline constexpr model::Rule bad_locale_file{
    "bad-locale-file", model::Severity::error,
    "a locale file must be an object of messages, one for each supported language",
    "The value of a key is a message, or an object of 'message', 'code' and 'status'. The program "
    "does not start with an error in a locale file, nor without the file of a language in "
    "'locale.supported'.",
    R"({
  "user.notFound": { "message": "User {{id}} does not exist", "status": 200 }
})"};

inline constexpr model::Rule kSettingsRules[] = {bad_configuration, bad_locale_file};
// NOLINTEND(readability-identifier-naming)

/// A file as it is named in diagnostics, and its content.
struct SettingsFile {
  std::string display_path;
  std::string text;
};

/// The source of an error: a name in quotation marks, or one character.
model::Range range_of(const SettingsFile& file, const fw::base::TextPosition& position);

/// Reports the error at its position, or for the whole file.
void report_in(const SettingsFile& file, const fw::config::FileError& error,
               const model::Rule& rule, Reporter& reporter);

/// [bad-configuration] Sets the members of `config` for which the file has valid values.
void check_configuration(const SettingsFile& file, fw::Config& config,
                         model::Diagnostics& diagnostics);

struct LocaleFile {
  std::string language;
  SettingsFile file;
};

/// [bad-locale-file] [locale-differs] `configuration` is the file with `locale`, if there is one.
void check_locales(const std::vector<LocaleFile>& files, const fw::LocaleConfig& config,
                   const SettingsFile& configuration, model::Diagnostics& diagnostics);

/// [locale-differs] The valid entries of the files of a language and of the default language.
struct LocaleMessages {
  const LocaleFile& source;
  fw::detail::LocaleEntries entries;
};
void lint_locale_differs(const LocaleMessages& other, const LocaleMessages& standard,
                         model::Diagnostics& diagnostics);

}  // namespace fairway::rules
