// The texts of statuses that were raised without one.
#pragma once

#include <string_view>

namespace fw::detail {

/// "Not Found" for 404; statuses without a text of their own share one for 4xx and one for 5xx.
std::string_view default_message(int status);

}  // namespace fw::detail
