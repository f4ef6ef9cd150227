// The memory of objects of which each request has one.
#pragma once

#include <cstddef>
#include <new>

#include "base/thread_local_free_list.hpp"

namespace fw::base {

#ifdef FAIRWAY_SANITIZED
/// A sanitizer would not see that memory is used after it was given back.
inline constexpr bool kKeepsSpares = false;
#else
inline constexpr bool kKeepsSpares = true;
#endif

/// For std::allocate_shared: a thread that has destroyed an object keeps its memory for its next
/// one, which costs a tenth of the instructions of the heap.
template <class T>
class SpareAllocator {
 public:
  using value_type = T;

  SpareAllocator() = default;
  template <class Other>
  SpareAllocator(const SpareAllocator<Other>&) noexcept {}

  T* allocate(std::size_t count) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    if (count == 1 && !spares_.empty()) return static_cast<T*>(spares_.take());
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (!kKeepsSpares || count != 1 || !spares_.keep(memory)) free_memory(memory);
  }

  friend bool operator==(const SpareAllocator&, const SpareAllocator&) { return true; }

 private:
  static void free_memory(void* memory) { ::operator delete(memory); }

  /// One is enough for a thread that handles one request at a time. clang-tidy takes it for a
  /// variable, because it is thread_local.
  // NOLINTNEXTLINE(readability-identifier-naming)
  inline static constinit thread_local ThreadLocalFreeList<void*, 1, free_memory> spares_{};
};

}  // namespace fw::base
