#include "base/short_mutex.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace short_mutex_test {

TEST_CASE("short mutex: threads change what it guards one after the other") {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kRounds = 2'000;
  fw::base::ShortMutex mutex;
  std::size_t count = 0;
  std::size_t inside = 0;
  std::size_t together = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::size_t round = 0; round < kRounds; ++round) {
        const std::lock_guard lock(mutex);
        if (++inside > 1) ++together;
        // Others come meanwhile, and sleep.
        if (round % 16 == 0) std::this_thread::yield();
        ++count;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(count == kThreads * kRounds);
  CHECK(together == 0);
}

}  // namespace short_mutex_test
