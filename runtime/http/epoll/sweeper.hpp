// What an adapter does for all its connections from time to time: it ends those whose time is over,
// frees memory, and reports rejected requests.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "http/epoll/connection_table.hpp"

namespace fw::http {

/// Used by one thread at a time, but for `count_late`.
class Sweeper {
 public:
  /// `connections` must outlive the sweeper.
  Sweeper(std::shared_ptr<ConnectionContext> context, ConnectionTable& connections)
      : context_(std::move(context)), connections_(connections) {}

  /// `busy`: the number of busy workers.
  void run(std::size_t busy);
  /// Counts a request that was rejected because it was late. Thread-safe.
  void count_late() noexcept { late_requests_.fetch_add(1); }

 private:
  void shed_slowest(std::int64_t now);
  void trim_memory(std::int64_t now);
  void report_rejected(std::int64_t now);

  const std::shared_ptr<ConnectionContext> context_;
  ConnectionTable& connections_;
  std::atomic<std::size_t> late_requests_{0};  ///< rejected and not reported yet
  std::int64_t next_trim_ = 0;                 ///< by `coarse_now`
  std::int64_t next_report_ = 0;               ///< likewise
  std::uint64_t reported_floods_ = 0;          ///< of all kinds
  /// In milliseconds of the process, when memory was last trimmed.
  std::int64_t cpu_time_at_trim_ = 0;
};

}  // namespace fw::http
