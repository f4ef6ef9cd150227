// Random numbers that are the same on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace fairway::contract_test {

/// std::mt19937 is exact everywhere; the distributions of the standard library are not.
class RandomSource {
 public:
  explicit RandomSource(std::uint32_t seed) : engine_(seed) {}

  /// From 0 to `bound` - 1.
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937 engine_;
};

}  // namespace fairway::contract_test
