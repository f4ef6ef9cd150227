// Where the numbers of `RequestMetrics` are in memory.
//
// The words of a part: the requests that have begun, the rejections, the cell of waits for a
// thread, the cache's outcomes of each route, the bytes of the bodies of each row, and for each
// status the cells of all rows: a row is a route or a method without one. Cells with the same
// status are neighbours, because most routes have the same few statuses, so that few pages are
// used. A cell is a sum in nanoseconds and a histogram; the sum and the first buckets share a line.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/methods.hpp"
#include "metrics/metric_table.hpp"

namespace fw::detail::request_cells {

inline constexpr const auto& kBounds = metrics::kDurationBounds;
/// The same in nanoseconds.
inline constexpr auto kNanoseconds = [] {
  std::array<std::uint64_t, kBounds.size()> bounds{};
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] = static_cast<std::uint64_t>(kBounds[i] * 1e9 + 0.5);
  }
  return bounds;
}();
inline constexpr std::size_t kBuckets = kBounds.size() + 1;
inline constexpr std::size_t kSum = 0;
inline constexpr std::size_t kFirstBucket = 1;
inline constexpr std::size_t kCellWords = kFirstBucket + kBuckets;

/// The statuses that have a series: IANA's registry. Others share the series of their class.
inline constexpr std::array kStatuses = {200, 201, 202, 206, 301, 302, 303, 307, 308, 204, 304, 400,
                                         401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 500, 502,
                                         503, 504, 101, 203, 205, 207, 208, 226, 300, 305, 402, 406,
                                         407, 408, 410, 411, 414, 416, 417, 418, 421, 423, 424, 425,
                                         426, 428, 431, 451, 501, 505, 506, 507, 508, 510, 511};
/// The first of them: statuses of responses that may have a body and are no errors.
inline constexpr std::size_t kUsualStatuses = 9;
static_assert(std::all_of(kStatuses.begin(), kStatuses.begin() + kUsualStatuses,
                          [](int status) { return status >= 200 && status < 400; }) &&
              kStatuses[kUsualStatuses] == 204);
inline constexpr std::size_t kClasses = 5;  ///< 1xx to 5xx
inline constexpr std::size_t kSlots = kStatuses.size() + kClasses;
inline constexpr int kMinStatus = 100;
inline constexpr int kMaxStatus = 599;

inline constexpr auto kSlotOfStatus = [] {
  std::array<std::uint8_t, kMaxStatus - kMinStatus + 1> slots{};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i] = static_cast<std::uint8_t>(kStatuses.size() + i / 100);
  }
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    slots[static_cast<std::size_t>(kStatuses[i] - kMinStatus)] = static_cast<std::uint8_t>(i);
  }
  return slots;
}();

inline std::size_t slot_of(int status) {
  const auto index = static_cast<std::size_t>(status) - kMinStatus;  // large if it is below
  if (index < kSlotOfStatus.size()) return kSlotOfStatus[index];
  return kSlotOfStatus[status < kMinStatus ? 0 : kSlotOfStatus.size() - 1];
}

inline constexpr std::size_t kBegun = 0;
inline constexpr std::size_t kFirstRejection = 1;
/// A bit for each status that was counted, so that a scrape reads little memory.
inline constexpr std::size_t kSlotsInUse = 15;
/// Of requests that waited. Requests in the first bucket, as most are, are not counted.
inline constexpr std::size_t kQueueCell = 16;
inline constexpr std::size_t kFirstCache = kQueueCell + kCellWords;
inline constexpr std::size_t kCacheWords = 4;
static_assert(kSlots <= 64);

/// Requests without a route: a row for each method, and one for others.
inline constexpr std::size_t kUnmatchedRows = base::kMethods.size() + 1;
/// A route with GET has HEAD, too.
inline constexpr std::size_t kRowsOfRoute = 2;

/// Of a row: the bytes of bodies of its requests and responses.
inline constexpr std::size_t kBytesWords = 2;

static_assert(kCellWords * sizeof(std::uint64_t) == 128, "two cache lines");

/// How many rows and words a number of routes needs, and where the words begin.
struct Layout {
  explicit constexpr Layout(std::size_t routes)
      : rows(routes * kRowsOfRoute + kUnmatchedRows),
        first_bytes(kFirstCache + routes * kCacheWords),
        first_cell((first_bytes + rows * kBytesWords + kCellWords - 1) / kCellWords * kCellWords),
        words(first_cell + kSlots * rows * kCellWords) {}

  std::size_t cell(std::size_t slot, std::size_t row) const {
    return first_cell + (slot * rows + row) * kCellWords;
  }

  std::size_t rows;
  std::size_t first_bytes;
  std::size_t first_cell;
  std::size_t words;
};

/// Returns what it was before.
inline std::uint64_t add(std::uint64_t& word, std::uint64_t number) {
  return std::atomic_ref(word).fetch_add(number, std::memory_order_relaxed);
}

inline std::size_t bucket_of(std::uint64_t nanoseconds) {
  if (nanoseconds <= kNanoseconds[0]) [[likely]]
    return 0;
  std::size_t bucket = 1;
  while (bucket < kBounds.size() && nanoseconds > kNanoseconds[bucket]) ++bucket;
  return bucket;
}

}  // namespace fw::detail::request_cells
