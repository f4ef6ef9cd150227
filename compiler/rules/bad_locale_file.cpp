// [bad-locale-file]
#include <algorithm>

#include "rules/settings_rules.hpp"

namespace fairway::rules {

void check_locales(const std::vector<LocaleFile>& files, const fw::LocaleConfig& config,
                   const SettingsFile& configuration, model::Diagnostics& diagnostics) {
  Reporter reporter(diagnostics);
  std::vector<LocaleMessages> read;
  for (const LocaleFile& locale : files) {
    if (!fw::detail::is_supported(config, locale.language)) continue;
    std::vector<fw::settings::FileError> errors;
    fw::detail::LocaleEntries entries;
    if (locale.file.error) {
      errors.push_back(*locale.file.error);
    } else {
      entries = fw::detail::read_locale_file(locale.file.text, errors);
    }
    for (const fw::settings::FileError& error : errors) {
      report_in(locale.file, error, rules::bad_locale_file, reporter);
    }
    if (errors.empty()) read.push_back({locale, std::move(entries)});
  }
  for (const std::string& language : config.supported) {
    if (std::ranges::find(files, language, &LocaleFile::language) != files.end()) continue;
    const fw::settings::LayerError error{"/locale/supported",
                                         fw::detail::missing_locale_file(config, language)};
    report_in(configuration, {error.in_text(configuration.text).position, error.message},
              rules::bad_locale_file, reporter);
  }
  const auto standard = std::ranges::find_if(read, [&](const LocaleMessages& messages) {
    return messages.source.language == config.default_language;
  });
  if (standard == read.end()) return;
  for (const LocaleMessages& other : read) {
    if (&other != &*standard) lint_locale_differs(other, *standard, diagnostics);
  }
}

}  // namespace fairway::rules
