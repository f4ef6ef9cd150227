#include "cluster/worker_slot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <signal.h>
#include <string_view>
#include <system_error>
#include <utility>

namespace fw::cluster {
namespace {

using State = WorkerProcess::State;

std::string_view name_of(State state) {
  switch (state) {
    case State::starting:
      return "starting";
    case State::ready:
      return "ready";
    case State::stopping:
      return "stopping";
  }
  return {};
}

}  // namespace

std::chrono::milliseconds stop_time(const Config& config) {
  constexpr std::chrono::seconds kMargin{5};
  return std::chrono::milliseconds(config.shutdown.timeout) + kMargin;
}

WorkerSlot::WorkerSlot(int number, const Config& config, const Logger& logger, Start start)
    : number_(number),
      config_(config),
      logger_(logger),
      start_(std::move(start)),
      policy_(config.cluster) {}

bool WorkerSlot::is_ready() const { return current_ && current_->state() == State::ready; }

bool WorkerSlot::is_serving() const { return current_ && current_->state() != State::starting; }

std::vector<WorkerSlot::Ended> WorkerSlot::supervise(bool cluster_is_stopping) {
  std::vector<Ended> ended;
  for (auto* process : {&current_, &successor_}) {
    take_reports(*process);
    if (!*process) continue;
    const bool was_asked = cluster_is_stopping || (*process)->state() == State::stopping;
    if (auto end = take_end(*process)) {
      if (was_asked) continue;
      if (end->was_ready) {
        logger_.error(fmt::format("worker {} (process {}) ended unexpectedly with {}", number_,
                                  end->pid, end->how));
      }
      ended.push_back(std::move(*end));
    } else {
      kill_if_late(**process, cluster_is_stopping);
    }
  }
  return ended;
}

void WorkerSlot::take_reports(std::optional<WorkerProcess>& process) {
  while (process) {
    const auto report = process->take_report();
    if (!report) return;
    if (*report != Report::ready || process->state() != State::starting) continue;
    process->enter(State::ready);
    logger_.info(fmt::format("worker {} (process {}) is ready", number_, process->pid()));
    if (&process == &successor_) take_over();
  }
}

/// Replaces the old process, which ends after its requests, by the ready replacement.
void WorkerSlot::take_over() {
  std::swap(current_, successor_);
  if (!successor_) return;  // the old process has ended
  successor_->signal(SIGTERM);
  successor_->enter(State::stopping);
}

std::optional<WorkerSlot::Ended> WorkerSlot::take_end(std::optional<WorkerProcess>& process) {
  auto how = process->take_end();
  if (!how) return std::nullopt;
  const WorkerProcess ended = std::move(*process);
  process.reset();
  return Ended{ended.pid(), ended.state() == State::ready, current_ || successor_, std::move(*how),
               ended.errors()};
}

void WorkerSlot::kill_if_late(WorkerProcess& process, bool cluster_is_stopping) {
  const auto age = Clock::now() - process.since();
  const auto state = process.state();
  if (state == State::starting && age >= std::chrono::milliseconds(config_.cluster.start_timeout)) {
    process.add_error(fmt::format("worker {} was not ready after {} ms (cluster.startTimeout)",
                                  number_, config_.cluster.start_timeout));
  } else if (state != State::stopping || cluster_is_stopping || age < stop_time(config_)) {
    return;
  }
  process.signal(SIGKILL);
  process.enter(state);
}

bool WorkerSlot::schedule_restart(bool others_are_ready) {
  const auto [delay, is_too_often] = policy_.note_end(Clock::now());
  if (is_too_often) {
    if (!others_are_ready) return false;
    logger_.error(fmt::format(
        "worker {} has ended more than {} times within {} ms (cluster.maxRestarts, "
        "cluster.restartWindow); the cluster continues, because other workers are ready",
        number_, config_.cluster.max_restarts, config_.cluster.restart_window));
  }
  logger_.info(fmt::format("worker {} starts again in {} ms", number_, delay.count()));
  restarts_at_ = Clock::now() + delay;
  return true;
}

bool WorkerSlot::restart_if_due() {
  if (!restarts_at_ || Clock::now() < *restarts_at_) return true;
  restarts_at_.reset();
  ++restarts_;
  try {
    start();
  } catch (const std::system_error& error) {
    logger_.error(fmt::format("worker {}: {}", number_, error.what()));
    return false;
  }
  return true;
}

void WorkerSlot::signal(int number) const {
  for (const auto* process : {&current_, &successor_}) {
    if (*process) (*process)->signal(number);
  }
}

void WorkerSlot::log_status() const {
  const auto now = Clock::now();
  for (const auto* process : {&current_, &successor_}) {
    if (!*process) continue;
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - (*process)->since());
    logger_.info(fmt::format("worker {}: process {}, {} for {} s, restarted {} times", number_,
                             (*process)->pid(), name_of((*process)->state()), age.count(),
                             restarts_));
  }
  if (!current_ && !successor_) {
    logger_.info(fmt::format("worker {}: no process, restarted {} times", number_, restarts_));
  }
}

void WorkerSlot::append_descriptors(std::vector<pollfd>& entries) const {
  for (const auto* process : {&current_, &successor_}) {
    if (!*process) continue;
    entries.push_back({(*process)->pidfd(), POLLIN, 0});
    entries.push_back({(*process)->control_socket(), POLLIN, 0});
  }
}

void WorkerSlot::append_workers(std::vector<ClusterView::Worker>& workers) const {
  for (const auto* process : {&current_, &successor_}) {
    if (!*process || !(*process)->link()) continue;
    const State state = (*process)->state();
    workers.push_back({.link = (*process)->link(),
                       .pid = (*process)->pid(),
                       .is_ready = state == State::ready,
                       .has_started = state != State::starting});
  }
}

WorkerSlot::Clock::time_point WorkerSlot::next_deadline(bool cluster_is_stopping) const {
  auto next = restarts_at_.value_or(Clock::time_point::max());
  for (const auto* process : {&current_, &successor_}) {
    if (!*process) continue;
    const auto since = (*process)->since();
    if ((*process)->state() == State::starting) {
      next = std::min(next, since + std::chrono::milliseconds(config_.cluster.start_timeout));
    } else if ((*process)->state() == State::stopping && !cluster_is_stopping) {
      next = std::min(next, since + stop_time(config_));
    }
  }
  return next;
}

}  // namespace fw::cluster
