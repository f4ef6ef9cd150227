// Memory for counters, most of which are never used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>

namespace fw::detail {

/// Words that are zero. Only pages that have been written to need memory.
class CounterMemory {
 public:
  /// Throws std::bad_alloc.
  explicit CounterMemory(std::size_t words) : size_(words * sizeof(std::uint64_t)) {
    memory_ =
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_NOHUGEPAGE
    // One count would otherwise fill a page of 2 MB, where the system uses such pages by default.
    madvise(memory_, size_, MADV_NOHUGEPAGE);
#endif
  }
  ~CounterMemory() { munmap(memory_, size_); }
  CounterMemory(const CounterMemory&) = delete;
  CounterMemory& operator=(const CounterMemory&) = delete;

  /// At the beginning of a page.
  std::uint64_t* words() const { return static_cast<std::uint64_t*>(memory_); }

 private:
  const std::size_t size_;  ///< in bytes
  void* memory_;
};

}  // namespace fw::detail
