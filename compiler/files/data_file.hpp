// Files of data: JSON, or YAML with the same meaning.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "files/user_error.hpp"

namespace fairway::files {

/// The message names the file, the line and the column.
class BadData : public UserError {
  using UserError::UserError;
};

/// Reads the content of the file `name`: YAML for names that end in .yaml or .yml, JSON for .json,
/// and for other names JSON if it begins with '{' or '['. Values are nested at most `deepest`
/// levels. Throws BadData.
nlohmann::ordered_json read_data(const std::string& name, const std::string& text,
                                 std::size_t deepest = 400);

// yaml.cpp: YAML documents as JSON values.

/// The message begins with the line and the column: "at line 3, column 5: …".
class YamlError : public UserError {
  using UserError::UserError;
};

/// Reads a stream of one document. Plain scalars are resolved by the core schema of YAML 1.2, so
/// `yes` is a string and `0x1F` an integer; the keys of mappings are strings as they are written,
/// as in OpenAPI (`200:`). Aliases become copies of their anchors. Throws YamlError for what JSON
/// does not have (keys that are no scalars, infinity, other tags), for a key that is used twice,
/// for nesting beyond `deepest`, and for aliases that expand to more than a million values.
nlohmann::ordered_json read_yaml(std::string_view text, std::size_t deepest);

}  // namespace fairway::files
