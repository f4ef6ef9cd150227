// The part of a C++ client that is the same for every API: errors, options, JSON, connections,
// retries. Its text is in cpp_support/, one file a concern.
#pragma once

#include <string_view>

namespace fairway::emit {

std::string_view cpp_support();

}  // namespace fairway::emit
