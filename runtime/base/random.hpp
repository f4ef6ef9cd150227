// Random bytes for ids and secrets, and random ids.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

namespace fw::base {

/// Fills `bytes` from the random source of the system, which each thread reads in larger blocks.
/// Throws std::system_error if it fails.
void fill_random(std::span<unsigned char> bytes);

/// xoshiro256++ by Blackman and Vigna, with a state from the system's source for each thread.
class NumberGenerator {
 public:
  /// For the numbers that follow. Throws std::system_error if there is no random source.
  void prepare() {
    if (!has_state_) seed();
  }
  std::uint64_t next() {
    auto& [a, b, c, d] = state_;
    const std::uint64_t result = std::rotl(a + d, 23) + a;
    const std::uint64_t shifted = b << 17U;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = std::rotl(d, 45);
    return result;
  }
  /// The next numbers are others than those that would have followed.
  void forget() { has_state_ = false; }

 private:
  void seed();

  std::array<std::uint64_t, 4> state_{};
  bool has_state_ = false;
};

inline constinit thread_local NumberGenerator t_number_generator;

// Inlined, because each request with a trace needs two numbers.

/// A random number for an id that is no secret: whoever knows some of a thread can tell the others.
/// Throws std::system_error if there is no random source for the first one of a thread.
inline std::uint64_t random_number() {
  t_number_generator.prepare();
  return t_number_generator.next();
}
/// Two of them, for an id of 128 bits.
inline std::array<std::uint64_t, 2> random_numbers() {
  t_number_generator.prepare();
  const std::uint64_t first = t_number_generator.next();
  return {first, t_number_generator.next()};
}

/// A random UUID, version 4, in lower case. Thread-safe.
std::string make_uuid();
/// Replaces `text` by one.
void write_uuid(std::string& text);

}  // namespace fw::base
