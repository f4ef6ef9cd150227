// Parses the strings of fw::json_schema.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

namespace fairway::model {

/// The bytes of a string; empty for all of it.
struct TextSpan {
  std::size_t offset = 0;
  std::size_t length = 0;
};

struct SchemaTextError {
  std::string message;  ///< "this is not JSON: …"
  TextSpan span;
  std::optional<TextSpan> first = {};  ///< of a repeated name
};

/// Rejects invalid JSON, repeated names of members, and values that are nested more than 400 levels
/// deep.
std::variant<nlohmann::ordered_json, SchemaTextError> parse_schema_text(const std::string& text);

/// The string that begins at `offset` of valid JSON, with its quotation marks, or else one byte.
TextSpan token_at(const std::string& text, std::size_t offset);

}  // namespace fairway::model
