#include "files/data_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_position.hpp"

namespace fairway::files {
namespace {

using Json = nlohmann::ordered_json;

bool is_yaml(const std::string& name, const std::string& text) {
  if (name.ends_with(".yaml") || name.ends_with(".yml")) return true;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return !name.ends_with(".json") && begin != std::string::npos && text[begin] != '{' &&
         text[begin] != '[';
}

/// Whether brackets and braces outside of strings are nested deeper than that.
bool is_deeper(std::string_view text, std::size_t deepest) {
  std::size_t depth = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      is_in_string = !is_in_string;
    } else if (!is_in_string && (c == '[' || c == '{')) {
      if (++depth > deepest) return true;
    } else if (!is_in_string && (c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Json read_json(const std::string& name, const std::string& text, std::size_t deepest) {
  // A callback of the parser would see the depth, too, but with one, the time of reading grows with
  // the square of the length of arrays.
  if (is_deeper(text, deepest)) {
    throw BadData(fmt::format("{}: nested more than {} levels deep", name, deepest));
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {  // also of a number such as 1e400
    const auto [position, message] = fw::base::syntax_error(text, error);
    throw BadData(position ? fmt::format("{}:{}:{}: is not JSON: {}", name, position->line,
                                         position->column, message)
                           : fmt::format("{}: is not JSON: {}", name, message));
  }
}

}  // namespace

Json read_data(const std::string& name, const std::string& text, std::size_t deepest) {
  if (!is_yaml(name, text)) return read_json(name, text, deepest);
  try {
    return read_yaml(text, deepest);
  } catch (const YamlError& error) {
    throw BadData(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace fairway::files
