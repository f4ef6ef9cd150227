// Replaces the workers of a cluster one after the other, so that the others serve meanwhile.
#pragma once

#include <fairway/logger.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

#include "cluster/worker_slot.hpp"

namespace fw::cluster {

class RollingReload {
 public:
  explicit RollingReload(const Logger& logger) : logger_(logger) {}

  /// Requests a reload. During a reload, requests another one.
  void request() { is_requested_ = true; }
  /// Continues the reload: replaces the next worker after the previous one has been replaced.
  void proceed(std::vector<WorkerSlot>& workers);
  /// Aborts the reload because a replacement failed to start. The remaining workers continue.
  void note_failed_start();

 private:
  void begin();
  void abort(std::string_view reason);

  const Logger& logger_;
  bool is_requested_ = false;
  bool is_active_ = false;
  std::size_t next_ = 0;                ///< the worker to replace
  bool has_started_successor_ = false;  ///< of that worker
};

}  // namespace fw::cluster
