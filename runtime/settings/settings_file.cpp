#include "settings/settings_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/json_text.hpp"
#include "base/suggest.hpp"
#include "settings/config_table.hpp"

namespace fw::settings {
namespace {

std::ptrdiff_t depth_of(std::string_view pointer) {
  return std::count(pointer.begin(), pointer.end(), '/');
}

/// The first `depth` names of a pointer.
std::string_view ancestor(std::string_view pointer, std::ptrdiff_t depth) {
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/' && depth-- == 0) return pointer.substr(0, i);
  }
  return pointer;
}

/// The last name of a pointer.
std::string_view name_of(std::string_view pointer) {
  return pointer.substr(pointer.rfind('/') + 1);
}

/// A similar name of the same object.
std::string_view similar_key(std::string_view pointer) {
  const std::string_view parent = pointer.substr(0, pointer.rfind('/') + 1);
  std::vector<std::string_view> names;
  for (const ConfigKey& key : config_keys()) {
    if (key.pointer.starts_with(parent)) {
      names.push_back(name_of(ancestor(key.pointer, depth_of(pointer))));
    }
  }
  const auto near = base::near_names(name_of(pointer), names);
  return near.empty() ? std::string_view() : near.front();
}

/// The key of this name in another object: the outermost, if there is only one there.
std::string_view misplaced_key(std::string_view pointer) {
  std::string_view found;
  bool is_only = true;
  for (const ConfigKey& key : config_keys()) {
    for (std::ptrdiff_t depth = 1; depth <= depth_of(key.pointer); ++depth) {
      const std::string_view candidate = ancestor(key.pointer, depth);
      if (name_of(candidate) != name_of(pointer) || candidate == found) continue;
      const bool is_further_in = !found.empty() && depth > depth_of(found);
      if (is_further_in) continue;
      is_only = found.empty() || depth < depth_of(found);
      found = candidate;
    }
  }
  return is_only ? found : std::string_view();
}

std::string suggestion_for(std::string_view pointer) {
  if (const std::string_view name = similar_key(pointer); !name.empty()) {
    const std::string_view parent = pointer.substr(0, pointer.rfind('/') + 1);
    return fmt::format("; did you mean {}{}?", parent, name);
  }
  const std::string_view key = misplaced_key(pointer);
  return key.empty() ? std::string() : fmt::format("; did you mean {}?", key);
}

void apply(Config& config, const Json& value, const std::string& pointer,
           std::vector<LayerError>& errors) {
  const auto keys = config_keys();
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const ConfigKey& candidate) {
    return candidate.pointer == pointer;
  });
  if (key != keys.end()) {
    if (!key->read(config, value)) {
      errors.push_back(
          {pointer, fmt::format("expected {}, not {}", key->expectation, value.dump())});
    }
    return;
  }
  const bool is_group = std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& candidate) {
    return candidate.pointer.starts_with(pointer + "/");
  });
  if (!is_group) {
    errors.push_back({pointer, "unknown key" + suggestion_for(pointer)});
  } else if (!value.is_object()) {
    errors.push_back({pointer, fmt::format("expected an object, not {}", value.dump())});
  } else {
    for (const auto& [name, member] : value.items()) {
      apply(config, member, pointer + base::pointer_step(name), errors);
    }
  }
}

}  // namespace

std::string FileError::in(std::string_view file) const {
  if (!position) return fmt::format("{}: {}", file, message);
  return fmt::format("{}:{}:{}: {}", file, position->line, position->column, message);
}

FileText read_text(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const auto fail = [](std::string_view reason) {
    return FileText{.text = "",
                    .error = FileError{std::nullopt, fmt::format("cannot be read: {}", reason)}};
  };
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status)) return fail("it is a directory");
  if (fs::is_fifo(status)) return fail("it is a pipe");
  if (fs::exists(status) && !fs::is_regular_file(status)) return fail("it is not a regular file");
  if (status.type() == fs::file_type::not_found &&
      fs::is_symlink(fs::symlink_status(file, error))) {
    return fail(fmt::format("it is a link to '{}', which does not exist",
                            fs::read_symlink(file, error).string()));
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(std::generic_category().message(errno));
  FileText content{.text = {std::istreambuf_iterator<char>(stream), {}}, .error = std::nullopt};
  if (stream.bad()) return fail(std::generic_category().message(errno));
  return content;
}

