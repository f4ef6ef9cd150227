// A hash for keys that clients choose.
#pragma once

#include <cstdint>
#include <string_view>

namespace fw::base {

/// SipHash-1-3 with a random secret, so that clients cannot find keys with the same hash.
class KeyedHash {
 public:
  KeyedHash();
  /// For tests.
  KeyedHash(std::uint64_t first, std::uint64_t second) : secret_{first, second} {}

  std::uint64_t operator()(std::string_view text) const;

 private:
  std::uint64_t secret_[2];
};

}  // namespace fw::base
