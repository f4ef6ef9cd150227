#include "cluster/rolling_reload.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace fw::cluster {

void RollingReload::begin() {
  logger_.info("reloading: replacing one worker after the other");
  is_active_ = true;
  next_ = 0;
  has_started_successor_ = false;
}

void RollingReload::abort(std::string_view reason) {
  logger_.error(fmt::format("reload aborted: {}", reason));
  is_active_ = false;
}

void RollingReload::note_failed_start() {
  if (is_active_) abort("the running workers are kept");
}

void RollingReload::proceed(std::vector<WorkerSlot>& workers) {
  if (!is_active_ && std::exchange(is_requested_, false)) begin();
  while (is_active_) {
    if (next_ == workers.size()) {
      is_active_ = false;
      logger_.info("reloaded: all workers have been replaced");
      return;
    }
    WorkerSlot& worker = workers[next_];
    if (worker.is_being_replaced())
      return;  // the replacement is starting, or the old process is ending
    // A worker that is not ready will start with the new configuration anyway.
    if (std::exchange(has_started_successor_, false) || !worker.is_serving()) {
      ++next_;
      continue;
    }
    try {
      worker.start_successor();
      has_started_successor_ = true;
    } catch (const std::system_error& error) {
      abort(fmt::format("worker {}: {}", worker.number(), error.what()));
    }
  }
}

}  // namespace fw::cluster
