// Times that are noted by a few instructions, and calculated only if they are needed.
#pragma once

#include <chrono>
#include <cstdint>

namespace fw::base {

/// A counter of the processor, which steadily counts in an unknown unit.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// What the clock and the counter say at the same time.
struct TickedTime {
  using Time = std::chrono::steady_clock::time_point;

  Time time = {};
  std::uint64_t ticks = 0;

  static TickedTime now() noexcept { return {std::chrono::steady_clock::now(), base::ticks()}; }

  /// The time of a count between two times. It is between them, even if the processors of a machine
  /// count differently.
  static Time between(const TickedTime& begin, const TickedTime& end, std::uint64_t count) {
    if (count <= begin.ticks) return begin.time;
    if (count >= end.ticks) return end.time;
    const double part =
        static_cast<double>(count - begin.ticks) / static_cast<double>(end.ticks - begin.ticks);
    const auto since_begin = static_cast<double>((end.time - begin.time).count()) * part;
    return begin.time + Time::duration(static_cast<Time::duration::rep>(since_begin));
  }
};

}  // namespace fw::base
