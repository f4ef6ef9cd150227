#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.hpp"
#include "diagnostics/display_line.hpp"
#include "diagnostics/renderers.hpp"

namespace fairway::diagnostics {
namespace {

using model::Diagnostic;
using model::FixIt;
using model::Range;
using model::Severity;

// The styles of Clang's text diagnostics.
constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kErrorStyle = "\033[0;1;31m";
constexpr std::string_view kWarningStyle = "\033[0;1;35m";
constexpr std::string_view kNoteStyle = "\033[0;1;36m";
constexpr std::string_view kCaretStyle = "\033[0;1;32m";
constexpr std::string_view kFixStyle = "\033[0;32m";

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

class TextRenderer {
 public:
  TextRenderer(SourceText& sources, bool color) : sources_(sources), color_(color) {}

  void add(const Diagnostic& diagnostic) {
    const bool is_error = diagnostic.severity == Severity::error;
    header(diagnostic.range, is_error ? "error" : "warning", is_error ? kErrorStyle : kWarningStyle,
           fmt::format("{} [{}]", diagnostic.message, diagnostic.id), kBold);
    snippet(diagnostic.range, diagnostic.fixes);
    if (!diagnostic.route.empty() || !diagnostic.method.empty()) {
      // One of them may be unknown.
      const bool has_both = !diagnostic.route.empty() && !diagnostic.method.empty();
      detail("route", diagnostic.method + (has_both ? " " : "") + diagnostic.route);
    }
    if (!diagnostic.help.empty()) detail("help", diagnostic.help);
    for (const model::Note& note : diagnostic.notes) {
      header(note.range, "note", kNoteStyle, note.message, {});
      snippet(note.range, {});
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void styled(std::string_view style, std::string_view text) {
    if (color_ && !style.empty()) {
      out_.append(style).append(text).append(kReset);
    } else {
      out_.append(text);
    }
  }

  void header(const Range& range, std::string_view label, std::string_view label_style,
              std::string_view message, std::string_view message_style) {
    std::string location = display_text(range.file);
    if (range.line > 0) location += fmt::format(":{}:{}", range.line, range.column);
    if (location.empty()) location = "fairway";
    styled(kBold, location + ":");
    out_ += ' ';
    styled(label_style, fmt::format("{}:", label));
    out_ += ' ';
    styled(message_style, display_text(message));
    out_ += '\n';
  }

  void detail(std::string_view label, std::string_view text) {
    out_ += "  ";
    styled(kNoteStyle, fmt::format("{}:", label));
    out_.append(" ").append(display_text(text)).append("\n");
  }

  void gutter(std::string_view number) { out_ += fmt::format("{:>5} | ", number); }

  void snippet(const Range& range, const std::vector<FixIt>& fixes) {
    const std::string* const source = sources_.line(range.file, range.line);
    if (!source) return;
    const DisplayLine line(*source);
    const Window window(line.columns.back(), line.column_of(range.column));
    gutter(std::to_string(range.line));
    if (window.begin > 0) out_.append(kCut);
    out_.append(display_part(line.text, window.begin, window.end));
    if (window.end < line.columns.back()) out_.append(kCut);
    out_ += '\n';

    const std::size_t begin = window.shown(line.column_of(range.column));
    const bool ends_here = range.end_line == range.line && range.end_column > range.column;
    const bool goes_on = range.end_line > range.line;
    const std::size_t end = ends_here ? window.shown(line.column_of(range.end_column))
                            : goes_on ? window.shown(line.columns.back())
                                      : begin;
    gutter("");
    out_.append(begin, ' ');
    styled(kCaretStyle, '^' + std::string(end > begin + 1 ? end - begin - 1 : 0, '~'));
    out_ += '\n';
    fix_line(range, line, window, fixes);
  }

  // Shows the replacements within the line, each below the text that it replaces.
  void fix_line(const Range& range, const DisplayLine& line, const Window& window,
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
    if (shown.empty()) return;
    gutter("");
    styled(kFixStyle, shown);
    out_ += '\n';
  }

  SourceText& sources_;
  bool color_;
  std::string out_;
};

}  // namespace

std::string render_text(const Report& report, SourceText& sources, bool color) {
  TextRenderer renderer(sources, color);
  for (const Diagnostic& diagnostic : report.diagnostics) renderer.add(diagnostic);
  return renderer.take();
}

std::string render_text_summary(const Report& report) {
  if (report.diagnostics.empty()) return {};
  std::set<std::string> files;
  for (const Diagnostic& diagnostic : report.diagnostics) files.insert(diagnostic.range.file);
  std::string counts;
  if (report.errors() > 0) counts = fw::base::counted(report.errors(), "error");
  if (report.warnings() > 0) {
    if (!counts.empty()) counts += " and ";
    counts += fw::base::counted(report.warnings(), "warning");
  }
  return fmt::format("{} in {}", counts, fw::base::counted(files.size(), "file"));
}

}  // namespace fairway::diagnostics
