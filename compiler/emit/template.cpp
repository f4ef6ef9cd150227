#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "emit/source_parts.hpp"

namespace fairway::emit {
namespace {

using Values = std::initializer_list<std::pair<std::string_view, std::string>>;

const std::string& value_of(std::string_view name, const Values& values) {
  for (const auto& [hole, value] : values) {
    if (hole == name) return value;
  }
  throw std::logic_error(fmt::format("the template's hole '{}' has no value", name));
}

void append_indented(std::string& line, std::string_view value, std::string_view indent) {
  while (value.ends_with('\n')) value.remove_suffix(1);
  while (!value.empty()) {
    const std::size_t length = std::min(value.find('\n'), value.size() - 1) + 1;
    // Blank lines are not indented.
    if (line.ends_with('\n') && value.front() != '\n') line += indent;
    line += value.substr(0, length);
    value.remove_prefix(length);
  }
}

/// Fills one line of the template, without its line end. Returns false if the line is omitted.
bool fill_line(std::string_view line, const Values& values, std::string& filled) {
  const std::size_t blank = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view indent = line.substr(0, blank);
  bool only_empty_holes = false;
  bool other_text = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t close = line[at] == '$' ? line.find('$', at + 1) : std::string_view::npos;
    if (close == std::string_view::npos) {
      other_text = other_text || line[at] != ' ';
      filled += line[at++];
    } else if (close == at + 1) {
      other_text = true;
      filled += '$';
      at = close + 1;
    } else {
      const std::string& value = value_of(line.substr(at + 1, close - at - 1), values);
      if (value.empty()) only_empty_holes = true;
      if (!value.empty()) other_text = true;
      append_indented(filled, value, indent);
      at = close + 1;
    }
  }
  return other_text || !only_empty_holes;
}

}  // namespace

std::string fill(std::string_view text, Values values) {
  if (text.starts_with('\n')) text.remove_prefix(1);
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string line;
    if (fill_line(text.substr(0, end), values, line)) {
      result += line;
      if (end != std::string_view::npos) result += '\n';
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

}  // namespace fairway::emit
