// How stores keep the events of a sliding window (`Store::increment`) in bounded memory.
#pragma once

#include <chrono>
#include <cstdint>

namespace fw::store {

/// A window is divided into so many slots, unless fewer events are counted in it.
inline constexpr std::int64_t kWindowSlots = 30;

/// The events of a slot are kept as their number and the time of the last one, and leave the window
/// with that one. So a window never admits more events than its limit. With a limit of at most
/// `kWindowSlots`, each event expires exactly; with a higher one, up to one slot late. Counters of
/// two fixed windows would need less memory, but admit up to twice the limit or delay even a few
/// events.
inline std::chrono::nanoseconds slot_of(std::chrono::milliseconds window, std::int64_t most) {
  constexpr std::chrono::nanoseconds kNoOther{1};
  if (most <= kWindowSlots) return kNoOther;
  return (std::chrono::nanoseconds(window) + std::chrono::nanoseconds(kWindowSlots - 1)) /
         kWindowSlots;
}

}  // namespace fw::store
