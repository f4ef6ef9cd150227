// Texts with `{{name}}` holes.
#pragma once

#include <fairway/json.hpp>

#include <string>
#include <string_view>

namespace fw::detail {

/// Fills each `{{name}}` from the object `params`; a name it does not have stays as it is.
std::string fill_template(std::string_view text, const Json& params);

}  // namespace fw::detail
