// Parses JSON and YAML into JSON values.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "files/user_error.hpp"

namespace fairway::files {

/// Invalid JSON or YAML. The message contains the file and, if they are known, the line and
/// the column.
class BadData : public UserError {
  using UserError::UserError;
};

/// Parses `text`, the content of the file `name`: as YAML if the name ends in .yaml or .yml, as
/// JSON if it ends in .json; otherwise as JSON if `text` is blank or begins with '{' or '[', and as
/// YAML if it does not. Values may be nested at most `deepest` levels. Throws BadData.
nlohmann::ordered_json read_data(const std::string& name, const std::string& text,
                                 std::size_t deepest = 400);

// yaml.cpp: Reads YAML documents as JSON values.

/// The message begins with the line and the column, if the error has a position: "at line 3,
/// column 5: …".
class YamlError : public UserError {
  using UserError::UserError;
};

/// Reads a stream of one document. Plain scalars are resolved by the core schema of YAML 1.2, so
/// `yes` is a string and `0x1F` an integer. The keys of mappings are strings, spelled as in the
/// file (`200:` in OpenAPI). Aliases become copies of their anchors. Throws YamlError for
/// constructs that JSON lacks (keys that are null or not scalars, infinity, tags outside the core
/// schema), for merge keys (`<<`), for duplicate keys, and for nesting beyond `deepest`. Also
/// throws if anchors and aliases expand to more than a million nodes in total (scalars, lists and
/// mappings at all levels).
nlohmann::ordered_json read_yaml(std::string_view text, std::size_t deepest);

}  // namespace fairway::files
