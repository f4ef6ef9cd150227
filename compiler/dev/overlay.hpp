// The page that browsers get instead of the application while it cannot be built or started.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "files/embedded_file.hpp"

namespace fairway::dev {

struct OverlayContent {
  std::string title;
  std::string body;  ///< HTML, as of html_of_output
  std::string note;
  unsigned version = 0;  ///< the page reloads as soon as there is another one
};

/// page/overlay.html with the content.
std::string overlay_page(const OverlayContent& content);

/// page/rule.html: the page of a rule, to which diagnostics link.
std::string rule_page(std::string_view id, std::string_view explanation);

/// The files below page/.
std::span<const EmbeddedFile> embedded_files();
/// One of them, which must exist.
std::string_view embedded_page(std::string_view file);

}  // namespace fairway::dev
