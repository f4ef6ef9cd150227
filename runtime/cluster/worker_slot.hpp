// One of a cluster's workers: the process that serves as number 3, say, and the one that is to
// replace it.
#pragma once

#include <fairway/config.hpp>
#include <fairway/logger.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/types.h>
#include <vector>

#include "cluster/restart_policy.hpp"
#include "cluster/worker_process.hpp"

namespace fw::cluster {

class WorkerSlot {
 public:
  using Clock = std::chrono::steady_clock;
  /// Starts a process as the worker with this number. Throws std::system_error.
  using Start = std::function<WorkerProcess(int number)>;

  WorkerSlot(int number, const Config& config, const Logger& logger, Start start);

  int number() const { return number_; }
  /// Has neither a process nor a restart to come.
  bool is_empty() const { return !current_ && !successor_ && !restarts_at_; }
  bool is_ready() const;
  /// Has a process that has been ready.
  bool is_serving() const;
  bool is_being_replaced() const { return successor_.has_value(); }

  /// Throw std::system_error.
  void start() { current_.emplace(start_(number_)); }
  void start_successor() { successor_.emplace(start_(number_)); }

  /// A process that has ended without having been asked to.
  struct Ended {
    pid_t pid;
    bool was_ready;
    bool is_replaced;                 ///< another process serves in its stead, or is about to
    std::string how;                  ///< "signal 9 (Killed)"
    std::vector<std::string> errors;  ///< what kept it from starting
  };
  /// Takes what the processes have reported, and kills those that are late. A successor that is
  /// ready takes over.
  std::vector<Ended> supervise(bool cluster_is_stopping);

  /// Starts the worker again after the delay of the restart policy. False if it has ended too
  /// often.
  [[nodiscard]] bool schedule_restart();
  /// Starts the worker if its delay is over. False if it could not be started.
  [[nodiscard]] bool restart_if_due();
  void cancel_restart() { restarts_at_.reset(); }

  void signal(int number) const;
  void log_status() const;
  /// Appends the descriptors that are readable when `supervise` has something to do.
  void append_descriptors(std::vector<pollfd>& entries) const;
  /// When `supervise` or `restart_if_due` has something to do, if nothing is readable before.
  Clock::time_point next_deadline(bool cluster_is_stopping) const;

 private:
  void take_reports(std::optional<WorkerProcess>& process);
  void take_over();
  std::optional<Ended> take_end(std::optional<WorkerProcess>& process);
  void kill_if_late(WorkerProcess& process, bool cluster_is_stopping);

  const int number_;
  const Config& config_;
  const Logger& logger_;
  const Start start_;
  std::optional<WorkerProcess> current_;
  std::optional<WorkerProcess> successor_;  ///< takes over from `current_` when it is ready
  std::optional<Clock::time_point> restarts_at_;
  int restarts_ = 0;
  RestartPolicy policy_;
};

/// The time in which a worker must exit before it is killed.
std::chrono::milliseconds stop_time(const Config& config);

}  // namespace fw::cluster
