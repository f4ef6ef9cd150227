#include "base/keyed_hash.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "base/random.hpp"

namespace fw::base {
namespace {

std::uint64_t load(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// The last bytes of a text, fewer than eight, as a number.
std::uint64_t load_last(std::string_view text, std::size_t size) {
  if (size == 0) return 0;
  // A copy of a constant size is several times faster.
  const char* const end = text.data() + text.size();
  if (text.size() >= 8) return load(end - 8) >> (64 - 8 * size);
  std::uint64_t word = 0;
  std::memcpy(&word, end - size, size);
  return word;
}

class SipState {
 public:
  SipState(std::uint64_t first, std::uint64_t second)
      : a_(first ^ 0x736f6d6570736575),
        b_(second ^ 0x646f72616e646f6d),
        c_(first ^ 0x6c7967656e657261),
        d_(second ^ 0x7465646279746573) {}

  void add(std::uint64_t word) {
    d_ ^= word;
    mix();
    a_ ^= word;
  }
  std::uint64_t finish() {
    c_ ^= 0xff;
    for (int i = 0; i < 3; ++i) mix();
    return a_ ^ b_ ^ c_ ^ d_;
  }

 private:
  void mix() {
    a_ += b_;
    c_ += d_;
    b_ = std::rotl(b_, 13) ^ a_;
    d_ = std::rotl(d_, 16) ^ c_;
    a_ = std::rotl(a_, 32);
    c_ += b_;
    a_ += d_;
    b_ = std::rotl(b_, 17) ^ c_;
    d_ = std::rotl(d_, 21) ^ a_;
    c_ = std::rotl(c_, 32);
  }

  std::uint64_t a_;
  std::uint64_t b_;
  std::uint64_t c_;
  std::uint64_t d_;
};

}  // namespace

KeyedHash::KeyedHash() : secret_{} {
  std::array<unsigned char, sizeof secret_> bytes{};
  fill_random(bytes);
  std::memcpy(secret_, bytes.data(), bytes.size());
}

std::uint64_t KeyedHash::operator()(std::string_view text) const {
  SipState state(secret_[0], secret_[1]);
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) state.add(load(at));
  state.add(load_last(text, left) | std::uint64_t{text.size() & 0xff} << 56U);
  return state.finish();
}

}  // namespace fw::base