std::vector<std::filesystem::path> json_files_in(const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && !path.filename().string().starts_with('.')) {
      files.push_back(path);
    }
  }
  std::ranges::sort(files);
  return files;
}

bool has_config_key(const Json& object) {
  if (!object.is_object()) return false;
  const auto keys = config_keys();
  return std::any_of(object.items().begin(), object.items().end(), [&](const auto& member) {
    const std::string name = base::pointer_step(member.key());
    return std::any_of(keys.begin(), keys.end(),
                       [&](const ConfigKey& key) { return ancestor(key.pointer, 1) == name; });
  });
}

std::optional<Json> parse_file(std::string_view text, std::vector<FileError>& errors) {
  constexpr int kMaxDepth = 100;
  bool is_too_deep = false;
  const auto limit = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep = is_too_deep || depth > kMaxDepth;
    return !is_too_deep;
  };
  try {
    Json value = Json::parse(text, limit);
    if (!is_too_deep) {
      for (const base::DuplicateName& each : base::duplicate_names(text)) {
        errors.push_back(
            {each.position, fmt::format("{}: duplicate key; the first one is at line {}, column {}",
                                        each.pointer, each.first.line, each.first.column)});
      }
      return value;
    }
    errors.push_back({std::nullopt, fmt::format("nested more than {} levels deep", kMaxDepth)});
    return std::nullopt;
  } catch (const Json::exception& error) {  // also of a number such as 1e400
    base::SyntaxError wrong = base::syntax_error(text, error);
    errors.push_back({wrong.position, "not valid JSON: " + wrong.message});
    return std::nullopt;
  }
}

std::string LayerError::text() const {
  return pointer.empty() ? message : pointer + ": " + message;
}

FileError LayerError::in_text(std::string_view json) const {
  return {pointer.empty() ? std::nullopt : base::position_of(json, pointer), text()};
}

std::vector<LayerError> apply_layer(Config& config, const Json& layer) {
  std::vector<LayerError> errors;
  if (!layer.is_object()) return {{"", "a configuration layer must be a JSON object"}};
  for (const auto& [name, member] : layer.items()) {
    apply(config, member, base::pointer_step(name), errors);
  }
  return errors;
}

std::vector<LayerError> value_errors(const Config& config, const Json& layer) {
  std::vector<LayerError> errors;
  for (const ConfigKey& key : config_keys()) {
    if (!layer.contains(Json::json_pointer(std::string(key.pointer)))) continue;
    for (const ValueError& error : key.errors(config)) {
      errors.push_back({std::string(key.pointer) + error.pointer, error.message});
    }
  }
  return errors;
}

}  // namespace fw::settings

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

}  // namespace

LocaleEntries read_locale_file(std::string_view text, std::vector<settings::FileError>& errors) {
  LocaleEntries entries;
  const auto content = settings::parse_file(text, errors);
  if (!content) return entries;
  if (!content->is_object()) {
    errors.push_back({std::nullopt, "a locale file must contain one JSON object"});
    return entries;
  }
  for (const auto& [key, value] : content->items()) {
    if (auto entry = read_entry(value)) {
      if (entry->message.empty()) entry->message = key;
      entries.emplace(key, std::move(*entry));
    } else {
      errors.push_back({base::position_of(text, base::pointer_step(key)),
                        fmt::format("\"{}\" must be a string, or an object of code (string or "
                                    "number), message (string) and status (400 to 599)",
                                    key)});
    }
  }
  return entries;
}

bool is_supported(const LocaleConfig& config, std::string_view language) {
  return config.supported.empty() || language == config.default_language ||
         std::find(config.supported.begin(), config.supported.end(), language) !=
             config.supported.end();
}

std::string missing_locale_file(const LocaleConfig& config, std::string_view language) {
  return fmt::format("locale.supported names '{0}', but there is no file {1}/{0}.json", language,
                     config.directory);
}

std::optional<Placeholder> find_placeholder(std::string_view message) {
  const auto open = message.find("{{");
  const auto close = open == std::string_view::npos ? open : message.find("}}", open);
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view name = message.substr(open + 2, close - open - 2);
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  name.remove_suffix(name.size() - (name.find_last_not_of(' ') + 1));
  return Placeholder{message.substr(open, close + 2 - open), name};
}

}  // namespace fw::detail
