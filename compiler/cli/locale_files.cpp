#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/settings.hpp"
#include "files/data_file.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;
using model::Json;

/// As runtime/errors/locales.cpp reads it.
std::optional<model::LocaleError> read_entry(const Json& value) {
  model::LocaleError error;
  if (value.is_string()) return error;
  if (!value.is_object()) return std::nullopt;
  for (const auto& [name, member] : value.items()) {
    if (name == "code" && (member.is_string() || member.is_number())) {
      // A code with a fraction is none that clients can compare.
      if (!member.is_number_float()) error.code = member.dump();
    } else if (name == "status" && member.is_number_integer() && member >= 400 && member <= 599) {
      error.status = member.get<int>();
    } else if (name != "message" || !member.is_string()) {
      return std::nullopt;
    }
  }
  return error;
}

}  // namespace

std::vector<fs::path> read_locale_files(const LocaleSettings& locale,
                                        model::AppSettings& settings) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& item : fs::directory_iterator(locale.directory, ignored)) {
    const std::string language = item.path().stem().string();
    const bool is_supported =
        locale.supported.empty() || language == locale.default_language ||
        std::ranges::find(locale.supported, language) != locale.supported.end();
    if (item.path().extension() == ".json" && is_supported) files.push_back(item.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    Json content;
    try {
      content = files::read_data(file.string(), files::read_file(file).value_or(""));
    } catch (const files::BadData&) {
      continue;
    }
    if (!content.is_object()) continue;
    for (const auto& [key, value] : content.items()) {
      const auto error = read_entry(value);
      if (!error) continue;
      std::vector<model::LocaleError>& known = settings.locale_errors[key];
      if (std::ranges::find(known, *error) == known.end()) known.push_back(*error);
    }
  }
  return files;
}

}  // namespace fairway::cli
