#include "emit/source_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "schema/node.hpp"

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

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const bool may_be_trigraph = c == '?' && literal.back() == '?';
    if (c == '"' || c == '\\' || may_be_trigraph) {
      literal.append("\\").append(1, c);
    } else if (c == '\n') {
      literal += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      literal += c;
    }
  }
  return literal + '"';
}

std::string raw_literal(std::string_view text) {
  const bool is_raw = text.find(")\"") == std::string_view::npos &&
                      text.find_first_of("\"\\") != std::string_view::npos;
  return is_raw ? fmt::format("R\"({})\"", text) : string_literal(text);
}

std::string schema_attribute(const model::Json& schema) {
  try {
    fw::schema::node_of_schema(schema);
  } catch (const std::invalid_argument&) {
    return {};
  }
  return fmt::format("[[clang::annotate({})]] ",
                     raw_literal(std::string(files::kSchemaAttribute) + schema.dump()));
}

std::string comment_text(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  // NEL and the line and paragraph separators are line ends in some languages and editors.
  for (const std::string_view end : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    for (std::size_t at = line.find(end); at != std::string::npos; at = line.find(end, at)) {
      line.replace(at, end.size(), " ");
    }
  }
  // `??/` is a backslash for old compilers.
  while (line.ends_with('\\') || line.ends_with(' ') || line.ends_with("?\?/")) line.pop_back();
  return line;
}

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
