// Files of data: JSON, or YAML with the same meaning.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

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

}  // namespace fairway::files
