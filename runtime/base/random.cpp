#include "base/random.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <pthread.h>
#include <string_view>
#include <sys/random.h>
#include <system_error>

namespace fw::base {
namespace {

// Incremented by fork, because a child must not use the buffered random bytes of its parent.
std::atomic<unsigned> g_process_generation = 0;
[[maybe_unused]] const int g_fork_watch = pthread_atfork(
    nullptr, nullptr, [] { g_process_generation.fetch_add(1, std::memory_order_relaxed); });

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
    constexpr std::size_t kMostAtOnce = 256;
    for (std::size_t filled = 0; filled < bytes_.size(); filled += kMostAtOnce) {
      if (getentropy(bytes_.data() + filled, kMostAtOnce) != 0) {
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

std::string make_uuid() {
  std::array<unsigned char, 16> bytes{};
  fill_random(bytes);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | 0x40U);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(36, '-');
  std::size_t at = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) ++at;
    text[at++] = kDigits[bytes[i] / 16];
    text[at++] = kDigits[bytes[i] % 16];
  }
  return text;
}

}  // namespace fw::base
