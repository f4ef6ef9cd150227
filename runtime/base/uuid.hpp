// Random identifiers.
#pragma once

#include <string>

namespace fw::base {

/// A random UUID, version 4, in lower case. Thread-safe; random bytes are fetched in batches.
std::string make_uuid();

}  // namespace fw::base
