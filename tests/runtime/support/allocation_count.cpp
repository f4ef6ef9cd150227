#include "support/allocation_count.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t t_count = 0;

void* allocate(std::size_t size) noexcept {
  ++t_count;
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

std::size_t fw::support::allocation_count() { return t_count; }

// The array forms call these.
void* operator new(std::size_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
