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

Json read_json(const std::string& name, const std::string& text, std::size_t deepest) {
  const auto limit = [&](int depth, Json::parse_event_t, Json&) {
    if (depth < 0 || static_cast<std::size_t>(depth) <= deepest) return true;
    throw BadData(fmt::format("{}: nested more than {} levels deep", name, deepest));
  };
  try {
    return Json::parse(text, limit);
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
