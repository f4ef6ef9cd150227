#include "dev/overlay.hpp"

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

std::string overlay_page(const OverlayContent& content) {
  return files::replace_placeholders(embedded_files().front().text,
                                     {{"title", escaped(content.title)},
                                      {"text", escaped(content.text)},
                                      {"note", escaped(content.note)},
                                      {"version", std::to_string(content.version)}});
}

}  // namespace fairway::dev
