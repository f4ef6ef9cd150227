// The store of each feature: set by the application, or described by the configuration.
#pragma once

#include <fairway/config.hpp>
#include <fairway/store.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/store_metrics.hpp"

namespace fw::store {

/// Set up on one thread; constant afterwards.
class Stores {
 public:
  /// Sets the store of a feature: "cache", "rate-limit" or "session". Throws std::invalid_argument
  /// for another name or null.
  void set(std::string_view feature, std::shared_ptr<Store> store);
  /// Sets the clock of the memory stores that `open` creates, for tests.
  void set_clock(std::function<std::chrono::steady_clock::time_point()> clock) {
    clock_ = std::move(clock);
  }
  /// Null if it is the steady clock.
  const std::function<std::chrono::steady_clock::time_point()>& clock() const { return clock_; }
  /// Creates the stores that were not set. With an admin listener, measures those that processes
  /// share; what is in memory takes less time than two looks at the clock. Appends configuration
  /// errors to `errors`.
  void open(const Config& config, std::vector<std::string>& errors);

  /// The store of a feature, after `open`. Keys begin with the name of the feature and a colon, so
  /// that features can share a store.
  const std::shared_ptr<Store>& of(std::string_view feature) const;

  /// The features that are enabled for all routes and whose state is separate in each process. Call
  /// it after `open`.
  std::vector<std::string_view> unshared(const Config& config) const;
  /// Null if nothing is measured.
  const detail::StoreMetrics* metrics() const { return metrics_.get(); }

 private:
  void measure();

  std::unique_ptr<detail::StoreMetrics> metrics_;  // before the stores, which use it
  std::map<std::string, std::shared_ptr<Store>, std::less<>> stores_;
  std::function<std::chrono::steady_clock::time_point()> clock_;
};

// measured_store.cpp

/// Counts what it passes on to `store` as operations of the store with this index. The metrics must
/// outlive it.
std::shared_ptr<Store> measured_store(std::shared_ptr<Store> store, detail::StoreMetrics& metrics,
                                      std::size_t index);

}  // namespace fw::store
