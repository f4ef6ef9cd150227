#include "base/random.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <pthread.h>
#include <string_view>
#include <sys/random.h>
#include <system_error>

namespace fw::base {
namespace {

// A child of fork must not use what its parent has of random bytes: the buffers of all threads, and
// the generator of the only thread that the child has, on which this runs.
std::atomic<unsigned> g_process_generation = 0;
[[maybe_unused]] const int kForkWatch = pthread_atfork(nullptr, nullptr, [] {
  g_process_generation.fetch_add(1, std::memory_order_relaxed);
  t_number_generator.forget();
});

/// "00" to "ff".
constexpr auto kHexPairs = [] {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::array<char, 2>, 256> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kDigits[i / 16], kDigits[i % 16]};
  return pairs;
}();

class RandomBatch {
 public:
  void take(std::span<unsigned char> target) {
    const unsigned generation = g_process_generation.load(std::memory_order_relaxed);
    while (!target.empty()) {
      if (used_ == bytes_.size() || generation != generation_) refill(generation);
      const std::size_t count = std::min(target.size(), bytes_.size() - used_);
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(used_), count, target.begin());
      used_ += count;
      target = target.subspan(count);
    }
  }

 private:
  void refill(unsigned generation) {
    constexpr std::size_t kMaxAtOnce = 256;
    for (std::size_t filled = 0; filled < bytes_.size(); filled += kMaxAtOnce) {
      if (getentropy(bytes_.data() + filled, kMaxAtOnce) != 0) {
        throw std::system_error(errno, std::generic_category(), "getentropy");
      }
    }
    used_ = 0;
    generation_ = generation;
  }

  std::array<unsigned char, 4096> bytes_;
  std::size_t used_ = 4096;
  unsigned generation_ = 0;
};

}  // namespace

void fill_random(std::span<unsigned char> bytes) {
  thread_local RandomBatch batch;
  batch.take(bytes);
}

void NumberGenerator::seed() {
  std::array<std::uint64_t, 2> numbers{};
  while (numbers[0] == 0) {
    if (getentropy(numbers.data(), sizeof numbers) != 0) {
      throw std::system_error(errno, std::generic_category(), "getentropy");
    }
  }
  state_ = numbers[0];
  key_ = numbers[1];
}

void write_uuid(std::string& text) {
  std::array<unsigned char, 16> bytes{};
  fill_random(bytes);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | 0x40U);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);
  text.assign(36, '-');
  constexpr std::array<std::size_t, 16> kPositions = {0,  2,  4,  6,  9,  11, 14, 16,
                                                      19, 21, 24, 26, 28, 30, 32, 34};
  char* const begin = text.data();  // once: what is written might be the pointer
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::memcpy(begin + kPositions[i], kHexPairs[bytes[i]].data(), 2);
  }
}

std::string make_uuid() {
  std::string text;
  write_uuid(text);
  return text;
}

}  // namespace fw::base
