#include <fmt/format.h>

#include "diagnostics/presentation.hpp"
#include "diagnostics/renderers.hpp"

namespace fairway::diagnostics {
namespace {

std::string snippet_html(const Snippet& snippet) {
  std::string html = fmt::format(
      "<pre tabindex=\"0\"><span class=\"gutter\">{:>5} | </span>{}\n"
      "<span class=\"gutter\">      | </span>{}<span class=\"caret\">{}</span>\n",
      snippet.number, html_text(snippet.text), snippet.before_caret, snippet.caret);
  if (!snippet.fix.empty()) {
    html += fmt::format("<span class=\"gutter\">      | </span><span class=\"fix\">{}</span>\n",
                        html_text(snippet.fix));
  }
  return html + "</pre>\n";
}

std::string part_html(const Part& part, std::string_view documentation) {
  std::string html = fmt::format(
      "<p class=\"location\">{}</p>\n<p class=\"message\"><span class=\"label\">{}:</span> {}",
      html_text(part.location), part.label, html_text(part.message));
  if (!part.id.empty()) {
    const std::string id = html_text(part.id);
    html +=
        fmt::format(" <a class=\"rule\" href=\"{}{}\">{}</a>", html_text(documentation), id, id);
  }
  html += "</p>\n";
  if (part.snippet) html += snippet_html(*part.snippet);
  for (const auto& [label, text] : part.details) {
    html += fmt::format("<p class=\"detail\"><span class=\"label\">{}:</span> {}</p>\n", label,
                        html_text(text));
  }
  return html;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string render_html(const Report& report, SourceText& sources, std::string_view documentation) {
  std::string html;
  for (const model::Diagnostic& diagnostic : report.diagnostics) {
    const std::vector<Part> parts = parts_of(diagnostic, sources);
    html += fmt::format("<article class=\"{}\">\n", parts.front().label);
    html += part_html(parts.front(), documentation);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      html += "<section class=\"note\">\n" + part_html(parts[i], documentation) + "</section>\n";
    }
    html += "</article>\n";
  }
  if (!html.empty()) {
    html += fmt::format("<p class=\"count\">{}</p>\n", render_text_summary(report));
  }
  return html;
}

}  // namespace fairway::diagnostics
