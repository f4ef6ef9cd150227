// Text as content of an HTML element or of an attribute in double quotes.
#pragma once

#include <string>
#include <string_view>

namespace fairway::diagnostics {

std::string html_text(std::string_view text);

}  // namespace fairway::diagnostics
