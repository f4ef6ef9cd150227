#include "observe/store_metrics.hpp"

#include <algorithm>
#include <utility>

namespace fw::detail {
namespace {

constexpr std::array<std::string_view, kStoreOperations> kOperationNames = {
    "get", "get_and_renew", "set",  "set_if_absent", "set_if_equal", "erase", "increment",
    "tag", "erase_tagged",  "read", "claim",         "release",      "put",   "replace_version"};
/// The same as `error.type` of spans.
constexpr std::string_view kStoreError = "fw::StoreError";

}  // namespace

StoreMetrics::StoreMetrics(std::vector<std::string> stores)
    : stores_(std::move(stores)),
      cells_(std::make_unique<Cell[]>(stores_.size() * kStoreOperations * 2)) {}

void StoreMetrics::count(std::size_t store, StoreOperation operation, bool has_failed,
                         std::chrono::nanoseconds duration) noexcept {
  Cell& counted = cell(store, static_cast<std::size_t>(operation), has_failed);
  const double seconds = std::chrono::duration<double>(duration).count();
  const auto bucket = std::lower_bound(kDurationBounds.begin(), kDurationBounds.end(), seconds) -
                      kDurationBounds.begin();
  counted.counts[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  counted.sum.fetch_add(static_cast<std::uint64_t>(duration.count()), std::memory_order_relaxed);
}

void StoreMetrics::write(Exposition& text) const {
  text.begin(metrics::kStoreDuration);
  for (std::size_t store = 0; store < stores_.size(); ++store) {
    for (std::size_t operation = 0; operation < kStoreOperations; ++operation) {
      for (const bool has_failed : {false, true}) {
        const Cell& counted = cell(store, operation, has_failed);
        std::array<std::uint64_t, kBuckets> counts{};
        std::transform(counted.counts.begin(), counted.counts.end(), counts.begin(),
                       [](const auto& count) { return count.load(std::memory_order_relaxed); });
        if (std::ranges::all_of(counts, [](std::uint64_t count) { return count == 0; })) continue;
        Labels labels = {{"store", stores_[store]},
                         {"operation", std::string(kOperationNames[operation])}};
        if (has_failed) labels.emplace_back("error_type", kStoreError);
        const auto nanoseconds = counted.sum.load(std::memory_order_relaxed);
        text.histogram(labels, kDurationBounds, counts, static_cast<double>(nanoseconds) / 1e9);
      }
    }
  }
}

}  // namespace fw::detail
