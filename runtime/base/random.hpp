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

/// Pairs of numbers with a state from the system's source for each thread: a sequence of Weyl,
/// which has each number but 0 once, and numbers as wyrand by Wang Yi makes them of it. The key is
/// another one in each thread, so that threads that reach the same state have other pairs.
class NumberGenerator {
 public:
  using Pair = std::array<std::uint64_t, 2>;

  /// For the pair that follows. Throws std::system_error if there is no random source.
  void prepare() {
    if (state_ == 0) [[unlikely]]
      seed();
  }
  bool is_prepared() const { return state_ != 0; }
  Pair next() {
    constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15U;  // 2^64 divided by the golden ratio
    __extension__ using Product = unsigned __int128;
    const std::uint64_t first = state_;
    const Product product = Product{first} * (first ^ key_);
    state_ += kOdd;
    return {first,
            static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U)};
  }
  /// The next numbers are others than those that would have followed.
  void forget() { state_ = 0; }

 private:
  void seed();

  std::uint64_t state_ = 0;  ///< 0: not known
  std::uint64_t key_ = 0;
};

inline constinit thread_local NumberGenerator t_number_generator;

// Inlined, because each request with a trace needs two numbers.

/// Two random numbers for an id of 128 bits that is no secret: whoever knows some of a thread can
/// tell the others. The first one is not 0 and differs from those before; all bits of the second
/// one are random. Throws std::system_error if there is no random source for the first ones of a
/// thread.
inline NumberGenerator::Pair random_numbers() {
  t_number_generator.prepare();
  return t_number_generator.next();
}
/// A random number for an id that is no secret either.
inline std::uint64_t random_number() { return random_numbers()[1]; }

/// A random UUID, version 4, in lower case. Thread-safe.
std::string make_uuid();
/// Replaces `text` by one.
void write_uuid(std::string& text);

}  // namespace fw::base
