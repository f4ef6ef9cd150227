#include "base/keyed_hash.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <string>

namespace keyed_hash_test {

using fw::base::KeyedHash;

TEST_CASE("keyed hash: matches the SipHash-1-3 test vectors" *
          doctest::skip(std::endian::native != std::endian::little)) {
  const KeyedHash hash(0x0706050403020100, 0x0f0e0d0c0b0a0908);
  std::string text;
  for (char c = 0; c < 15; ++c) text += c;
  CHECK(hash("") == 0xabac0158050fc4dc);
  CHECK(hash(text.substr(0, 8)) == 0x369095118d299a8e);
  CHECK(hash(text) == 0xd320d86d2a519956);
}

TEST_CASE("keyed hash: depends on the secret and on every byte") {
  const KeyedHash hash(1, 2);
  const std::string text = "0123456789abcdefghij";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string part = text.substr(0, size);
    CHECK(hash(part) == KeyedHash(1, 2)(part));
    CHECK(hash(part) != KeyedHash(1, 3)(part));
    CHECK(hash(part) != KeyedHash(2, 2)(part));
    CHECK(hash(part) != hash(part + '\0'));
    for (std::size_t i = 0; i < size; ++i) {
      std::string changed = part;
      changed[i] = 'X';
      CHECK(hash(changed) != hash(part));
    }
  }
  CHECK(KeyedHash()("a") != KeyedHash()("a"));
}

TEST_CASE("keyed hash: its lowest bits are evenly distributed") {
  const KeyedHash hash;
  std::array<int, 16> counts{};
  for (int i = 0; i < 16'000; ++i) ++counts[hash("key" + std::to_string(i)) % 16];
  for (const int count : counts) {
    CHECK(count > 800);  // 6 standard deviations
    CHECK(count < 1'200);
  }
}

}  // namespace keyed_hash_test
