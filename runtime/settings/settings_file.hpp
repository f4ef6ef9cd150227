// JSON files that people write for an application: the layers of its configuration and its locale
// files. The program reads them when it starts, and `fairway doctor` before that.
#pragma once

#include <fairway/config.hpp>
#include <fairway/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_position.hpp"

namespace fw::settings {

/// An error in a file.
struct FileError {
  std::optional<base::TextPosition> position;
  std::string message;

  /// "config/default.json:3:5: /port: expected …"
  std::string in(std::string_view file) const;
};

/// The content of a file, or the reason why there is none.
struct FileText {
  std::string text;
  std::optional<FileError> error;
};

/// Only regular files are read: a directory has no text, and a pipe has it once.
FileText read_text(const std::filesystem::path& file);

/// The files NAME.json of a directory, sorted; none if there is no such directory. Names that begin
/// with a dot are an editor's: backups, and links that lock a file.
std::vector<std::filesystem::path> json_files_in(const std::filesystem::path& directory);

/// The values of FAIRWAY_ENV, which are profiles.
inline constexpr std::array<std::string_view, 3> kEnvironments = {"production", "development",
                                                                  "test"};
inline constexpr std::string_view kDefaultLayer = "default";
inline constexpr std::string_view kLocalLayer = "local";

/// Whether a program reads config/NAME.json although no option names it.
constexpr bool is_layer(std::string_view name) {
  return name == kDefaultLayer || name == kLocalLayer ||
         std::ranges::find(kEnvironments, name) != kEnvironments.end();
}

/// Whether an object has a key of the configuration.
bool has_config_key(const Json& object);

/// Parses the text of a file; appends an error and returns nothing if it is not JSON.
std::optional<Json> parse_file(std::string_view text, std::vector<FileError>& errors);

/// An error in the value to which a JSON pointer leads.
struct LayerError {
  std::string pointer;  ///< "/logger/levle"; empty for the whole layer
  std::string message;  ///< "unknown key; did you mean /logger/level?"

  /// "/logger/levle: unknown key; …"
  std::string text() const;
  /// With the position of the value in the text that it comes from.
  FileError in_text(std::string_view text) const;
};

/// Sets the members of a configuration for which a layer has values of the right type, and returns
/// the errors in the others.
std::vector<LayerError> apply_layer(Config& config, const Json& layer);

/// After `apply_layer`: the values of this layer that cannot work. A program rejects them only in
/// the whole configuration: a later layer, or its code, may replace them.
std::vector<LayerError> value_errors(const Config& config, const Json& layer);

}  // namespace fw::settings

namespace fw::detail {

/// The entry of a locale file for a key: a string, or `{"code", "message", "status"}`.
struct LocaleEntry {
  std::string message;
  Json code;  ///< null if absent
  std::optional<int> status;
};

using LocaleEntries = std::map<std::string, LocaleEntry, std::less<>>;

/// The valid entries in the text of a locale file. Appends the errors of others.
LocaleEntries read_locale_file(std::string_view text, std::vector<settings::FileError>& errors);

/// Whether the messages of a language are read, by `locale.supported`.
bool is_supported(const LocaleConfig& config, std::string_view language);

/// "locale.supported names 'fr', but there is no file locales/fr.json"
std::string missing_locale_file(const LocaleConfig& config, std::string_view language);

/// The first placeholder of a message, such as "{{ id }}".
struct Placeholder {
  std::string_view text;
  std::string_view name;  ///< "id"
};
std::optional<Placeholder> find_placeholder(std::string_view message);

}  // namespace fw::detail
