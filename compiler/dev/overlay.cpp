#include "dev/overlay.hpp"

#include <algorithm>

namespace fairway::dev {
namespace {

std::string escaped(std::string_view text) {
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
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace

std::string_view embedded_page(std::string_view file) {
  return std::ranges::find(embedded_files(), file, &EmbeddedFile::path)->text;
}

std::string overlay_page(const OverlayContent& content) {
  return files::replace_placeholders(embedded_page("overlay.html"),
                                     {{"title", escaped(content.title)},
                                      {"text", escaped(content.text)},
                                      {"note", escaped(content.note)},
                                      {"version", std::to_string(content.version)}});
}

}  // namespace fairway::dev
