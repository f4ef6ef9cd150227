// The part of a C++ client that is the same for every API: errors, options, JSON, connections,
// retries. Its texts stand in cpp_support/, one file a concern.
#pragma once

#include <cstddef>
#include <string_view>

namespace fairway::emit {

/// All files of cpp_support/, in the order that they need.
extern const std::string_view kCppSupport[];
extern const std::size_t kCppSupportFiles;

}  // namespace fairway::emit
