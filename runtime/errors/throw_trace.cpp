#include "errors/throw_trace.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAIRWAY_HOOKS_THROW 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FAIRWAY_HOOKS_THROW 0
#endif
#endif
#if !defined(FAIRWAY_HOOKS_THROW)
#if defined(__GLIBCXX__) && __has_include(<execinfo.h>)
#define FAIRWAY_HOOKS_THROW 1
#else
#define FAIRWAY_HOOKS_THROW 0
#endif
#endif

#if FAIRWAY_HOOKS_THROW
#include <dlfcn.h>
#include <execinfo.h>
#endif

namespace fw::detail {
namespace {

struct Throw {
  const void* exception = nullptr;
  std::array<void*, 48> frames = {};
  std::size_t depth = 0;
};

/// The latest throws of one thread. An error and its nested causes fit in.
struct RecentThrows {
  std::array<Throw, 8> list = {};
  std::size_t count = 0;

  Throw& next() { return list[count++ % list.size()]; }
  // Objects are allocated where earlier ones lay: only the latest throw of an address counts.
  const Throw* find(const void* exception) const {
    for (std::size_t i = 1; i <= std::min(count, list.size()); ++i) {
      const Throw& entry = list[(count - i) % list.size()];
      if (entry.exception == exception) return &entry;
    }
    return nullptr;
  }
};

std::atomic<bool> recording = false;

RecentThrows& recent_throws() {
  thread_local RecentThrows throws;
  return throws;
}

// Both C++ libraries keep nothing in the handle but the address of the object.
const void* object_of(const std::exception_ptr& error) {
  static_assert(sizeof(error) == sizeof(void*));
  const void* object = nullptr;
  std::memcpy(&object, static_cast<const void*>(&error), sizeof object);
  return object;
}

}  // namespace

bool record_throws() noexcept {
  recording.store(true, std::memory_order_relaxed);
  return FAIRWAY_HOOKS_THROW == 1;
}

std::vector<void*> throw_trace(const std::exception_ptr& error) {
  const Throw* found = error ? recent_throws().find(object_of(error)) : nullptr;
  if (found == nullptr) return {};
  const auto frames = std::span(found->frames).first(found->depth);
  return {frames.begin(), frames.end()};
}

#if FAIRWAY_HOOKS_THROW
namespace {

void record(const void* exception) {
  Throw& entry = recent_throws().next();
  entry.exception = exception;
  const int depth = backtrace(entry.frames.data(), static_cast<int>(entry.frames.size()));
  entry.depth = static_cast<std::size_t>(std::max(depth, 0));
}

}  // namespace
#endif

}  // namespace fw::detail

#if FAIRWAY_HOOKS_THROW
// Stands before the C++ runtime's own function, under a name of its own because compilers know that
// one. Weak, so that a C++ runtime which is linked statically goes first.
extern "C" [[noreturn]] void fairway_throw(void* exception, void* type,
                                           void (*destroy)(void*)) asm("__cxa_throw")
    __attribute__((weak));

extern "C" void fairway_throw(void* exception, void* type, void (*destroy)(void*)) {
  static const auto next =
      reinterpret_cast<decltype(&fairway_throw)>(dlsym(RTLD_NEXT, "__cxa_throw"));
  if (fw::detail::recording.load(std::memory_order_relaxed)) fw::detail::record(exception);
  next(exception, type, destroy);
  __builtin_unreachable();
}
#endif
