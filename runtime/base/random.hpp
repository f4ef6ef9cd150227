// Random bytes for ids and secrets, and random ids.
#pragma once

#include <span>
#include <string>

namespace fw::base {

/// Fills `bytes` from the system's random source, of which each thread keeps some bytes ahead.
/// Throws std::system_error when it fails.
void fill_random(std::span<unsigned char> bytes);

/// A random UUID, version 4, in lower case. Thread-safe.
std::string make_uuid();

}  // namespace fw::base
