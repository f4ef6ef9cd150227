// The folder of the compiler's own headers: <stddef.h>, <limits.h>, the intrinsics.
#pragma once

#include <string>

namespace fairway::frontend {

/// That of the Clang that the route compiler was built with, or what FAIRWAY_RESOURCE_DIR in the
/// environment names. Throws EnvironmentError when it is not there or of another version.
const std::string& resource_directory();

}  // namespace fairway::frontend
