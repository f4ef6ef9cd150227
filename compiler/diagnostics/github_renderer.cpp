#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/renderers.hpp"
#include "diagnostics/source_text.hpp"

namespace fairway::diagnostics {
namespace {

std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::string escaped_data(std::string_view text) { return escaped(text, "%\r\n"); }
std::string escaped_property(std::string_view text) { return escaped(text, "%\r\n:,"); }

std::string location_of(const model::Range& range) {
  if (range.file.empty()) return {};
  return range.line == 0 ? fmt::format("{}: ", range.file)
                         : fmt::format("{}:{}:{}: ", range.file, range.line, range.column);
}

// An annotation has only a message: route, help and notes are appended to it, one per line.
std::string message_of(const model::Diagnostic& diagnostic, SourceText& sources) {
  std::string text = diagnostic.message;
  if (!diagnostic.route.empty()) {
    text += fmt::format("\nroute: {}{}{}", diagnostic.method, diagnostic.method.empty() ? "" : " ",
                        diagnostic.route);
  }
  if (!diagnostic.help.empty()) text += fmt::format("\nhelp: {}", diagnostic.help);
  for (const model::Note& note : diagnostic.notes) {
    text +=
        fmt::format("\n{}note: {}", location_of(utf16_range(note.range, sources)), note.message);
  }
  return text;
}

std::string properties_of(const model::Diagnostic& diagnostic, SourceText& sources,
                          const std::string& prefix) {
  std::string list;
  if (!diagnostic.range.file.empty()) {
    const model::Range range = utf16_range(diagnostic.range, sources);
    const bool is_absolute = range.file.starts_with('/');
    list +=
        fmt::format("file={},", escaped_property(is_absolute ? range.file : prefix + range.file));
    if (range.line > 0) list += fmt::format("line={},endLine={},", range.line, range.end_line);
    // GitHub accepts columns only for ranges within one line; the end column is inclusive.
    if (range.line > 0 && range.line == range.end_line) {
      list += fmt::format("col={},endColumn={},", range.column,
                          std::max(range.column + 1, range.end_column) - 1);
    }
  }
  return list + fmt::format("title={}", escaped_property(diagnostic.id));
}

}  // namespace

std::string render_github(const Report& report, SourceText& sources, const std::string& prefix) {
  std::string text;
  for (const model::Diagnostic& diagnostic : report.diagnostics) {
    const bool is_error = diagnostic.severity == model::Severity::error;
    text += fmt::format("::{} {}::{}\n", is_error ? "error" : "warning",
                        properties_of(diagnostic, sources, prefix),
                        escaped_data(message_of(diagnostic, sources)));
  }
  return text;
}

}  // namespace fairway::diagnostics
