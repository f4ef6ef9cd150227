#include "support/allocation_count.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <malloc.h>
#include <new>

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

thread_local std::size_t t_count = 0;
thread_local std::size_t t_count_of_action = 0;
thread_local bool (*t_action)() = nullptr;
std::atomic<std::size_t> g_failing_size{kNone};
std::atomic<std::size_t> g_bytes{0};

void* allocate(std::size_t size) noexcept {
  if (++t_count == t_count_of_action && t_action != nullptr && !t_action()) return nullptr;
  if (size >= g_failing_size.load(std::memory_order_relaxed)) return nullptr;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  g_bytes.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
  return memory;
}

void release(void* memory) noexcept {
  g_bytes.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

std::size_t fw::support::allocation_count() { return t_count; }
std::size_t fw::support::allocated_bytes() { return g_bytes; }

fw::support::FailingAllocations::FailingAllocations(std::size_t size) { g_failing_size = size; }
fw::support::FailingAllocations::~FailingAllocations() { g_failing_size = kNone; }

fw::support::AtAllocation::AtAllocation(std::size_t number, bool (*action)()) {
  t_count_of_action = t_count + number;
  t_action = action;
}
fw::support::AtAllocation::~AtAllocation() { t_action = nullptr; }

// The array forms call the others only where no sanitizer has array forms of its own.
void* operator new(std::size_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
