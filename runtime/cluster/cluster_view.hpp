// What the admin listener of a cluster shows of the workers.
#pragma once

#include <fairway/logger.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "cluster/worker_link.hpp"
#include "observe/metric_sum.hpp"

namespace fw::cluster {

/// The supervisor's loop updates it, and the threads of the listener read it. What it asks, it asks
/// all workers at once, so that none delays the others. Thread-safe.
class ClusterView {
 public:
  enum class Phase {
    starting,  ///< not all workers have been ready yet
    serving,
    stopping,
  };
  struct Worker {
    std::shared_ptr<WorkerLink> link;
    pid_t pid;
    bool is_ready;  ///< for requests; false while it starts, and while it stops
    bool has_started;
  };

  /// Sets the workers that exist. Of others, the counts are kept, so that no sum becomes smaller.
  void update(Phase phase, const std::vector<Worker>& workers);

  Phase phase() const;
  /// The sums of all workers. Of one that does not respond, the counts of its last response are
  /// used.
  detail::MetricSum metrics();
  /// The response of each worker that is ready and has not ended; nothing if it does not respond in
  /// time.
  std::vector<std::optional<std::string>> readiness();

  struct Requests {
    std::vector<std::string> responses;
    std::vector<pid_t> no_response;  ///< the workers that did not respond in time
  };
  /// The requests in progress of each worker, also of those that stop.
  Requests requests();

  /// The level of the first worker that responds; nothing if none does.
  std::optional<LogLevel> log_level();
  /// Changes the level of all workers, and of those that start later. Returns the workers that did
  /// not respond in time: those that were stopped, for example, change it when they continue.
  /// `set_own` changes the supervisor's level; several threads change all levels in one order.
  std::vector<pid_t> set_log_level(LogLevel level, const std::function<void()>& set_own);

 private:
  struct Known {
    Known(std::shared_ptr<WorkerLink> its_link, pid_t its_pid)
        : link(std::move(its_link)), pid(its_pid) {}

    const std::shared_ptr<WorkerLink> link;
    const pid_t pid;
    bool is_ready = false;
    bool has_started = false;
    std::vector<detail::MetricFigures> last = {};  ///< what it has sent
    std::uint64_t last_number = 0;                 ///< of the question
  };
  /// What some workers were asked at once.
  struct Asked {
    explicit Asked(std::chrono::milliseconds time) : deadline(WorkerLink::Clock::now() + time) {}

    const WorkerLink::Clock::time_point deadline;
    std::vector<std::shared_ptr<Known>> workers;
    std::vector<SentQuestion> questions;

    void add(const std::shared_ptr<Known>& worker, WorkerQuestion question,
             std::uint8_t argument = 0) {
      workers.push_back(worker);
      questions.push_back(worker->link->send(question, deadline, argument));
    }
    std::vector<WorkerResponse> responses(Await most = Await::all) const {
      return await_responses(questions, deadline, most);
    }
    /// Those that are alive and have not responded.
    std::vector<pid_t> silent(const std::vector<WorkerResponse>& responses) const;
  };

  void add_ended_workers();
  Asked ask_started(WorkerQuestion question) const;

  mutable std::mutex mutex_;  // guards the following members
  Phase phase_ = Phase::starting;
  std::vector<std::shared_ptr<Known>> workers_;
  detail::MetricSum ended_;
  std::vector<std::shared_ptr<Known>> ended_workers_;  // added to it when nobody waits for them
  std::optional<LogLevel> log_level_;                  // that was set
};

}  // namespace fw::cluster
