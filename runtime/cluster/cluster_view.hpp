// What the admin listener of a cluster shows of the workers.
#pragma once

#include <fairway/logger.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/worker_link.hpp"
#include "observe/metric_sum.hpp"

namespace fw::cluster {

/// The supervisor's loop updates it, and the threads of the listener read it. Thread-safe.
class ClusterView {
 public:
  enum class Phase {
    starting,  ///< not all workers have been ready yet
    serving,
    stopping,
  };
  struct Worker {
    std::shared_ptr<WorkerLink> link;
    bool is_ready;  ///< for requests; false while it starts, and while it stops
    bool has_started;
  };

  /// Sets the workers that exist. Of others, the counts are kept, so that no sum becomes smaller.
  void update(Phase phase, const std::vector<Worker>& workers);

  Phase phase() const;
  /// The sums of all workers. Of one that does not respond, the counts of its last response are
  /// used.
  detail::MetricSum metrics();
  /// The response of each worker that is ready; nothing if it does not respond in time.
  std::vector<std::optional<std::string>> readiness();
  /// The requests in progress of each worker that responds in time, also of those that stop.
  std::vector<std::string> requests();
  /// The level of the first worker that responds; nothing if none does.
  std::optional<LogLevel> log_level();
  /// Changes the level of all workers, and of those that start later.
  void set_log_level(LogLevel level);

 private:
  struct Known {
    explicit Known(std::shared_ptr<WorkerLink> its_link) : link(std::move(its_link)) {}

    const std::shared_ptr<WorkerLink> link;
    bool is_ready = false;
    bool has_started = false;
    std::mutex mutex;                         ///< guards the following member
    std::vector<detail::MetricFigures> last;  ///< what it has sent
  };

  void retire(Known& worker);
  std::vector<std::shared_ptr<WorkerLink>> started_workers() const;

  std::mutex changing_;       // held while a level is sent, so that all workers get the last one
  mutable std::mutex mutex_;  // guards the following members
  Phase phase_ = Phase::starting;
  std::vector<std::shared_ptr<Known>> workers_;
  detail::MetricSum ended_;
  std::optional<LogLevel> log_level_;  // that was set
};

}  // namespace fw::cluster
