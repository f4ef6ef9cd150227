// A worker of a cluster: the process with this number, and its replacement during a reload.
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

#include "cluster/cluster_view.hpp"
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
  /// Whether there is neither a process nor a scheduled restart.
  bool is_empty() const { return !current_ && !successor_ && !restarts_at_; }
  bool is_ready() const;
  /// Whether a process is ready.
  bool is_serving() const;
  bool is_being_replaced() const { return successor_.has_value(); }

  /// These functions throw std::system_error.
  void start() { current_.emplace(start_(number_)); }
  void start_successor() { successor_.emplace(start_(number_)); }

  /// A process that has ended unexpectedly.
  struct Ended {
    pid_t pid;
    bool was_ready;
    bool is_replaced;                 ///< another process serves instead, or is about to
    std::string how;                  ///< "signal 9 (Killed)"
    std::vector<std::string> errors;  ///< the errors that prevented its start
  };
  /// Handles the reports of the processes, and kills those that exceed a time limit. A ready
  /// replacement takes over.
  std::vector<Ended> supervise(bool cluster_is_stopping);

  /// Schedules a restart after the delay of the restart policy. Returns false without doing so if
  /// the worker has ended too often and no other worker is ready.
  [[nodiscard]] bool schedule_restart(bool others_are_ready);
  /// Starts the worker if its delay has elapsed. Returns false if it could not be started.
  [[nodiscard]] bool restart_if_due();
  void cancel_restart() { restarts_at_.reset(); }

  void signal(int number) const;
  void log_status() const;
  /// Appends the descriptors that become readable when `supervise` must be called.
  void append_descriptors(std::vector<pollfd>& entries) const;
  /// Appends the processes that are asked for the admin listener.
  void append_workers(std::vector<ClusterView::Worker>& workers) const;
  /// The time at which `supervise` or `restart_if_due` must be called at the latest.
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
