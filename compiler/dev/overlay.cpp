#include "dev/overlay.hpp"

#include <algorithm>

#include "diagnostics/renderers.hpp"

namespace fairway::dev {

std::string_view embedded_page(std::string_view file) {
  return std::ranges::find(embedded_files(), file, &EmbeddedFile::path)->text;
}

std::string overlay_page(const OverlayContent& content) {
  return files::replace_placeholders(embedded_page("overlay.html"),
                                     {{"title", diagnostics::html_text(content.title)},
                                      {"body", content.body},
                                      {"note", diagnostics::html_text(content.note)},
                                      {"version", std::to_string(content.version)}});
}

std::string rule_page(std::string_view id, std::string_view explanation) {
  return files::replace_placeholders(
      embedded_page("rule.html"),
      {{"id", diagnostics::html_text(id)}, {"text", diagnostics::html_text(explanation)}});
}

}  // namespace fairway::dev
