// The typed C++ client of an application: a header of its own, and one that all clients share.
#pragma once

#include <string>
#include <string_view>

#include "emit/client/client_api.hpp"

namespace fairway::emit {

inline constexpr std::string_view kCppSupportFile = "fairway_client_support.hpp";

/// The header `kCppSupportFile`: errors, options, connections.
std::string emit_cpp_support();

/// The client's header, in the namespace `<name>_api`. It includes `kCppSupportFile`.
std::string emit_cpp_client(const ClientApi& api, const std::string& name);

}  // namespace fairway::emit
