// Random bytes for ids and secrets, and random ids.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace fw::base {

/// Fills `bytes` from the random source of the system, which each thread reads in larger blocks.
/// Throws std::system_error if it fails.
void fill_random(std::span<unsigned char> bytes);

/// A random number for an id that is no secret: whoever knows some of a thread can tell the others.
/// Throws std::system_error if there is no random source for the first one of a thread.
std::uint64_t random_number();
/// Two of them, for an id of 128 bits.
std::array<std::uint64_t, 2> random_numbers();

/// A random UUID, version 4, in lower case. Thread-safe.
std::string make_uuid();
/// Replaces `text` by one.
void write_uuid(std::string& text);

}  // namespace fw::base
