// The rules for the JSON files of a project, which its program reads when it starts. Each function
// is in a separate file that is named after the id of its rule.
#pragma once

#include <fairway/config.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostic.hpp"
#include "rules/reporter.hpp"
#include "settings/settings_file.hpp"

namespace fairway::rules {

// NOLINTBEGIN(readability-identifier-naming): rules have the names of their diagnostics.
inline constexpr model::Rule bad_configuration{
    "bad-configuration", model::Severity::error,
    "a configuration file must have valid values for known keys",
    "The program does not start with an error in a file of 'config/' that it reads: default.json, "
    "local.json, and production.json, development.json or test.json. It may start if a later file "
    "replaces a value that cannot work; leave such a key out instead. The keys and their values "
    "are in docs/configuration.md; 'app' has the keys of the application. 'middlewares' names "
    "files "
    "of middlewares/, of any application of the build; middlewares of an installed library "
    "must be declared with 'OPTIONS --middleware NAME' of fairway_add_app. "
    "Errors that involve several keys are reported when the program starts.",
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
  std::optional<fw::settings::FileError> error = {};  ///< why it has no text
};

/// The source of an error: a name in quotation marks, or one character.
model::Range range_of(const SettingsFile& file, const fw::base::TextPosition& position);

/// Reports the error at its position, or for the whole file.
model::Diagnostic& report_in(const SettingsFile& file, const fw::settings::FileError& error,
                             const model::Rule& rule, Reporter& reporter);

/// The names that `middlewares` of a configuration may list.
using MiddlewareNames = std::set<std::string>;

/// The errors in a layer; sets the members of `config` for which it has values of the right type.
std::vector<fw::settings::FileError> errors_in(const SettingsFile& file,
                                               const MiddlewareNames& middlewares,
                                               fw::Config& config);

/// [bad-configuration] Sets the members of `config` for which the file has values of the right
/// type.
void check_configuration(const SettingsFile& file, const MiddlewareNames& middlewares,
                         fw::Config& config, model::Diagnostics& diagnostics);

/// [broken-profile] A file of 'config/' that the program reads only with an option, and that may
/// have another purpose. Sets the members of `config` like check_configuration.
void lint_broken_profile(const SettingsFile& file, std::string_view profile,
                         const MiddlewareNames& middlewares, fw::Config& config,
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
