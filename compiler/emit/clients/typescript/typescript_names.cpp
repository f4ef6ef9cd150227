#include "base/ascii.hpp"
#include "emit/clients/typescript/typescript_parts.hpp"
#include "model/application.hpp"

namespace fairway::emit {
namespace {

bool is_identifier(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  for (const char c : name) {
    if (!fw::base::is_alphanumeric(c) && c != '_' && c != '$') return false;
  }
  return true;
}

/// The lines of a comment.
std::vector<std::string> comment_lines(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    std::string& line = lines.back();
    if (c == '\n') {
      lines.emplace_back();
    } else if (c == '/' && line.ends_with('*')) {
      line += "\\/";
    } else if (c == '@' && line.find_first_not_of(" *") == std::string::npos) {
      line += "\\@";
    } else if (static_cast<unsigned char>(c) >= ' ' && c != '\x7f') {
      line += c;
    } else if (c == '\t') {
      line += ' ';
    }
  }
  for (std::string& line : lines) {
    while (line.ends_with(' ')) line.pop_back();
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

std::string typescript_string(std::string_view text) {
  return model::Json(text).dump(-1, ' ', true, model::Json::error_handler_t::replace);
}

std::string typescript_member(std::string_view name) {
  // Without quotes, `__proto__` in an object literal would set the prototype.
  const bool is_plain = is_identifier(name) && name != "__proto__";
  return is_plain ? std::string(name) : typescript_string(name);
}

std::string typescript_doc(const std::vector<std::string>& paragraphs, bool deprecated) {
  std::vector<std::string> lines;
  for (const std::string& paragraph : paragraphs) {
    const std::vector<std::string> more = comment_lines(paragraph);
    if (!lines.empty() && !more.empty()) lines.emplace_back();
    lines.insert(lines.end(), more.begin(), more.end());
  }
  if (deprecated) lines.emplace_back("@deprecated");
  if (lines.empty()) return {};
  if (lines.size() == 1) return "/** " + lines.front() + " */\n";
  std::string doc = "/**\n";
  for (const std::string& line : lines) doc += (line.empty() ? " *" : " * " + line) + '\n';
  return doc + " */\n";
}

}  // namespace fairway::emit
