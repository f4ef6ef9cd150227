// Types as people write them.
#pragma once

#include <string>
#include <typeinfo>

namespace fw::detail {

/// The demangled name: "std::runtime_error".
std::string type_name(const char* mangled);

}  // namespace fw::detail
