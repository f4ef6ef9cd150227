#include <algorithm>
#include <filesystem>
#include <vector>

#include "files/whole_file.hpp"
#include "project/settings.hpp"
#include "settings/settings_file.hpp"

namespace fairway::project {
namespace {

namespace fs = std::filesystem;

model::LocaleError error_of(const fw::detail::LocaleEntry& entry) {
  model::LocaleError error;
  // A code with a fraction is none that clients can compare.
  if (!entry.code.is_null() && !entry.code.is_number_float()) error.code = entry.code.dump();
  error.status = entry.status;
  return error;
}

}  // namespace

std::vector<fs::path> locale_files(const fw::LocaleConfig& locale) {
  std::vector<fs::path> files = fw::settings::json_files_in(locale.directory);
  std::erase_if(files, [&](const fs::path& file) {
    return !fw::detail::is_supported(locale, file.stem().string());
  });
  return files;
}

std::vector<fs::path> read_locale_files(const fw::LocaleConfig& locale,
                                        model::AppSettings& settings) {
  std::vector<fs::path> files = locale_files(locale);
  for (const fs::path& file : files) {
    std::vector<fw::settings::FileError> ignored;
    const auto entries = fw::detail::read_locale_file(files::read_file(file).value_or(""), ignored);
    for (const auto& [key, entry] : entries) {
      const model::LocaleError error = error_of(entry);
      std::vector<model::LocaleError>& known = settings.locale_errors[key];
      if (std::ranges::find(known, error) == known.end()) known.push_back(error);
    }
  }
  return files;
}

}  // namespace fairway::project
