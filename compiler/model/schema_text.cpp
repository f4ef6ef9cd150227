#include "model/schema_text.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace fairway::model {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMaxTextDepth = 400;

// "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error while …" without
// the library's own prefix and location.
std::string parse_message(const ordered_json::exception& error) {
  const std::string_view what = error.what();
  const std::size_t location = what.find("column ");
  if (location == std::string_view::npos) return std::string(what.substr(what.find("] ") + 2));
  const std::size_t colon = what.find(": ", location);
  return std::string(colon == std::string_view::npos ? what : what.substr(colon + 2));
}

/// An array or object around the current position.
struct Level {
  bool is_object = false;
  std::map<std::string, TextSpan> names = {};
};

/// Finds what the parser accepts, in valid JSON.
std::optional<SchemaTextError> find_structure_error(const std::string& text) {
  std::vector<Level> levels;
  bool is_name = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      if (levels.size() == kMaxTextDepth) {
        return SchemaTextError{
            fmt::format("the JSON Schema is nested more than {} levels deep", kMaxTextDepth),
            {at, 1}};
      }
      is_name = c == '{';
      levels.push_back({.is_object = is_name});
    } else if (c == '}' || c == ']') {
      levels.pop_back();
    } else if (c == ',') {
      is_name = levels.back().is_object;
    } else if (c == '"') {
      const TextSpan token = token_at(text, at);
      at += token.length - 1;
      if (!std::exchange(is_name, false)) continue;
      const auto name = ordered_json::parse(text.substr(token.offset, token.length));
      const auto [first, is_new] = levels.back().names.emplace(name.get<std::string>(), token);
      if (is_new) continue;
      return SchemaTextError{fmt::format("the member '{}' is declared twice", first->first), token,
                             first->second};
    }
  }
  return std::nullopt;
}

}  // namespace

TextSpan token_at(const std::string& text, std::size_t offset) {
  if (text[offset] != '"') return {offset, 1};
  std::size_t end = offset + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2U : 1U;
  return {offset, end + 1 - offset};
}

std::variant<ordered_json, SchemaTextError> parse_schema_text(const std::string& text) {
  using Result = std::variant<ordered_json, SchemaTextError>;
  try {
    ordered_json schema = ordered_json::parse(text);
    if (auto error = find_structure_error(text)) return std::move(*error);
    return Result(std::in_place_index<0>, std::move(schema));
  } catch (const ordered_json::exception& error) {
    SchemaTextError found{"this is not JSON: " + parse_message(error), {}};
    // Numbers such as 1e400 have no position.
    if (const auto* syntax = dynamic_cast<const ordered_json::parse_error*>(&error)) {
      found.span = {syntax->byte == 0 ? 0 : syntax->byte - 1, 1};
    }
    return found;
  }
}

}  // namespace fairway::model
