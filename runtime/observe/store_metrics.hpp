// What the framework measures of stores that processes share (docs/metrics.md).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "observe/exposition.hpp"

namespace fw::detail {

/// The members of fw::Store, and of store::CacheCommands.
enum class StoreOperation : std::uint8_t {
  get,
  get_and_renew,
  set,
  set_if_absent,
  set_if_equal,
  erase,
  increment,
  tag,
  erase_tagged,
  read,
  claim,
  release,
  put,
  replace_version,
};
inline constexpr std::size_t kStoreOperations = 14;

/// Thread-safe. Counting does not allocate, lock or throw: a store on the network takes so long
/// that all threads can share the counters.
class StoreMetrics {
 public:
  /// The names of the stores, by whose index operations are counted.
  explicit StoreMetrics(std::vector<std::string> stores);

  void count(std::size_t store, StoreOperation operation, bool has_failed,
             std::chrono::nanoseconds duration) noexcept;
  void write(Exposition& text) const;

 private:
  static constexpr std::size_t kBuckets = kDurationBounds.size() + 1;
  struct Cell {
    std::array<std::atomic<std::uint64_t>, kBuckets> counts{};
    std::atomic<std::uint64_t> sum = 0;  ///< in nanoseconds
  };

  Cell& cell(std::size_t store, std::size_t operation, bool has_failed) const {
    return cells_[(store * kStoreOperations + operation) * 2 + (has_failed ? 1 : 0)];
  }

  const std::vector<std::string> stores_;
  const std::unique_ptr<Cell[]> cells_;
};

}  // namespace fw::detail
