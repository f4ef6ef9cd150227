#include "diagnostics/presentation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/display_line.hpp"

namespace fairway::diagnostics {
namespace {

using model::Diagnostic;
using model::FixIt;
using model::Range;

// If a line is wider, only the part around the caret is shown.
constexpr std::size_t kWidestLine = 160;
constexpr std::size_t kBeforeCaret = 60;
constexpr std::string_view kCut = "…";

/// The displayed columns of a line, and their shift to the right.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;

  Window(std::size_t width, std::size_t caret) : end(width) {
    if (width <= kWidestLine) return;
    begin = caret > kBeforeCaret ? std::min(caret - kBeforeCaret, width - kWidestLine) : 0;
    end = std::min(width, begin + kWidestLine);
  }
  /// The position at which a column of the line is displayed.
  std::size_t shown(std::size_t column) const {
    return std::min(column, end) - begin + (begin > 0 ? 1 : 0);
  }
};

std::string shown_location(const Range& range) {
  std::string location = display_text(range.file);
  if (range.line > 0) location += fmt::format(":{}:{}", range.line, range.column);
  return location.empty() ? "fairway" : location;
}

/// The replacements within the line, each below the text that it replaces.
std::string fix_line(const Range& range, const DisplayLine& line, const Window& window,
                     const std::vector<FixIt>& fixes) {
  std::string shown;
  std::size_t width = 0;
  for (const FixIt& fix : fixes) {
    const std::size_t source_column = line.column_of(fix.range.column);
    if (source_column < window.begin || source_column > window.end) continue;
    const std::size_t column = window.shown(source_column);
    const bool fits = fix.range.file == range.file && fix.range.line == range.line &&
                      fix.range.end_line == range.line && !fix.text.empty() &&
                      fix.text.find('\n') == std::string::npos && column >= width;
    if (!fits) continue;
    shown.append(column - width, ' ').append(display_text(fix.text));
    width = column + display_width(fix.text);
  }
  return shown;
}

std::optional<Snippet> snippet_of(const Range& range, const std::vector<FixIt>& fixes,
                                  SourceText& sources) {
  const std::string* const source = sources.line(range.file, range.line);
  if (!source) return std::nullopt;
  const DisplayLine line(*source);
  const Window window(line.columns.back(), line.column_of(range.column));
  Snippet snippet;
  snippet.number = std::to_string(range.line);
  if (window.begin > 0) snippet.text += kCut;
  snippet.text += display_part(line.text, window.begin, window.end);
  if (window.end < line.columns.back()) snippet.text += kCut;

  const std::size_t begin = window.shown(line.column_of(range.column));
  const bool ends_here = range.end_line == range.line && range.end_column > range.column;
  const bool is_multiline = range.end_line > range.line;
  const std::size_t end = ends_here      ? window.shown(line.column_of(range.end_column))
                          : is_multiline ? window.shown(line.columns.back())
                                         : begin;
  snippet.before_caret = std::string(begin, ' ');
  snippet.caret = '^' + std::string(end > begin + 1 ? end - begin - 1 : 0, '~');
  snippet.fix = fix_line(range, line, window, fixes);
  return snippet;
}

Part part_of(std::string_view label, const Range& range, const std::string& message) {
  return {.label = label,
          .location = shown_location(range),
          .message = display_text(message),
          .id = {},
          .snippet = {},
          .details = {}};
}

}  // namespace

std::vector<Part> parts_of(const Diagnostic& diagnostic, SourceText& sources) {
  Part finding = part_of(name_of(diagnostic.severity), diagnostic.range, diagnostic.message);
  finding.id = display_text(diagnostic.id);
  finding.snippet = snippet_of(diagnostic.range, diagnostic.fixes, sources);
  if (!diagnostic.route.empty() || !diagnostic.method.empty()) {
    // One of them may be unknown.
    const bool has_both = !diagnostic.route.empty() && !diagnostic.method.empty();
    finding.details.emplace_back(
        "route", display_text(diagnostic.method + (has_both ? " " : "") + diagnostic.route));
  }
  if (!diagnostic.help.empty()) finding.details.emplace_back("help", display_text(diagnostic.help));
  std::vector<Part> parts = {std::move(finding)};
  for (const model::Note& note : diagnostic.notes) {
    Part part = part_of("note", note.range, note.message);
    part.snippet = snippet_of(note.range, {}, sources);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace fairway::diagnostics
