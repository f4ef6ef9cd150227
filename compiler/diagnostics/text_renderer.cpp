#include <fmt/format.h>

#include <set>

#include "base/counted.hpp"
#include "diagnostics/presentation.hpp"
#include "diagnostics/renderers.hpp"

namespace fairway::diagnostics {
namespace {

using model::Diagnostic;

// The styles of Clang's text diagnostics.
constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kErrorStyle = "\033[0;1;31m";
constexpr std::string_view kWarningStyle = "\033[0;1;35m";
constexpr std::string_view kNoteStyle = "\033[0;1;36m";
constexpr std::string_view kCaretStyle = "\033[0;1;32m";
constexpr std::string_view kFixStyle = "\033[0;32m";

std::string_view style_of(std::string_view label) {
  if (label == "error") return kErrorStyle;
  return label == "warning" ? kWarningStyle : kNoteStyle;
}

class TextRenderer {
 public:
  explicit TextRenderer(bool color) : color_(color) {}

  void add(const Part& part) {
    styled(kBold, part.location + ":");
    out_ += ' ';
    styled(style_of(part.label), fmt::format("{}:", part.label));
    out_ += ' ';
    if (part.id.empty()) {
      out_ += part.message;
    } else {
      styled(kBold, fmt::format("{} [{}]", part.message, part.id));
    }
    out_ += '\n';
    if (part.snippet) add(*part.snippet);
    for (const auto& [label, text] : part.details) {
      out_ += "  ";
      styled(kNoteStyle, fmt::format("{}:", label));
      out_.append(" ").append(text).append("\n");
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void styled(std::string_view style, std::string_view text) {
    if (color_) {
      out_.append(style).append(text).append(kReset);
    } else {
      out_.append(text);
    }
  }

  void gutter(std::string_view number) { out_ += fmt::format("{:>5} | ", number); }

  void add(const Snippet& snippet) {
    gutter(snippet.number);
    out_.append(snippet.text).append("\n");
    gutter("");
    out_ += snippet.before_caret;
    styled(kCaretStyle, snippet.caret);
    out_ += '\n';
    if (snippet.fix.empty()) return;
    gutter("");
    styled(kFixStyle, snippet.fix);
    out_ += '\n';
  }

  bool color_;
  std::string out_;
};

}  // namespace

std::string render_text(const Report& report, SourceText& sources, bool color) {
  TextRenderer renderer(color);
  for (const Diagnostic& diagnostic : report.diagnostics) {
    for (const Part& part : parts_of(diagnostic, sources)) renderer.add(part);
  }
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
