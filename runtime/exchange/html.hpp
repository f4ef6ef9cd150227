#pragma once

#include <string>
#include <string_view>

namespace fw::detail {

/// `text` as content or as a quoted attribute value of HTML.
std::string escape_html(std::string_view text);

}  // namespace fw::detail
