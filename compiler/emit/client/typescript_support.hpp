// The part that every generated TypeScript client has: typescript_support.ts.
#pragma once

#include <string_view>

namespace fairway::emit {

std::string_view typescript_support();

}  // namespace fairway::emit
