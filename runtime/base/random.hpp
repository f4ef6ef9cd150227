// Random bytes for ids and secrets.
#pragma once

#include <span>

namespace fw::base {

/// Fills `bytes` from the system's random source, of which each thread keeps some bytes ahead.
/// Throws std::system_error when it fails.
void fill_random(std::span<unsigned char> bytes);

}  // namespace fw::base
