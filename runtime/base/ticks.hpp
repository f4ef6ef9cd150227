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
};

/// The times of counts between two times.
class TickScale {
 public:
  TickScale(const TickedTime& begin, const TickedTime& end)
      : begin_(begin),
        end_(end),
        per_tick_(static_cast<double>((end.time - begin.time).count()) /
                  as_double(end.ticks - begin.ticks)) {}

  /// It is one between the two, even if the processors of a machine count differently.
  TickedTime::Time time_of(std::uint64_t count) const {
    if (count <= begin_.ticks) return begin_.time;
    if (count >= end_.ticks) return end_.time;
    const double since_begin = as_double(count - begin_.ticks) * per_tick_;
    return begin_.time + TickedTime::Time::duration(static_cast<std::int64_t>(since_begin));
  }

 private:
  /// Of a difference that fits a signed number, for which there is an instruction.
  static double as_double(std::uint64_t difference) {
    return static_cast<double>(static_cast<std::int64_t>(difference));
  }

  const TickedTime begin_;
  const TickedTime end_;
  const double per_tick_;  ///< only used if the counts differ
};

}  // namespace fw::base
